package threadlab.measure;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import jdk.management.VirtualThreadSchedulerMXBean;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * The machine that this JVM sees: its JDK, CPUs, memory and limits, and how many threads of each kind fit.
 *
 * <p>In a container the numbers are the container's, where the JVM or the control group reports them.
 *
 * @param cpus the CPUs that this JVM may use, at least 1
 * @param carriers the scheduler's parallelism, at least 1: how many virtual threads can be mounted at the same time,
 *     not counting those for which the JDK has added a carrier
 * @param memory the machine's memory, in bytes
 * @param maxHeap the largest heap of this JVM, in bytes
 * @param limits the operating system's limits on threads; none where they cannot be read
 * @param scale the value of {@code THREADLAB_SCALE}; empty if it is not set
 */
public record Machine(int cpus, int carriers, long memory, long maxHeap, List<SystemLimit> limits, String scale) {

    /** The least heap that a parked virtual thread with a shallow stack needs, in bytes (measured on JDK 25). */
    private static final long HEAP_PER_VIRTUAL_THREAD = 800;

    /** Resident memory that a parked platform thread needs, in bytes (32 to 58 kB were measured on JDK 25, Linux). */
    private static final long MEMORY_PER_PLATFORM_THREAD = 64 * 1024;

    /** The most platform threads on a system whose own limit on them is not known. */
    private static final long CAREFUL = 2_000;

    private record Bound(long threads, String why) {}

    /**
     * Reads the current values of the machine that runs this code.
     *
     * @return the machine
     */
    public static Machine here() {
        var os = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        var jvm = Runtime.getRuntime();
        var limits = SystemLimit.here();
        int carriers = scheduler.getParallelism();
        long memory = os.getTotalMemorySize();
        return new Machine(jvm.availableProcessors(), carriers, memory, jvm.maxMemory(), limits, scaleHere());
    }

    static boolean isSmall() {
        return scaleHere().equals("small");
    }

    /** The scale that the environment sets, unless a property does, which a test can change while the kernel runs. */
    private static String scaleHere() {
        var environment = System.getenv().getOrDefault("THREADLAB_SCALE", "");
        return System.getProperty("threadlab.scale", environment).strip();
    }

    /** A machine of the given size and scale whose limits are read below a folder that takes the place of "/". */
    static Machine of(int cpus, long memory, long maxHeap, Path root, String scale) {
        return new Machine(cpus, cpus, memory, maxHeap, SystemLimit.below(root), scale);
    }

    /**
     * How many virtual threads with shallow stacks fit into the heap at once: 60 % of the maximum heap ÷ 800 B.
     *
     * @return threads
     */
    public long virtualThreads() {
        return maxHeap * 6 / 10 / HEAP_PER_VIRTUAL_THREAD;
    }

    /**
     * How many platform threads fit without danger to the machine: the smallest of half of every limit on processes and
     * threads, a quarter of {@code vm.max_map_count} (a thread's stack and its guard take two mappings), and a quarter
     * of the memory outside the heap ÷ 64 KiB. Where no limit on processes or threads can be read, at most 2,000.
     *
     * @return threads
     */
    public long platformThreads() {
        return platformBound().threads;
    }

    /**
     * Picks one of three values by the environment variable {@code THREADLAB_SCALE}: {@code small} is for a small
     * machine such as a Binder pod and for tests, unset is for a laptop, {@code full} is for the sizes of the articles.
     *
     * @param small the value for {@code THREADLAB_SCALE=small}
     * @param usual the value when it is not set
     * @param full the value for {@code THREADLAB_SCALE=full}
     * @param <T> what is picked: a size, a duration, a list of sizes
     * @return one of the three
     * @throws IllegalStateException if the variable has another value
     */
    public <T> T scaled(T small, T usual, T full) {
        return switch (scale) {
            case "" -> usual;
            case "small" -> small;
            case "full" -> full;
            default ->
                throw new IllegalStateException(
                        "THREADLAB_SCALE is \"%s\": set it to small or full, or leave it unset.".formatted(scale));
        };
    }

    /** How many platform threads fit, and what limits them. */
    private Bound platformBound() {
        long outsideHeap = Math.max(0, memory - maxHeap);
        long fit = outsideHeap / 4 / MEMORY_PER_PLATFORM_THREAD;
        var bound = new Bound(fit, "a quarter of the memory outside the heap ÷ 64 KiB");
        if (CAREFUL < bound.threads && limits.stream().allMatch(limit -> limit.on() == SystemLimit.On.MAPPINGS)) {
            bound = new Bound(CAREFUL, "no limit on threads could be read here, so a cautious number");
        }
        for (SystemLimit limit : limits) {
            boolean mappings = limit.on() == SystemLimit.On.MAPPINGS;
            long share = limit.value() / (mappings ? 4 : 2);
            if (share < bound.threads) {
                var part = mappings ? "a quarter of the " : "half of the ";
                bound = new Bound(share, part + limit.on() + " (" + limit.source() + ")");
            }
        }
        return bound;
    }

    /**
     * The machine as a table.
     *
     * @return columns {@code what}, {@code value} and {@code read from}
     */
    public Table table() {
        var rows = new ArrayList<List<String>>();
        var jdk = System.getProperty("java.vendor.version", "") + " " + Runtime.version();
        rows.add(List.of("JDK", jdk.strip(), "java.vendor.version, Runtime.version"));
        var system = System.getProperty("os.name") + " " + System.getProperty("os.version");
        rows.add(List.of("operating system", system, "os.name, os.version"));
        var processors = "%,d %s".formatted(cpus, System.getProperty("os.arch"));
        rows.add(List.of("CPUs", processors, "Runtime.availableProcessors"));
        rows.add(List.of("carriers", "%,d".formatted(carriers), "VirtualThreadSchedulerMXBean.getParallelism"));
        rows.add(List.of("memory", inMiB(memory), "OperatingSystemMXBean.getTotalMemorySize"));
        rows.add(List.of("largest heap", inMiB(maxHeap), "Runtime.maxMemory"));
        rows.add(List.of("garbage collector", collector(), "GarbageCollectorMXBean"));
        limits.forEach(
                limit -> rows.add(List.of("limit on " + limit.on(), "%,d".formatted(limit.value()), limit.source())));
        var rounded = new BigDecimal(virtualThreads()).round(new MathContext(2));
        var virtual = "about %,d".formatted(rounded.longValue());
        var heap = "at most: 60 % of the largest heap ÷ 800 B, for the shallowest stacks";
        rows.add(List.of("virtual threads that fit", virtual, heap));
        var platform = "about %,d".formatted(platformThreads());
        rows.add(List.of("platform threads that fit", platform, platformBound().why));
        rows.add(List.of("scale", scaled("small", "usual", "full"), "THREADLAB_SCALE"));
        return Table.create(
                "This machine",
                StringColumn.create("what", rows.stream().map(row -> row.get(0))),
                StringColumn.create("value", rows.stream().map(row -> row.get(1))),
                StringColumn.create("read from", rows.stream().map(row -> row.get(2))));
    }

    private static String inMiB(long bytes) {
        return "%,d MiB".formatted(bytes >> 20);
    }

    private static String collector() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(bean -> bean.getName().split(" ")[0])
                .map(name -> name.equals("Copy") || name.equals("MarkSweepCompact") ? "Serial" : name)
                .distinct()
                .collect(Collectors.joining(", "));
    }
}
