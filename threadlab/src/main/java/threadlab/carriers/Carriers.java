package threadlab.carriers;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import jdk.management.VirtualThreadSchedulerMXBean;
import threadlab.support.Arguments;

/**
 * Sets how many carriers the virtual thread scheduler uses within a block.
 *
 * <p>Set it before the threads start: a carrier added later does not always take up a thread that is already queued.
 */
public final class Carriers implements AutoCloseable {

    /** The largest size of the pool if no property sets it; a higher parallelism raises it. */
    private static final int LARGEST_POOL = 256;

    private static final long PATIENCE = 1_000_000_000; // ns
    private static final long LOOK = 200_000; // ns
    private static final int QUIET = 5; // looks

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
     * <p>Where n is lower than before, this returns when at most n carriers are active, after a second at the latest.
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
        if (n < before) {
            awaitIdle(n);
        }
        return new Carriers(scheduler, before);
    }

    /**
     * Waits until no more than n carriers are active, for a second at most. A carrier that has just become free looks
     * for the next virtual thread for a moment, and would run one beyond the lowered parallelism. A carrier that is
     * about to wake up does not look active yet, so several looks in a row must find no more than n.
     */
    private static void awaitIdle(int n) {
        long end = System.nanoTime() + PATIENCE;
        for (int quiet = 0; quiet < QUIET && System.nanoTime() < end; quiet = active() > n ? 0 : quiet + 1) {
            LockSupport.parkNanos(LOOK);
        }
    }

    /** Carriers that run or seek a virtual thread. Their group's name is the JDK's own; a test fails if it changes. */
    static long active() {
        var root = Thread.currentThread().getThreadGroup();
        while (root.getParent() != null) {
            root = root.getParent();
        }
        var threads = new Thread[root.activeCount() + 100];
        int found = root.enumerate(threads);
        return Arrays.stream(threads, 0, found)
                .filter(thread -> thread.getState() == Thread.State.RUNNABLE)
                .map(Thread::getThreadGroup)
                .filter(group -> group != null && group.getName().equals("CarrierThreads"))
                .count();
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

    /** The scheduler reads both properties once, when it starts; the second is the largest size of the pool. */
    private static int largestPool() {
        int atStart = Integer.getInteger(
                "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
        return Integer.getInteger("jdk.virtualThreadScheduler.maxPoolSize", Math.max(atStart, LARGEST_POOL));
    }
}
