package threadlab.server;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Work that an interrupt must not cut in two, such as the start of a server. */
final class Uninterruptibly {

    private Uninterruptibly() {}

    /**
     * Completes some work in a separate thread. An interrupt that arrives meanwhile is not lost: the calling thread is
     * interrupted afterwards.
     *
     * @throws IllegalStateException what the work throws, or with that as its cause
     */
    static <T> T call(Callable<T> work) {
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
