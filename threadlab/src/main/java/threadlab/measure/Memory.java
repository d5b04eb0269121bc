package threadlab.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.util.stream.Stream;
import threadlab.support.Proc;

/** The memory of this JVM. */
public final class Memory {

    /** On a machine with 2 GB the kernel's heap can take 1 GB. */
    private static final long SCARCE = 1_100L << 20;

    private static final long MUCH = 32L << 20;

    private Memory() {}

    /**
     * The heap in use by reachable objects: requests a garbage collection and reads what remains.
     *
     * @return bytes; 0 where the JVM ignores such requests ({@code -XX:+DisableExplicitGC})
     */
    public static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed())
                .sum();
    }

    /**
     * The memory that Linux keeps for the threads and address spaces of all processes of this machine: the kernel's
     * stacks and page tables, which belong to no process.
     *
     * @return kB, from {@code /proc/meminfo}; NaN on another system
     */
    public static double keptBySystem() {
        var file = Path.of("/proc/meminfo");
        var kept = Stream.of("KernelStack:", "PageTables:").flatMap(key -> Proc.field(file, key).stream());
        return Proc.lines(file).isEmpty()
                ? Double.NaN
                : kept.mapToDouble(Double::parseDouble).sum();
    }

    /**
     * Where the heap can take little more than 1 GB, requests a garbage collection if the old generation has grown by
     * 32 MiB since the last one. A collector may fill most of the heap before it examines the old generation, so a
     * notebook that needs 60 MB would keep 600 MB. The call takes about 0.1 s, so it belongs between two measurements.
     * With more memory it does nothing.
     */
    public static void giveBackWhereScarce() {
        if (isWorthwhile(Runtime.getRuntime().maxMemory(), grown())) {
            System.gc();
        }
    }

    static boolean isWorthwhile(long largestHeap, long grown) {
        return largestHeap < SCARCE && grown > MUCH;
    }

    private static long grown() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                // only the pool of the old generation supports a threshold
                .filter(pool -> pool.isUsageThresholdSupported())
                .mapToLong(
                        it -> it.getUsage().getUsed() - it.getCollectionUsage().getUsed())
                .sum();
    }
}
