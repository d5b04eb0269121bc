package threadlab.kernel;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.function.Consumer;
import javax.management.NotificationEmitter;

/**
 * The heap of the kernel. When it is full, nothing works, not even the threads that send messages, so the page is told
 * before, and some bytes are kept for the last words.
 */
final class Heap {

    /** With more of the heap in use after a collection, the next cells would fail, too. */
    private static final double FULL = 0.9;

    private static final int RESERVE = 8 << 20;

    private final Consumer<String> page;
    private volatile byte[] reserve = new byte[RESERVE];
    private boolean watched;
    private volatile boolean said;

    /** With the place for a warning. */
    Heap(Consumer<String> page) {
        this.page = page;
    }

    /** A cell begins. */
    void begin() {
        said = false;
        if (reserve == null) {
            reserve = new byte[RESERVE];
        }
        watch();
    }

    /** Asks the JVM to tell when a collection leaves little. */
    void watch() {
        if (watched) {
            return;
        }
        watched = true;
        for (var pool : ManagementFactory.getMemoryPoolMXBeans()) {
            long most = pool.getUsage().getMax();
            if (pool.getType() == MemoryType.HEAP && pool.isCollectionUsageThresholdSupported() && isOld(pool, most)) {
                pool.setCollectionUsageThreshold((long) (FULL * most));
            }
        }
        ((NotificationEmitter) ManagementFactory.getMemoryMXBean())
                .addNotificationListener((_, _) -> nearlyFull(), null, null);
    }

    /** Whether a pool can fill the heap; the others empty themselves into it. */
    private static boolean isOld(MemoryPoolMXBean pool, long most) {
        return most > Runtime.getRuntime().maxMemory() / 2 && !pool.getName().matches(".*(Eden|Survivor).*");
    }

    private void nearlyFull() {
        release();
        if (!said) {
            said = true;
            page.accept(
                    "The heap of %,d MB is nearly full. If it fills up, the kernel ends, and Jupyter starts it again without its variables.\n"
                            .formatted(megabytes()));
        }
    }

    /** The heap is full: lets the kernel say so. */
    void release() {
        reserve = null;
    }

    /** Whether this error means that the heap is full, rather than that an array is too long or a thread one too many. */
    static boolean isFull(Throwable thrown) {
        return thrown instanceof OutOfMemoryError
                && String.valueOf(thrown.getMessage()).matches("Java heap space|GC overhead limit exceeded");
    }

    /** Whether it stays full although a cell has ended. */
    boolean staysFull() {
        System.gc();
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory() > FULL * runtime.maxMemory();
    }

    long megabytes() {
        return Runtime.getRuntime().maxMemory() >> 20;
    }
}
