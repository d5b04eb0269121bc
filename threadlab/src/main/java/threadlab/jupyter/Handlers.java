package threadlab.jupyter;

import java.time.Duration;
import java.util.stream.Stream;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.channels.Loop;
import org.dflib.jjava.jupyter.channels.ShellChannel;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.messages.MessageType;

/**
 * Answers a kind of request in the kernel's place. A {@link JupyterConnection} lets its handlers be replaced, but the kernel
 * makes it after its extensions are installed and gives it to nobody. So it is taken from the thread that reads from it.
 */
final class Handlers {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

    private Handlers() {}

    /** Replaces the handler as soon as the kernel has connected, which is before the first request arrives. */
    static <T> void replace(MessageType<T> type, ShellHandler<T> handler) {
        Thread.ofPlatform().daemon().name("handlers").start(() -> {
            try {
                var loop = shell();
                var channel = held(held(loop, Runnable.class), ShellChannel.class);
                var connection = held(channel, JupyterConnection.class);
                // in the thread that looks the handlers up
                loop.doNext(() -> connection.setHandler(type, handler));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this kernel is not the JJava that threadlab knows", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private static Loop shell() throws InterruptedException {
        while (true) {
            var threads = new Thread[Thread.activeCount() + 10];
            Thread.enumerate(threads);
            // the heart of the kernel beats in a loop, too
            var loop = Stream.of(threads)
                    .filter(thread -> thread instanceof Loop && thread.getName().startsWith("Shell-"))
                    .findFirst();
            if (loop.isPresent()) {
                return (Loop) loop.get();
            }
            Thread.sleep(BETWEEN_LOOKS);
        }
    }

    /** What the one field of a type holds. */
    private static <T> T held(Object owner, Class<T> type) throws ReflectiveOperationException {
        for (var field : owner.getClass().getDeclaredFields()) {
            if (field.getType() == type) {
                field.setAccessible(true);
                return type.cast(field.get(owner));
            }
        }
        throw new NoSuchFieldException(owner.getClass() + " holds no " + type);
    }
}
