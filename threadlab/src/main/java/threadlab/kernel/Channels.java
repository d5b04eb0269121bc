package threadlab.kernel;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.channels.JupyterSocket;
import org.dflib.jjava.jupyter.channels.Loop;
import org.dflib.jjava.jupyter.channels.ShellChannel;
import threadlab.measure.Memory;

/**
 * The two channels on which the page sends its requests. The kernel looks for a request twenty times a second; here it waits for
 * one, so an answer comes without delay, and a kernel without work sleeps. And its handlers can be replaced: a {@link
 * JupyterConnection} allows that, but the kernel makes it after its extensions are installed and gives it to nobody. So it is
 * taken from the threads that read from it.
 */
final class Channels {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(10);

    /** After this time without a request the warm-up makes its next step. */
    private static final Duration QUIET = Duration.ofMillis(20);

    private static final Duration FOR_EVER = Duration.ofMillis(-1);

    private Channels() {}

    /** Changes the connection as soon as the kernel has made it, which is before the first request arrives. */
    static void whenConnected(BiConsumer<JupyterConnection, JupyterSocket> change, WarmUp warmUp) {
        Thread.ofPlatform().daemon().name("channels").start(() -> {
            try {
                var cells = loop("Shell-0");
                var control = loop("Shell-1");
                var channel = held(held(cells, Runnable.class), ShellChannel.class);
                var connection = held(channel, JupyterConnection.class);
                // in the thread that looks the handlers up
                cells.doNext(() -> change.accept(connection, channel));
                serve(cells, warmUp, Memory::giveBackWhereScarce);
                serve(control, WarmUp.none(), () -> {});
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("this kernel is not the JJava that threadlab knows", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** In the channel's own thread, until the connection is closed. */
    private static void serve(Loop loop, WarmUp warmUp, Runnable afterwards) throws ReflectiveOperationException {
        var readAndAnswer = held(held(loop, LongSupplier.class), Runnable.class);
        var poller = held(readAndAnswer, "Poller");
        var poll = poller.getClass().getMethod("poll", long.class);
        loop.doNext(() -> {
            while (true) {
                int requests = waitFor(poller, poll, warmUp.goesOn() ? QUIET : FOR_EVER);
                if (requests > 0) {
                    readAndAnswer.run();
                    afterwards.run();
                } else if (requests == 0 && warmUp.goesOn()) {
                    warmUp.step();
                } else {
                    return; // it is closed
                }
            }
        });
    }

    private static int waitFor(Object poller, Method poll, Duration atMost) {
        try {
            return (int) poll.invoke(poller, atMost.toMillis());
        } catch (InvocationTargetException e) {
            return -1;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("this kernel is not the JJava that threadlab knows", e);
        }
    }

    private static Loop loop(String name) throws InterruptedException {
        while (true) {
            var threads = new Thread[Thread.activeCount() + 10];
            Thread.enumerate(threads);
            var loop = Stream.of(threads)
                    .filter(thread -> thread instanceof Loop && thread.getName().equals(name))
                    .findFirst();
            if (loop.isPresent()) {
                return (Loop) loop.get();
            }
            Thread.sleep(BETWEEN_LOOKS);
        }
    }

    /** What the one field of a type holds. */
    private static <T> T held(Object owner, Class<T> type) throws ReflectiveOperationException {
        return type.cast(held(owner, type.getSimpleName()));
    }

    private static Object held(Object owner, String type) throws ReflectiveOperationException {
        for (var field : owner.getClass().getDeclaredFields()) {
            if (field.getType().getSimpleName().equals(type)) {
                field.setAccessible(true);
                return field.get(owner);
            }
        }
        throw new NoSuchFieldException(owner.getClass() + " holds no " + type);
    }
}
