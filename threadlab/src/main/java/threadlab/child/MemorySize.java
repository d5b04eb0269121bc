package threadlab.child;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Sizes of memory as {@code -Xmx} takes them, such as {@code 256m}. */
final class MemorySize {

    private MemorySize() {}

    /**
     * The size in bytes.
     *
     * @param what what has the size, for the message
     * @throws IllegalArgumentException if it is not a size, or exceeds the machine's memory
     */
    static long bytes(String what, String size) {
        if (!size.matches("[1-9]\\d{0,9}[kKmMgG]")) {
            throw new IllegalArgumentException(
                    "\"%s\" is not a size for %s: write a number with k, m or g, such as 256m".formatted(size, what));
        }
        int shift = 10 * (1 + "kmg".indexOf(size.toLowerCase(Locale.ROOT).charAt(size.length() - 1)));
        double bytes = Double.parseDouble(size.substring(0, size.length() - 1)) * (1L << shift);
        long all =
                ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
        if (bytes > all) {
            throw new IllegalArgumentException(
                    "%s of %s is larger than the memory of this machine (%,d MiB): choose a smaller one"
                            .formatted(what, size, all >> 20));
        }
        return (long) bytes;
    }
}
