package threadlab.jvm;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tech.tablesaw.api.Table;

/** A child JVM that runs. Closing it ends it, with all the processes that it has started. */
public final class RunningChild implements AutoCloseable {

    /** In the environment of the child and so of all its descendants, by which they are found again. */
    private static final String MARK = "THREADLAB_CHILD";

    private static final Duration TICK = Duration.ofMillis(20);
    private static final int MOST_SHOWN = 100_000;
    private static final int MOST_KEPT = 1_000_000;
    private static final int MOST_WRITTEN = 4_000_000;
    private static final int LONGEST_LINE = 8_000;

    private static final Pattern NO_NATIVE_THREAD =
            Pattern.compile("unable to create native thread|Failed to start (the native )?thread");
    private static final Pattern OUT_OF_MEMORY = Pattern.compile("java\\.lang\\.OutOfMemoryError: (.*)");
    private static final Pattern NOT_STARTED =
            Pattern.compile("Could not create the Java Virtual Machine|Error occurred during initialization of VM");

    /** A line of the child, or the end of one of its two streams. */
    private record Line(String text, boolean standard) {}

    private final Process process;
    private final Path folder;
    private final String name;
    private final String mark;
    private final Csv csv;
    private final Duration timeOut;
    private final Consumer<String> show;
    private final NativeLimits.Allowed allowedThreads;
    private final long start = System.nanoTime();
    private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(1_000);
    private final Thread hook = new Thread(this::close, "end of a child JVM");

    private final StringBuilder output = new StringBuilder();
    private long observed;
    private long written;
    private int openStreams = 2;
    private long peakMemory = -1;
    private int peakThreads = -1;
    private String metLimit;
    private boolean timedOut;
    private boolean tooMuch;
    private int strays;
    private volatile boolean closed;
    private ChildRun result;

    RunningChild(
            List<String> command,
            Path folder,
            String name,
            List<String> columns,
            Duration timeOut,
            Consumer<String> show,
            NativeLimits.Allowed allowedThreads)
            throws IOException {
        this.folder = folder;
        this.name = name;
        this.csv = new Csv(columns);
        this.timeOut = timeOut;
        this.show = show;
        this.allowedThreads = allowedThreads;
        mark = UUID.randomUUID().toString();
        var builder = new ProcessBuilder(command);
        builder.environment().put(MARK, mark);
        process = builder.start();
        Runtime.getRuntime().addShutdownHook(hook);
        read(process.inputReader(StandardCharsets.UTF_8), true);
        read(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8), false);
    }

    /**
     * The number by which the operating system knows the child.
     *
     * @return the process id
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Whether it still runs.
     *
     * @return false after its end
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Asks the running JVM with the JDK's {@code jcmd}, which can look into Java 21, too.
     *
     * @param command such as {@code "Thread.dump_to_file", "-format=json", file}
     * @return what jcmd printed
     * @throws IllegalStateException if the JVM does not answer, with jcmd's message
     * @throws InterruptedException if the cell is interrupted
     */
    public String jcmd(String... command) throws InterruptedException {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var words = Stream.concat(Stream.of(jcmd, String.valueOf(pid())), Stream.of(command))
                .toList();
        try {
            var asked = new ProcessBuilder(words).redirectErrorStream(true).start();
            try (var answer = asked.inputReader()) {
                var text = String.join("\n", answer.lines().toList());
                if (asked.waitFor() != 0) {
                    throw new IllegalStateException(
                            "%s (process %d) does not answer jcmd: %s".formatted(name, pid(), text));
                }
                return text;
            } finally {
                asked.destroyForcibly();
            }
        } catch (IOException e) {
            throw new UncheckedIOException("jcmd could not be started", e);
        }
    }

    /**
     * Waits for its end and shows its output as it comes.
     *
     * @return how it ended
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended then
     */
    public ChildRun await() throws InterruptedException {
        try {
            while (result == null) {
                var line = lines.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
                if (line != null) {
                    take(line);
                }
                if (line != null && System.nanoTime() - observed < TICK.toNanos()) {
                    continue;
                }
                observe();
                if (process.isAlive()) {
                    timedOut = System.nanoTime() - start > timeOut.toNanos();
                    tooMuch = written > MOST_WRITTEN;
                    if (timedOut || tooMuch) {
                        kill();
                    }
                } else if (openStreams == 0) {
                    result = ended();
                } else if (line == null) {
                    // something that it has started still holds its output open
                    strays += killMarked();
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
        closed = true;
        kill();
        delete(folder);
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the kernel is ending; the hook does the same
        }
    }

    private void take(Line line) {
        if (line.text == null) {
            openStreams--;
            return;
        }
        if (line.standard) {
            csv.take(line.text);
        }
        if (NO_NATIVE_THREAD.matcher(line.text).find() && metLimit == null) {
            observe();
            metLimit = NativeLimits.met(pid(), peakThreads, allowedThreads);
        }
        output.append(line.text).append('\n');
        if (output.length() > 2 * MOST_KEPT) {
            output.delete(0, output.length() - MOST_KEPT);
        }
        if (written <= MOST_SHOWN) {
            show.accept(line.text);
        }
        boolean shown = written <= MOST_SHOWN;
        written += line.text.length() + 1;
        if (shown && written > MOST_SHOWN) {
            show.accept("… (%s writes more than %,d characters; the rest is not shown)".formatted(name, MOST_SHOWN));
        }
    }

    /** Reads what the system tells about the living child; the peaks only rise. */
    private void observe() {
        observed = System.nanoTime();
        var status = Path.of("/proc", String.valueOf(pid()), "status");
        for (String kilobytes : NativeLimits.field(status, "VmHWM:")) {
            peakMemory = Math.max(peakMemory, Long.parseLong(kilobytes) * 1_024);
        }
        for (String threads : NativeLimits.field(status, "Threads:")) {
            peakThreads = Math.max(peakThreads, Integer.parseInt(threads));
        }
    }

    private ChildRun ended() throws InterruptedException {
        int exit = process.waitFor();
        var wall = Duration.ofNanos(System.nanoTime() - start);
        strays += killMarked();
        var text = output.toString();
        var ending = ending(exit, text);
        Table table = null;
        String wrong = null;
        if (csv.promised() && (ending == Ending.FINISHED || ending == Ending.NO_NATIVE_THREAD)) {
            try {
                table = csv.table(name);
            } catch (IllegalArgumentException e) {
                wrong = e.getMessage();
                ending = ending == Ending.FINISHED ? Ending.BAD_CSV : ending;
            }
        }
        var words = new StringBuilder(name).append(' ').append(inWords(ending, exit, wall, text, wrong));
        if (strays > 0) {
            words.append(" It left %,d %s running, which %s ended."
                    .formatted(strays, strays == 1 ? "process" : "processes", strays == 1 ? "was" : "were"));
        }
        return new ChildRun(ending, words.toString(), exit, wall, peakMemory, peakThreads, text, table);
    }

    private Ending ending(int exit, String text) {
        if (timedOut) {
            return Ending.TIME_OUT;
        }
        if (tooMuch) {
            return Ending.TOO_MUCH_OUTPUT;
        }
        if (closed) {
            return Ending.CLOSED;
        }
        if (exit == 0) {
            return Ending.FINISHED;
        }
        if (NOT_STARTED.matcher(text).find()) {
            return Ending.NOT_STARTED;
        }
        if (metLimit != null) {
            return Ending.NO_NATIVE_THREAD;
        }
        var memory = OUT_OF_MEMORY.matcher(text);
        if (memory.find()) {
            var kind = memory.group(1);
            if (kind.contains("etaspace") || kind.contains("class space")) {
                return Ending.OUT_OF_METASPACE;
            }
            return kind.contains("direct buffer") || kind.contains("direct memory")
                    ? Ending.OUT_OF_DIRECT_MEMORY
                    : Ending.OUT_OF_HEAP;
        }
        return exit > 128 ? Ending.SIGNAL : Ending.FAILED;
    }

    private String inWords(Ending ending, int exit, Duration wall, String text, String wrong) {
        var seconds = "%.1f s".formatted(wall.toMillis() / 1e3);
        return switch (ending) {
            case FINISHED -> "finished in %s%s.".formatted(seconds, memory());
            case FAILED -> "ended with exit code %d after %s: %s".formatted(exit, seconds, reason(text));
            case OUT_OF_HEAP ->
                "ran out of heap after %s (%s): give it a larger one with heap(…), or less to keep."
                        .formatted(seconds, kind(text));
            case OUT_OF_METASPACE ->
                "ran out of room for classes after %s (%s): allow more with options(\"-XX:MaxMetaspaceSize=…\")."
                        .formatted(seconds, kind(text));
            case OUT_OF_DIRECT_MEMORY ->
                "ran out of memory for direct buffers after %s (%s): allow more with options(\"-XX:MaxDirectMemorySize=…\")."
                        .formatted(seconds, kind(text));
            case NO_NATIVE_THREAD ->
                "could not start another native thread after %s, with %,d alive; %s."
                        .formatted(seconds, peakThreads, metLimit);
            case NOT_STARTED -> "did not start: %s".formatted(reason(text));
            case TIME_OUT ->
                "was ended when its time limit of %s was over: give it more with timeOut(…), if it was still at work."
                        .formatted(plain(timeOut));
            case TOO_MUCH_OUTPUT ->
                "was ended because it had written more than %,d characters: let it write less.".formatted(MOST_WRITTEN);
            case SIGNAL ->
                "was killed by signal %d%s"
                        .formatted(exit - 128, signal(exit - 128).formatted(seconds));
            case BAD_CSV -> "ended well, but %s: mend its output, or name other columns.".formatted(wrong);
            case CLOSED -> "was closed after %s.".formatted(seconds);
        };
    }

    private String memory() {
        return peakMemory < 0 ? "" : ", peak memory %,d MiB".formatted(peakMemory >> 20);
    }

    private static String plain(Duration duration) {
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private static String kind(String text) {
        var memory = OUT_OF_MEMORY.matcher(text);
        return memory.find() ? memory.group(1) : "OutOfMemoryError";
    }

    private static String signal(int number) {
        return switch (number) {
            case 9 -> " (SIGKILL) after %s: if nobody sent it, the system ran out of memory and chose this process.";
            case 11 -> " (SIGSEGV) after %s: native code has failed.";
            case 15 -> " (SIGTERM) after %s: someone asked it to end.";
            default -> " after %s.";
        };
    }

    /** The first line that tells why: an exception, or what the JVM says about its options. */
    private static String reason(String text) {
        return text.lines()
                .filter(line -> line.matches("(Exception in thread|Error|Unrecognized|Invalid|Caused by).*"))
                .filter(line -> !line.startsWith("Error: Could not create")
                        && !line.startsWith("Error: A fatal exception")
                        && !line.startsWith("Error occurred"))
                .findFirst()
                .or(() -> text.lines().filter(line -> !line.isBlank()).reduce((first, last) -> last))
                .map(line -> "\"" + (line.length() > 200 ? line.substring(0, 200) + "…" : line) + "\".")
                .orElse("it wrote nothing.");
    }

    /** Moves the child's output, line by line, into the queue; when the queue is full, the child waits. */
    private void read(Reader reader, boolean standard) {
        Thread.ofPlatform().daemon().name("output of " + name).start(() -> {
            try (reader) {
                var buffer = new char[8_192];
                var line = new StringBuilder();
                for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
                    for (int i = 0; i < n; i++) {
                        if (buffer[i] == '\n' || line.length() >= LONGEST_LINE) {
                            put(new Line(line.toString(), standard));
                            line.setLength(0);
                        }
                        if (buffer[i] != '\n' && buffer[i] != '\r') {
                            line.append(buffer[i]);
                        }
                    }
                }
                if (!line.isEmpty()) {
                    put(new Line(line.toString(), standard));
                }
            } catch (IOException e) {
                // the child was killed
            } finally {
                put(new Line(null, standard));
            }
        });
    }

    private void put(Line line) {
        try {
            while (!lines.offer(line, 100, TimeUnit.MILLISECONDS)) {
                if (closed) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends the child first, so that it starts nothing more, then what it has started. */
    private void kill() {
        var descendants = process.descendants().toList();
        process.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        killMarked();
        try {
            process.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends every process that carries the child's mark, also one that has left its family. A process that is quicker to
     * start others than it is killed is met again in the next round.
     */
    private int killMarked() {
        int killed = 0;
        for (int round = 0; round < 20; round++) {
            var marked = marked();
            if (marked.isEmpty()) {
                break;
            }
            marked.forEach(ProcessHandle::destroyForcibly);
            killed = Math.max(killed, marked.size());
            LockSupport.parkNanos(TICK.toNanos());
        }
        return killed;
    }

    private List<ProcessHandle> marked() {
        var own = MARK + "=" + mark;
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            return StreamSupport.stream(processes.spliterator(), false)
                    .filter(process -> !process.endsWith(String.valueOf(pid())))
                    .filter(process -> environment(process).contains(own))
                    .flatMap(process -> ProcessHandle.of(
                            Long.parseLong(process.getFileName().toString()))
                            .stream())
                    .filter(ProcessHandle::isAlive)
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static String environment(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("environ")), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    static void delete(Path folder) {
        if (folder == null || !Files.exists(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // it is in the system's folder for temporary files
        }
    }
}
