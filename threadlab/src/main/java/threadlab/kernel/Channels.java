package threadlab.kernel;

import java.util.concurrent.locks.LockSupport;
import threadlab.kernel.JJavaInternals.Channel;

/** Serves the kernel's channels without delay: waits for requests, and runs steps of the warm-up while none comes. */
final class Channels {

    /** After this time without a request, the warm-up runs its next step. */
    private static final int QUIET_MILLIS = 20;

    private static final int FOR_EVER = -1;

    private Channels() {}

    /** Runs in the channel's own thread until the connection is closed. */
    static void serve(Channel channel, WarmUp warmUp, Runnable afterwards) {
        channel.loop().doNext(() -> {
            while (true) {
                try {
                    int requests = channel.poll(warmUp.goesOn() ? QUIET_MILLIS : FOR_EVER);
                    if (requests > 0) {
                        channel.answer().run();
                        afterwards.run();
                    } else if (requests == 0 && warmUp.goesOn()) {
                        warmUp.step();
                    } else {
                        return; // the channel is closed
                    }
                } catch (RuntimeException | Error e) {
                    // the request has failed, or the heap is full; the next one must find this thread alive
                    LockSupport.parkNanos(QUIET_MILLIS * 1_000_000L);
                }
            }
        });
    }
}
