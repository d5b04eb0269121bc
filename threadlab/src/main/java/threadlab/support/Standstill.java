package threadlab.support;

import java.time.Duration;

/**
 * Notices that the whole program stood still, as when a laptop sleeps or a container is paused: one of its threads looks
 * here several times a second, and for once did not.
 */
public final class Standstill {

    private final Duration least;
    private long seen = System.nanoTime();
    private long total;

    /**
     * Begins now.
     *
     * @param least a shorter time between two looks is what a busy machine may do
     */
    public Standstill(Duration least) {
        this.least = least;
    }

    /** {@return how long nobody has looked, in ns; 0 for what a busy machine may do} */
    public long look() {
        long now = System.nanoTime();
        long nanos = now - seen;
        seen = now;
        if (nanos <= least.toNanos()) {
            return 0;
        }
        total += nanos;
        return nanos;
    }

    /** {@return how long everything stood still since the beginning, in ns} */
    public long nanos() {
        return total;
    }
}
