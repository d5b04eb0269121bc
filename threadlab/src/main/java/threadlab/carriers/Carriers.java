package threadlab.carriers;

import java.lang.management.ManagementFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import jdk.management.VirtualThreadSchedulerMXBean;
import threadlab.measure.Arguments;

/**
 * Sets how many carriers the virtual thread scheduler uses within a block.
 *
 * <p>Set it before the threads start: a carrier added later does not always take up a virtual thread that is already
 * queued.
 */
public final class Carriers implements AutoCloseable {

    /** What the scheduler uses if the property is not set. */
    private static final int LEAST_POOL = 256;

    private final VirtualThreadSchedulerMXBean scheduler;
    private final int before;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Carriers(VirtualThreadSchedulerMXBean scheduler, int before) {
        this.scheduler = scheduler;
        this.before = before;
    }

    /**
     * Sets the parallelism of the scheduler: the number of virtual threads that can run at the same time. The pool may
     * hold more carriers: idle ones, and those that the JDK adds for some blocking calls. When several such calls end,
     * more threads than this run until they block.
     *
     * @param n from 1 to the largest size of the scheduler's pool
     * @return an object that restores the former parallelism when it is closed
     */
    public static Carriers parallelism(int n) {
        var pool = ", the largest pool of this JVM (jdk.virtualThreadScheduler.maxPoolSize)";
        Arguments.inRange("parallelism", n, 1, largestPool(), pool);
        var scheduler = scheduler();
        int before = scheduler.getParallelism();
        scheduler.setParallelism(n);
        return new Carriers(scheduler, before);
    }

    /** Restores the former parallelism; a second call does nothing. */
    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            scheduler.setParallelism(before);
        }
    }

    static VirtualThreadSchedulerMXBean scheduler() {
        return ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
    }

    /** The scheduler reads both properties once, when it starts; the second is the least size of the pool. */
    private static int largestPool() {
        int atStart = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        return Integer.getInteger("jdk.virtualThreadScheduler.maxPoolSize", Math.max(atStart, LEAST_POOL));
    }
}
