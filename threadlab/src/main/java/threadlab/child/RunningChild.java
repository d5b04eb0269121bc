package threadlab.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tech.tablesaw.api.Table;
import threadlab.measure.CpuShare;

/** A child JVM that runs. Closing it ends it, with all the processes that it has started. */
public final class RunningChild implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(20);
    /** Between two looks at the CPU time of its threads, which end with it. */
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(300);

    private static final Duration JCMD = Duration.ofSeconds(30);

    /** How long output is awaited after the end of the JVM, while a process that cannot be found holds it open. */
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

    private String metLimit;
    private int strays;
    private volatile Verdict.EndedBy endedBy = Verdict.EndedBy.ITSELF;
    private ChildRun result;

    RunningChild(
            String name,
            ProcessTree tree,
            Scratch scratch,
            ControlGroup group,
            Csv csv,
            Duration timeLimit,
            Transcript transcript,
            NativeLimits.Allowed allowedThreads) {
        this.name = name;
        this.tree = tree;
        this.scratch = scratch;
        this.group = group;
        this.csv = csv;
        this.timeLimit = timeLimit;
        this.transcript = transcript;
        this.allowedThreads = allowedThreads;
        peaks = new Peaks(pid());
        output = new OutputPump(tree.root(), name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * The number by which the operating system knows the child.
     *
     * @return the process id
     */
    public long pid() {
        return tree.root().pid();
    }

    /**
     * Whether the JVM still runs; what it has started may run longer.
     *
     * @return false after its end
     */
    public boolean isAlive() {
        return tree.root().isAlive();
    }

    /**
     * Asks the running JVM with the JDK's {@code jcmd}, which can look into Java 21, too.
     *
     * @param command such as {@code "Thread.dump_to_file", "-format=json", file}
     * @return what jcmd printed
     * @throws IllegalStateException if the JVM does not answer within 30 s, or with jcmd's message
     * @throws InterruptedException if the cell is interrupted
     */
    public String jcmd(String... command) throws InterruptedException {
        return jcmd(JCMD, command);
    }

    String jcmd(Duration most, String... command) throws InterruptedException {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var words = Stream.concat(Stream.of(jcmd, String.valueOf(pid())), Stream.of(command))
                .toList();
        try {
            // into a file: to read from a pipe could neither be interrupted nor limited
            var answer = Files.createTempFile("threadlab-jcmd-", ".txt");
            try {
                return ask(words, answer, most);
            } finally {
                Files.delete(answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("jcmd could not be started", e);
        }
    }

    private String ask(List<String> words, Path answer, Duration most) throws IOException, InterruptedException {
        var asked = new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(answer.toFile())
                .start();
        try {
            boolean answered = asked.waitFor(most.toNanos(), TimeUnit.NANOSECONDS);
            if (!answered || asked.exitValue() != 0) {
                throw new IllegalStateException("%s (process %d) does not answer jcmd: %s"
                        .formatted(
                                name,
                                pid(),
                                answered
                                        ? Files.readString(answer).strip()
                                        : "it was silent for " + most.toSeconds() + " s"));
            }
            return Files.readString(answer).strip();
        } finally {
            asked.destroyForcibly();
        }
    }

    /**
     * Waits for its end and shows its output as it comes.
     *
     * @return how it ended
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended then
     */
    public ChildRun await() throws InterruptedException {
        return awaitUntil(() -> false);
    }

    /**
     * Waits until it has told enough, and ends it then, or for its end. A JVM in which a thread is in native code takes
     * 0.3 s to exit (HotSpot's VM_Exit waits for it), such as one whose virtual threads have used a socket.
     *
     * @param enough whether what it has written is all that is wanted; asked after each line
     * @return how it ended; well, if it has told enough
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended then
     */
    public ChildRun awaitUntil(BooleanSupplier enough) throws InterruptedException {
        try (var cpus = CpuShare.here().measuring()) {
            long ended = 0;
            long observed = System.nanoTime();
            while (result == null) {
                var line = output.take(TICK);
                if (line != null) {
                    take(line);
                    if (isAlive() && enough.getAsBoolean()) {
                        endedBy = Verdict.EndedBy.ENOUGH_TOLD;
                        tree.kill();
                    }
                }
                if (line != null && peaks.newerThan(TICK)) {
                    continue;
                }
                peaks.observe();
                if (System.nanoTime() - observed > BETWEEN_LOOKS.toNanos()) {
                    cpus.observe();
                    observed = System.nanoTime();
                }
                if (isAlive()) {
                    endAtLimit();
                } else if (output.ended()) {
                    result = result(false);
                } else if (line == null) {
                    // something that it has started still holds its output open, and is silent: Java closes the pipe
                    // of a process that has ended as soon as another one writes into it
                    strays += tree.killStrays();
                    ended = ended == 0 ? System.nanoTime() : ended;
                    if (System.nanoTime() - ended > AFTER_END.toNanos()) {
                        result = result(true);
                    }
                }
            }
            return result;
        } finally {
            close();
        }
    }

    /** Ends the child and all the processes that it has started, and removes its files. A second call does nothing. */
    @Override
    public void close() {
        if (isAlive() && endedBy == Verdict.EndedBy.ITSELF) {
            endedBy = Verdict.EndedBy.CELL;
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

    private void endAtLimit() {
        boolean late = System.nanoTime() - start > timeLimit.toNanos();
        if (late || transcript.tooLong()) {
            endedBy = late ? Verdict.EndedBy.TIME_LIMIT : Verdict.EndedBy.OUTPUT_LIMIT;
            tree.kill();
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

    private ChildRun result(boolean held) throws InterruptedException {
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
                endedBy,
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
                exitCode,
                wall,
                peaks.memory(),
                peaks.threads(),
                group == null ? Duration.ZERO : group.throttled(),
                text,
                verdict.keepsTable() ? table : null);
    }
}
