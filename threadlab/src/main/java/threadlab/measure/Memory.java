package threadlab.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryType;

/** The memory of this JVM. */
public final class Memory {

    private Memory() {}

    /**
     * The heap that is in use, without what nobody refers to: it asks for a garbage collection and reads what that left.
     *
     * @return bytes; 0 where the JVM has been told to ignore such requests ({@code -XX:+DisableExplicitGC})
     */
    public static long heapInUse() {
        System.gc();
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .mapToLong(pool -> pool.getCollectionUsage().getUsed())
                .sum();
    }
}
