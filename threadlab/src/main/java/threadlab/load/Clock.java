package threadlab.load;

import java.util.concurrent.locks.LockSupport;

/** The time by which requests are sent and measured. */
interface Clock {

    /** The clock of {@link System#nanoTime}. */
    Clock SYSTEM = new Clock() {
        @Override
        public long nanos() {
            return System.nanoTime();
        }

        @Override
        public void sleepUntil(long moment) {
            for (long left = moment - nanos(); left > 0; left = moment - nanos()) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                LockSupport.parkNanos(left);
            }
        }
    };

    long nanos();

    /** Returns at a moment of this clock, or when the calling thread is interrupted. */
    void sleepUntil(long moment);
}
