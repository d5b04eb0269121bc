package threadlab.child;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The options of the JVMs that this library starts. Those of the kernel's JVM are in
 * {@code tools/bootstrap/kernelspec.py}, those of the JVMs that train the AOT caches in {@code train.py} beside it.
 */
public final class JvmOptions {

    /** For every child, on any Java. */
    static final List<String> EVERY = List.of(
            // standard output belongs to the program, so the JVM's warnings go to standard error
            "-Xlog:disable",
            "-Xlog:all=warning:stderr",
            // threads that wait for one that has died of this error would wait forever
            "-XX:+ExitOnOutOfMemoryError",
            // what libraries log by SLF4J would come between the program's lines
            "-Dslf4j.provider=org.slf4j.helpers.NOP_FallbackServiceProvider",
            "-Dslf4j.internal.verbosity=WARN",
            // numbers look as in the course's text, 1,234.5, whatever the system's language
            "-Duser.language.format=en",
            "-Duser.country.format=US");

    /** Half the CPU time of the usual JVM in a run of a few seconds, and less memory: the JVM warms up quickly. */
    private static final List<String> SMALL = List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** What Netty, Tomcat and PostgreSQL's driver need, or would otherwise warn about. */
    private static final List<String> SPRING = List.of(
            "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Djava.awt.headless=true");

    /** For a server on a small machine: a third less memory, whatever the JVM would take of a large one. */
    private static final List<String> TIGHT =
            List.of("-Xms16m", "-Xmx128m", "-Xmn12m", "-XX:MinHeapFreeRatio=10", "-XX:MaxHeapFreeRatio=30");

    /** A kernel option on a small machine: class archives are not copied, which saves memory. */
    private static final String ARCHIVES = "-XX:ArchiveRelocationMode";

    /** Another one: a single compiler. */
    private static final String COMPILERS = "-XX:TieredStopAtLevel";

    /** There a child's heap begins as small as the JVM's own would on a machine of 2 GB, however much this one has. */
    private static final String SMALL_START = "-XX:InitialRAMPercentage=0.1";

    private JvmOptions() {}

    /** {@return options for a JVM beside the one that is measured, such as a load generator} */
    public static String[] small() {
        return SMALL.toArray(String[]::new);
    }

    /**
     * {@return options for a Spring application made of the notebook's classes; the heap suffices for 2,000 requests of
     * 120 kB waiting in Tomcat, and is half as large where the kernel has a single compiler}
     */
    public static String[] server() {
        var compilers =
                ofKernel().filter(option -> option.startsWith(COMPILERS)).toList();
        var own = new ArrayList<>(SPRING);
        own.add("--enable-preview");
        own.addAll(compilers.isEmpty() ? List.of("-Xmx256m") : TIGHT);
        own.addAll(compilers);
        return own.toArray(String[]::new);
    }

    /**
     * {@return options for a Spring application that meets the same limits on every machine, with a small heap}
     *
     * @param carriers the carriers of its virtual threads
     * @param pooled the threads of its common pool
     */
    public static String[] smallServer(int carriers, int pooled) {
        var options = new ArrayList<>(SPRING);
        options.addAll(SMALL);
        options.addAll(List.of(
                "-Xmx192m",
                "-Djdk.virtualThreadScheduler.parallelism=" + carriers,
                "-Djava.util.concurrent.ForkJoinPool.common.parallelism=" + pooled));
        return options.toArray(String[]::new);
    }

    /**
     * A size of memory as {@code -Xmx} takes it, such as {@code 256m}, in bytes.
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

    /** What a child on the kernel's own Java inherits from the kernel, to use less memory where it is scarce. */
    static List<String> inherited() {
        return inherited(ofKernel());
    }

    static List<String> inherited(Stream<String> ofKernel) {
        return ofKernel.filter(option -> option.startsWith(ARCHIVES))
                .flatMap(option -> Stream.of("-XX:+UnlockDiagnosticVMOptions", option, SMALL_START))
                .toList();
    }

    private static Stream<String> ofKernel() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream();
    }
}
