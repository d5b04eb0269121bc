package threadlab.measure;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.management.VirtualThreadSchedulerMXBean;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * The machine that this JVM sees: its JDK, CPUs, memory and limits, and how many threads of each kind fit.
 *
 * <p>In a container the numbers are the container's, where the JVM or the control group says so.
 */
public final class Machine {

    /** Heap that a parked virtual thread with a shallow stack needs at least, in bytes (measured on JDK 25). */
    private static final long HEAP_PER_VIRTUAL_THREAD = 800;

    /** Resident memory that a parked platform thread needs, in bytes (32 to 58 kB were measured on JDK 25, Linux). */
    private static final long MEMORY_PER_PLATFORM_THREAD = 64 * 1024;

    /** Platform threads that fit at most on a system whose own limit on them is not known. */
    private static final long CAREFUL = 2_000;

    private static final String MAPPINGS = "memory mappings";

    /**
     * A limit on threads that the operating system sets.
     *
     * @param name what it limits
     * @param value the limit, in what the name says
     * @param source the file that it was read from
     */
    public record Limit(String name, long value, String source) {}

    private final int cpus;
    private final int carriers;
    private final long memory;
    private final long maxHeap;
    private final List<Limit> limits;
    private final String scale;

    private Machine(int cpus, int carriers, long memory, long maxHeap, List<Limit> limits, String scale) {
        this.cpus = cpus;
        this.carriers = carriers;
        this.memory = memory;
        this.maxHeap = maxHeap;
        this.limits = List.copyOf(limits);
        this.scale = scale;
    }

    /**
     * Reads the machine that runs this code, as it is now.
     *
     * @return the machine
     */
    public static Machine here() {
        var os = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        return new Machine(
                Runtime.getRuntime().availableProcessors(),
                scheduler.getParallelism(),
                os.getTotalMemorySize(),
                Runtime.getRuntime().maxMemory(),
                limits(Path.of("/")),
                Optional.ofNullable(System.getenv("THREADLAB_SCALE")).orElse("").strip());
    }

    /** A machine of given size and scale whose limits are read below a folder that stands for "/". */
    static Machine of(int cpus, long memory, long maxHeap, Path root, String scale) {
        return new Machine(cpus, cpus, memory, maxHeap, limits(root), scale);
    }

    /**
     * The CPUs that this JVM may use.
     *
     * @return at least 1
     */
    public int cpus() {
        return cpus;
    }

    /**
     * The carriers of the virtual thread scheduler: how many virtual threads can be mounted at the same time, those left
     * out for which the JDK has added a carrier.
     *
     * @return the scheduler's parallelism, at least 1
     */
    public int carriers() {
        return carriers;
    }

    /**
     * How many virtual threads with shallow stacks fit into the heap at once: 60 % of the maximal heap ÷ 800 B.
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
        return platformBound().value;
    }

    /**
     * The limits on threads that the operating system sets, in a container the container's.
     *
     * @return those that were found; none on a system that does not keep them in files
     */
    public List<Limit> limits() {
        return limits;
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

    private Limit platformBound() {
        long outsideHeap = Math.max(0, memory - maxHeap);
        var bound = new Limit(
                "a quarter of the memory outside the heap ÷ 64 KiB",
                outsideHeap / 4 / MEMORY_PER_PLATFORM_THREAD,
                "the JVM");
        if (CAREFUL < bound.value && limits.stream().allMatch(limit -> limit.name.equals(MAPPINGS))) {
            bound = new Limit("no limit on threads could be read here, so a careful number", CAREFUL, "threadlab");
        }
        for (Limit limit : limits) {
            boolean mappings = limit.name.equals(MAPPINGS);
            long share = limit.value / (mappings ? 4 : 2);
            if (share < bound.value) {
                bound = new Limit(
                        "%s %s (%s)".formatted(mappings ? "a quarter of the" : "half of the", limit.name, limit.source),
                        share,
                        limit.source);
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
        var table = Table.create(
                "This machine",
                StringColumn.create("what"),
                StringColumn.create("value"),
                StringColumn.create("read from"));
        row(
                table,
                "JDK",
                System.getProperty("java.vendor.version", "") + " " + Runtime.version(),
                "java.vendor.version, Runtime.version");
        row(table, "operating system", property("os.name") + " " + property("os.version"), "os.name, os.version");
        row(table, "CPUs", inWords("%,d %s", cpus, property("os.arch")), "Runtime.availableProcessors");
        row(table, "carriers", inWords("%,d", carriers), "VirtualThreadSchedulerMXBean.getParallelism");
        row(table, "memory", inMiB(memory), "OperatingSystemMXBean.getTotalMemorySize");
        row(table, "largest heap", inMiB(maxHeap), "Runtime.maxMemory");
        row(table, "garbage collector", collector(), "GarbageCollectorMXBean");
        for (Limit limit : limits) {
            row(table, "limit on " + limit.name, inWords("%,d", limit.value), limit.source);
        }
        row(
                table,
                "virtual threads that fit",
                inWords("about %,d", virtualThreads()),
                "60 % of the largest heap ÷ 800 B");
        row(table, "platform threads that fit", inWords("about %,d", platformThreads()), platformBound().name);
        row(table, "scale", scaled("small", "usual", "full"), "THREADLAB_SCALE");
        return table;
    }

    private static void row(Table table, String what, String value, String source) {
        table.stringColumn("what").append(what);
        table.stringColumn("value").append(value.strip());
        table.stringColumn("read from").append(source);
    }

    private static String property(String name) {
        return System.getProperty(name);
    }

    private static String inMiB(long bytes) {
        return inWords("%,d MiB", bytes >> 20);
    }

    /** The same digits and separators in every language. */
    private static String inWords(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }

    private static String collector() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .map(name -> name.split(" ")[0])
                .distinct()
                .map(name -> name.equals("Copy") || name.equals("MarkSweepCompact") ? "Serial" : name)
                .distinct()
                .collect(Collectors.joining(", "));
    }

    /** Linux keeps its limits in files, and macOS answers sysctl. */
    private static List<Limit> limits(Path root) {
        var limits = new ArrayList<Limit>();
        pidsMax(root).ifPresent(limits::add);
        read(limits, root, "processes and threads of this user", Path.of("proc/self/limits"), "Max processes");
        read(limits, root, "threads of the system", Path.of("proc/sys/kernel/threads-max"), "");
        read(limits, root, "thread numbers of the system", Path.of("proc/sys/kernel/pid_max"), "");
        read(limits, root, MAPPINGS, Path.of("proc/sys/vm/max_map_count"), "");
        if (limits.isEmpty()) {
            sysctl(root, "kern.num_taskthreads")
                    .ifPresent(value -> limits.add(new Limit("threads of a process", value, "kern.num_taskthreads")));
        }
        return limits;
    }

    /** A number that the command prints, which macOS has in this place. */
    private static OptionalLong sysctl(Path root, String name) {
        try {
            var command = root.resolve("usr/sbin/sysctl").toString();
            var process = new ProcessBuilder(command, "-n", name)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (var printed = process.inputReader()) {
                return parse(printed.readAllAsString().strip());
            }
        } catch (IOException e) {
            return OptionalLong.empty(); // there is no such command
        }
    }

    private static void read(List<Limit> limits, Path root, String name, Path file, String key) {
        lines(root.resolve(file))
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).strip().split("\\s+")[0])
                .flatMapToLong(word -> parse(word).stream())
                .limit(1)
                .forEach(value ->
                        limits.add(new Limit(name, value, "/" + file.toString().replace('\\', '/'))));
    }

    /** The smallest pids.max of the own control group and of all groups above it, for each of them holds. */
    private static Optional<Limit> pidsMax(Path root) {
        var limits = new ArrayList<Limit>();
        for (Path folder : controlGroups(root)) {
            read(limits, root, "processes and threads of this container", folder.resolve("pids.max"), "");
        }
        return limits.stream().min(Comparator.comparingLong(Limit::value));
    }

    /** The folders of the own control group, version 2 or 1, up to the root, which is all that some containers see. */
    private static List<Path> controlGroups(Path root) {
        var groups = new ArrayList<Path>();
        lines(root.resolve("proc/self/cgroup"))
                .map(line -> line.split(":", 3))
                .filter(parts -> parts.length == 3)
                .filter(parts ->
                        parts[1].isEmpty() || List.of(parts[1].split(",")).contains("pids"))
                .forEach(parts -> {
                    var mount = Path.of(parts[1].isEmpty() ? "sys/fs/cgroup" : "sys/fs/cgroup/pids");
                    var own = Path.of(mount + parts[2]).normalize();
                    for (var at = own; at != null && at.startsWith(mount) && !at.equals(mount); at = at.getParent()) {
                        groups.add(at);
                    }
                });
        groups.add(Path.of("sys/fs/cgroup"));
        groups.add(Path.of("sys/fs/cgroup/pids"));
        return groups;
    }

    private static Stream<String> lines(Path file) {
        try {
            return Optional.of(Files.readAllLines(file)).stream().flatMap(List::stream);
        } catch (IOException | SecurityException e) {
            return Stream.empty();
        }
    }

    /** A number, or nothing where the file says "max" or "unlimited". */
    private static OptionalLong parse(String word) {
        return word.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(word)) : OptionalLong.empty();
    }
}
