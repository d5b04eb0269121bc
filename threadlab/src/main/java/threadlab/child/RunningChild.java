package threadlab.child;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import tech.tablesaw.api.Table;
import threadlab.measure.CpuShare;

/**
 * A running child JVM. Closing it ends it and all the processes that it has started.
 *
 * <pre>
 *              it exits, or is killed: enough read,
 *              a limit, closed by the cell             its output is read, or held open for too long
 *     Running ---------------------------------&gt; Ending --------------------------------------&gt; Ended
 * </pre>
 */
public final class RunningChild implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(20);
    private static final Duration JCMD = Duration.ofSeconds(30);

    /** How long to wait for output after the JVM has ended, while a process that cannot be found holds it open. */
    private static final Duration AFTER_END = Duration.ofSeconds(1);

    private static final Pattern NO_NATIVE_THREAD =
            Pattern.compile("unable to create native thread|Failed to start (the native )?thread");

    private final String name;
    private final ProcessTree tree;
    private final Scratch scratch;
    private final ControlGroup group;
    private final Csv csv;
    private final Duration timeLimit;
    private final Transcript transcript;
    private final NativeLimits.Allowed allowedThreads;
    private final long start = System.nanoTime();
    private final Peaks peaks;
    private final OutputPump output;
    private final Thread hook = new Thread(this::close, "end of a child JVM");

    private sealed interface State {}

    /** The JVM may have exited a moment ago. */
    private record Running() implements State {}

    /**
     * The JVM is gone, or is being killed.
     *
     * @param by what ended it
     * @param nanos the time when this began
     */
    private record Ending(Verdict.EndedBy by, long nanos) implements State {}

    /** All that is known about it is in the run. */
    private record Ended(ChildRun run) implements State {}

    private volatile State state = new Running();

    /**
     * Evidence for the verdict: the limit on threads that was met, if any, and how many processes were left running.
     */
    private String metLimit;

    private int strays;

    RunningChild(
            ChildJvm set, ProcessTree tree, Scratch scratch, ControlGroup group, NativeLimits.Allowed allowedThreads) {
        name = set.mainClass;
        csv = new Csv(set.columns);
        timeLimit = set.timeOut;
        transcript = new Transcript(name, set.taker);
        this.tree = tree;
        this.scratch = scratch;
        this.group = group;
        this.allowedThreads = allowedThreads;
        peaks = new Peaks(pid());
        output = new OutputPump(tree.root(), name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * The number of the child's process in the operating system.
     *
     * @return the process id
     */
    public long pid() {
        return tree.root().pid();
    }

    /**
     * Whether the JVM is still running; processes that it has started may run longer.
     *
     * @return false after its end
     */
    public boolean isAlive() {
        return tree.root().isAlive();
    }

    /**
     * Sends a command to the running JVM with the JDK's {@code jcmd}, which also works with Java 21.
     *
     * @param command such as {@code "Thread.dump_to_file", "-format=json", file}
     * @return what jcmd printed
     * @throws IllegalStateException if the JVM does not answer within 30 s, or jcmd fails, with its message
     * @throws InterruptedException if the cell is interrupted
     */
    public String jcmd(String... command) throws InterruptedException {
        return Jcmd.ask(name, pid(), JCMD, command);
    }

    /**
     * Waits until it ends and shows its output as it arrives.
     *
     * @return how it ended
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended by then
     */
    public ChildRun await() throws InterruptedException {
        return awaitUntil(() -> false);
    }

    /**
     * Waits until its output suffices and then ends it, or until it ends on its own. A JVM with a thread in native
     * code, such as one whose virtual threads have used a socket, takes 0.3 s to exit (HotSpot's VM_Exit waits for it).
     *
     * @param enough whether its output so far suffices; asked after each line
     * @return how it ended; successfully if its output sufficed
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended by then
     */
    public ChildRun awaitUntil(BooleanSupplier enough) throws InterruptedException {
        try {
            while (true) {
                if (state instanceof Ended(var run)) {
                    return run;
                }
                var line = output.take(TICK);
                if (line != null) {
                    take(line);
                    if (isAlive() && enough.getAsBoolean()) {
                        end(Verdict.EndedBy.ENOUGH_TOLD);
                    }
                }
                if (line == null || !peaks.newerThan(TICK)) {
                    peaks.observe();
                    CpuShare.here().observe();
                    observe(line == null);
                }
            }
        } finally {
            close();
        }
    }

    /** Moves to the next state when that is due. */
    private void observe(boolean silent) throws InterruptedException {
        if (isAlive()) {
            boolean late = System.nanoTime() - start > timeLimit.toNanos();
            if (late || transcript.tooLong()) {
                end(late ? Verdict.EndedBy.TIME_LIMIT : Verdict.EndedBy.OUTPUT_LIMIT);
            }
            return;
        }
        var ending = ending(Verdict.EndedBy.ITSELF);
        boolean held = false;
        if (!output.ended()) {
            if (!silent) {
                return;
            }
            // a process that the child has started holds the child's output open without writing; if it wrote, Java
            // would close the pipe, because the child has ended
            strays += tree.killStrays();
            held = System.nanoTime() - ending.nanos > AFTER_END.toNanos();
            if (!held) {
                return;
            }
        }
        state = new Ended(result(ending.by, held));
    }

    private void end(Verdict.EndedBy by) {
        ending(by);
        tree.kill();
    }

    /** The first cause counts: the cell may close a child while another thread awaits its end. */
    private synchronized Ending ending(Verdict.EndedBy by) {
        if (state instanceof Ending first) {
            return first;
        }
        var ending = new Ending(by, System.nanoTime());
        state = ending;
        return ending;
    }

    /** Ends the child and all the processes that it has started, and removes its files. A second call does nothing. */
    @Override
    public void close() {
        if (isAlive()) {
            ending(Verdict.EndedBy.CELL);
        }
        output.stop();
        tree.kill();
        scratch.delete();
        if (group != null) {
            group.close();
        }
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the kernel is ending; the hook does the same
        }
    }

    private void take(OutputPump.Line line) {
        if (line.standard()) {
            csv.take(line.text());
        }
        if (metLimit == null && NO_NATIVE_THREAD.matcher(line.text()).find()) {
            peaks.observe();
            metLimit = NativeLimits.met(pid(), peaks.threads(), allowedThreads);
        }
        transcript.add(line.text());
    }

    private ChildRun result(Verdict.EndedBy by, boolean held) throws InterruptedException {
        int exitCode = tree.root().waitFor();
        var wall = Duration.ofNanos(System.nanoTime() - start);
        strays += tree.killStrays();
        Table table = null;
        String csvFault = null;
        if (csv.promised()) {
            try {
                table = csv.table(name);
            } catch (IllegalArgumentException e) {
                csvFault = e.getMessage();
            }
        }
        var text = transcript.text();
        var verdict = Verdict.of(new Verdict.Evidence(
                name,
                by,
                exitCode,
                wall,
                timeLimit,
                text,
                csvFault,
                metLimit,
                peaks.memory(),
                peaks.threads(),
                strays,
                held));
        return new ChildRun(
                verdict.reason(),
                verdict.sentence(),
                peaks.memory(),
                peaks.threads(),
                group == null ? Duration.ZERO : group.throttled(),
                text,
                verdict.keepsTable() ? table : null);
    }
}
