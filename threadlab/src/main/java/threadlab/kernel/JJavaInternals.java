package threadlab.kernel;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.dflib.jjava.jupyter.channels.JupyterSocket;
import org.dflib.jjava.jupyter.channels.Loop;
import org.dflib.jjava.jupyter.channels.ShellChannel;
import org.dflib.jjava.shaded.org.zeromq.ZMQ;
import org.dflib.jjava.shaded.zmq.Ctx;
import org.dflib.jjava.shaded.zmq.poll.Poller;

/** What this package needs of JJava beyond its documented interface; written against JJava 1.0a8. */
final class JJavaInternals {

    private static final Duration AFTER_AN_ERROR = Duration.ofMillis(20);

    private JJavaInternals() {}

    /**
     * One of the two channels on which the page sends its requests.
     *
     * @param loop the thread that reads from it
     * @param answer reads a request and answers it
     */
    record Channel(Loop loop, ZMQ.Poller poller, Runnable answer) {

        /** Waits for requests, for this many ms at most or, if negative, for ever; returns their number, -1 if closed. */
        int poll(long atMost) {
            try {
                return poller.poll(atMost);
            } catch (RuntimeException e) {
                return -1;
            }
        }
    }

    /**
     * JJava polls for a request twenty times a second, in a loop that cannot be configured. Two parts of that loop can
     * be used without it: the socket's poller, which can wait for a request, and the code that answers one.
     */
    static Channel channel(ShellChannel channel) {
        var loop = loop(channel);
        var answer = held(held(loop, LongSupplier.class), Runnable.class);
        return new Channel(loop, held(answer, ZMQ.Poller.class), answer);
    }

    /** The thread that serves a channel. */
    static Loop loop(JupyterSocket channel) {
        return held(channel, Loop.class);
    }

    /**
     * Lets the thread that sends and receives all messages go on after an error, in which it would end: its handler of
     * uncaught exceptions, which still runs in that thread, starts its loop again.
     */
    static void keepMessagesGoing(JupyterSocket any) {
        var context = held(held(any, ZMQ.Context.class), Ctx.class);
        for (var each : (List<?>) held(context, "ioThreads")) {
            var loop = held(each, Poller.class);
            held(loop, Thread.class).setUncaughtExceptionHandler((_, _) -> repeat(loop));
        }
    }

    private static void repeat(Runnable loop) {
        while (true) {
            try {
                LockSupport.parkNanos(AFTER_AN_ERROR.toNanos());
                loop.run();
                return; // it was asked to end
            } catch (RuntimeException | Error e) {
                // such as that the heap is still full
            }
        }
    }

    private static Object held(Object owner, String name) {
        try {
            var field = owner.getClass().getDeclaredField(name);
            field.setAccessible(true);
            return field.get(owner);
        } catch (ReflectiveOperationException e) {
            throw anotherVersion(e);
        }
    }

    /** The value of the only field of a type; the fields of a lambda have no names. */
    private static <T> T held(Object owner, Class<T> type) {
        try {
            for (Class<?> of = owner.getClass(); of != null; of = of.getSuperclass()) {
                for (var field : of.getDeclaredFields()) {
                    if (field.getType() == type) {
                        field.setAccessible(true);
                        return type.cast(field.get(owner));
                    }
                }
            }
            throw new NoSuchFieldException(owner.getClass() + " holds no " + type);
        } catch (ReflectiveOperationException e) {
            throw anotherVersion(e);
        }
    }

    private static IllegalStateException anotherVersion(ReflectiveOperationException e) {
        return new IllegalStateException(
                "this kernel's JJava is not the version that threadlab supports: run tools/setup.py, then restart the kernel",
                e);
    }
}
