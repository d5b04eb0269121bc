package threadlab.child;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import threadlab.support.Arguments;
import threadlab.support.CpuShare;

/**
 * A program in a JVM of its own, with its own Java version, heap, limits and time limit. If something kills that JVM,
 * that is a result; the notebook continues.
 *
 * <pre>{@code
 * var run = ChildJvm.of("Sleepers.java").heap("256m").arguments("virtual", 10_000).columns("n", "seconds").run();
 * run.table()
 * }</pre>
 *
 * <p>On the kernel's own Java the program may use the course's libraries; on another, only its own classes. Its
 * {@code printf} and {@code formatted} write 1,234.5, as the course does, whatever the system's language.
 */
// longer than other classes: each setting is a method, and most lines are Javadoc for authors of cells
public final class ChildJvm {

    private static final String OF_THIS_MACHINE = ", the CPUs of this machine";
    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    final Program program;
    final String mainClass;
    final List<String> options = new ArrayList<>();
    List<String> arguments = List.of();
    List<String> columns = List.of();
    Duration timeOut = Duration.ofSeconds(60);
    JavaRuntime java = JavaRuntime.own();
    Consumer<String> taker = line -> System.out.println(line);
    int threads;
    int cpus;
    double quota;
    long memory;
    Object order;
    Map<String, byte[]> classes = Map.of();
    final Map<String, String> environment = new HashMap<>();

    private ChildJvm(Program program, String mainClass) {
        this.program = program;
        this.mainClass = mainClass;
    }

    /**
     * {@return a child to configure and start, which will run a single-file program; its start compiles it}
     *
     * @param program the file's name in the folder {@code programs} beside the notebook, such as {@code Sleepers.java}
     * @throws IllegalArgumentException if there is no such program
     */
    public static ChildJvm of(String program) {
        return of(Program.of(program));
    }

    /**
     * {@return a child to configure and start, which will run a single-file program; its start compiles it}
     *
     * @param program the program
     */
    public static ChildJvm of(Program program) {
        return new ChildJvm(program, program.mainClass());
    }

    /**
     * {@return a child to configure and start, which will run a class of the libraries on the kernel's class path}
     *
     * @param main has a method {@code public static void main(String[])}
     */
    public static ChildJvm of(Class<?> main) {
        return new ChildJvm(null, main.getName());
    }

    /**
     * {@return the feature versions, oldest first, such as 21 and 25, of the Javas that a child can run on: the kernel's
     * own, those that the set-up found, and those that the reader names in the environment variable
     * {@code THREADLAB_JAVA}, a list of homes, separated as in {@code PATH}} A named home that cannot be used is left
     * out; a printed line says why.
     */
    public static List<Integer> javas() {
        var here = Javas.here();
        here.leftOut().forEach(System.out::println);
        return List.copyOf(here.homes().keySet());
    }

    /**
     * Sets the Java version that it runs on.
     *
     * @param version one of {@link #javas()}
     * @return this child
     * @throws IllegalArgumentException if this version is not on this machine; the message says how to get it
     */
    public ChildJvm java(int version) {
        java = JavaRuntime.of(version);
        return this;
    }

    /**
     * Sets the largest heap.
     *
     * @param size as {@code -Xmx} takes it, such as {@code 256m} or {@code 2g}
     * @return this child
     * @throws IllegalArgumentException if it is not a size, or exceeds the machine's memory
     */
    public ChildJvm heap(String size) {
        JvmOptions.bytes("a heap", size);
        return options("-Xmx" + size);
    }

    /** The largest heap, as {@code -Xmx} takes it; empty if the JVM chooses. */
    String heap() {
        return options.stream().filter(option -> option.startsWith("-Xmx")).reduce("", (_, last) -> last.substring(4));
    }

    /**
     * Adds JVM options. With {@code -XX:AOTCacheOutput=file} the child writes to a file what it learns, and with
     * {@code -XX:AOTCache=file} it starts with that; the program's classes are then in a jar beside the file.
     *
     * @param more such as {@code -XX:+UseCompactObjectHeaders}
     * @return this child
     */
    public ChildJvm options(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    /**
     * Sets the program's arguments.
     *
     * @param values each is passed as its {@code toString}
     * @return this child
     */
    public ChildJvm arguments(Object... values) {
        arguments = Arrays.stream(values).map(String::valueOf).toList();
        return this;
    }

    /**
     * Adds classes that are in no library, such as those of a notebook's cells.
     *
     * @param files the bytes of each class file, by the full name of its class
     * @return this child
     */
    public ChildJvm classes(Map<String, byte[]> files) {
        classes = Map.copyOf(files);
        return this;
    }

    /**
     * Sets an environment variable. Unlike arguments, other users of the machine cannot read it.
     *
     * @param variable the name
     * @param value the value
     * @return this child
     */
    public ChildJvm environment(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /**
     * Gives it an order, which {@link Parent#order} reads; only on the kernel's own Java.
     *
     * @param record its fields become JSON
     * @return this child
     */
    public ChildJvm order(Object record) {
        order = record;
        return this;
    }

    /**
     * Declares the CSV that the program will print: a line with these names, separated by commas, then one row per
     * line, up to an empty line or the end. Its values contain no commas and need no quotes.
     *
     * @param names the names of the columns
     * @return this child
     */
    public ChildJvm columns(String... names) {
        columns = List.of(names);
        return this;
    }

    /**
     * Sets how long it may run. After that, it is ended with all its processes.
     *
     * @param limit from 1 ms to a day; 60 s by default
     * @return this child
     * @throws IllegalArgumentException if it is out of range
     */
    public ChildJvm timeOut(Duration limit) {
        timeOut = Arguments.inRange("timeOut", limit, SHORTEST, LONGEST);
        return this;
    }

    /**
     * Sets how many native threads it may have at once, including its JVM's own 20 or so. Where the system cannot limit
     * them, a printed line says so and the child runs without a limit. A program that starts threads until one is
     * refused should therefore also take a maximum as an argument.
     *
     * @param most at least 50, since a JVM needs some to start
     * @return this child
     */
    public ChildJvm threads(int most) {
        if (most < 50) {
            throw new IllegalArgumentException(
                    "threads(%,d) is too few: a JVM needs about 20 of its own, so allow at least 50".formatted(most));
        }
        threads = most;
        return this;
    }

    /**
     * Sets how many CPUs it may run on. Where the system cannot bind it to them, a printed line says so, and only the
     * JVM's CPU count is set.
     *
     * @param n from 1 to the number of CPUs on this machine
     * @return this child
     */
    public ChildJvm cpus(int n) {
        cpus = Arguments.inRange("cpus", n, 1, Runtime.getRuntime().availableProcessors(), OF_THIS_MACHINE);
        return this;
    }

    /**
     * Sets how much CPU time it may use in each second, as the CPU limit of a pod does: a control group gives it a
     * share of each 100 ms, and the environment variable {@code THREADLAB_CPU_STAT} names the file in which the system
     * counts its throttled periods. Where no group can be created, a printed line says so, and the child is bound to
     * whole CPUs, rounded up.
     *
     * @param cpus such as 0.5; from 0.05 to the number of CPUs on this machine
     * @return this child
     * @throws IllegalArgumentException if it is out of range
     */
    public ChildJvm quota(double cpus) {
        quota = Arguments.inRange("quota", cpus, 0.05, Runtime.getRuntime().availableProcessors(), OF_THIS_MACHINE);
        return this;
    }

    /**
     * Sets how much memory it may hold in total, as the memory limit of a pod does: in a control group, whose processes
     * the system kills above the limit. Where no group can be created, a printed line says so, and only the memory size
     * that the JVM assumes is set.
     *
     * @param size such as {@code 512m} or {@code 2g}
     * @return this child
     * @throws IllegalArgumentException if it is not a size, or exceeds the machine's memory
     */
    public ChildJvm memory(String size) {
        memory = JvmOptions.bytes("a memory limit", size);
        return this;
    }

    /**
     * {@return whether a control group can enforce {@link #quota} and {@link #memory} here; not where the system has
     * none for CPU time and memory, or this user may not create one: a printed line says why}
     */
    public static boolean canLimit() {
        try {
            ControlGroup.make(Path.of("/"), 1, 1 << 30).close();
            return true;
        } catch (IOException e) {
            System.out.println("No control group can be created here: %s.".formatted(e.getMessage()));
            return false;
        }
    }

    /**
     * {@return this child, which starts faster, for a load generator: without the server libraries, whose hundred jars
     * delay the start of a JVM by half a second, and with what the set-up has learnt from a load}
     */
    public ChildJvm forLoad() {
        java = java.forLoad();
        return this;
    }

    /** {@return this child, which keeps its output out of the cell; {@link ChildRun#output} has it} */
    public ChildJvm quiet() {
        return onLine(line -> {});
    }

    /**
     * Passes its output to a consumer, line by line, as it arrives, instead of showing it in the cell.
     *
     * @param take called in the thread that waits for the child
     * @return this child
     */
    public ChildJvm onLine(Consumer<String> take) {
        taker = Objects.requireNonNull(take);
        return this;
    }

    /**
     * Runs the program until it ends. Its output appears as it arrives.
     *
     * @return how it ended, what it wrote and what it used
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended by then
     * @throws IllegalArgumentException if the program does not compile, with the compiler's messages
     */
    public ChildRun run() throws InterruptedException {
        try (var _ = CpuShare.here().measuring();
                var child = start()) {
            return child.await();
        }
    }

    /**
     * Starts the program without waiting, so that it can be observed while it runs. Closing it leaves nothing behind.
     *
     * @return the running child
     * @throws IllegalArgumentException if the program does not compile, with the compiler's messages
     */
    public RunningChild start() {
        var process = ChildProcess.start(this);
        try {
            return new RunningChild(this, process);
        } catch (OutOfMemoryError noThread) { // to read its output
            process.close();
            throw noThread;
        }
    }
}
