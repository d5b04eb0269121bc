package threadlab.server;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * What runs in this JVM, at most one of each name. It outlives the variable of the cell that started it; so when the
 * cell runs again, only this class knows what must be closed first.
 *
 * @param <T> what runs
 */
final class OneOfAName<T extends AutoCloseable> {

    /** Starts something. */
    interface Start<T> {
        T start() throws InterruptedException;
    }

    private final Map<String, T> running = new HashMap<>();

    /**
     * Closes what runs under a name, and starts another.
     *
     * @throws InterruptedException if the calling thread is interrupted; nothing is left running
     */
    synchronized T replace(String name, Start<T> start) throws InterruptedException {
        close(running.get(name));
        var started = start.start();
        running.put(name, started);
        if (Thread.interrupted()) {
            close(started);
            throw new InterruptedException("interrupted while \"" + name + "\" started");
        }
        return started;
    }

    private static void close(AutoCloseable closed) {
        try (closed) {
            // null if there was none
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Forgets it and ends it, never in the middle of a start, and completely even in an interrupted thread. */
    synchronized void end(String name, T ended, Callable<?> end) {
        running.remove(name, ended);
        uninterrupted(end);
    }

    /**
     * Completes some work, such as the start of a server, in a separate thread. An interrupt that arrives meanwhile is
     * not lost: the calling thread is interrupted afterwards.
     *
     * @throws IllegalStateException what the work throws, or with that as its cause
     */
    static <T> T uninterrupted(Callable<T> work) {
        var task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().name("server").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IllegalStateException known ? known : new IllegalStateException(e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
