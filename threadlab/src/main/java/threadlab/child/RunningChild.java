package threadlab.child;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import tech.tablesaw.api.Table;
import threadlab.measure.Trials;
import threadlab.support.CpuShare;
import threadlab.support.Standstill;

/** A running child JVM. Closing it ends it and all the processes that it has started. */
// longer than other classes: half of it is Javadoc for those who start a child
public final class RunningChild implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(20);
    private static final Duration JCMD = Duration.ofSeconds(30);

    /** How long to wait for output after the JVM has ended, while a process that cannot be found holds it open. */
    private static final Duration AFTER_END = Duration.ofSeconds(1);

    private static final Pattern NO_NATIVE_THREAD =
            Pattern.compile("unable to create native thread|Failed to start (the native )?thread");

    private final String name;
    private final ChildProcess process;
    /** Null if no CSV is promised. */
    private final Csv csv;

    private final Duration timeLimit;
    private final String heap;
    private final Transcript transcript;
    private final long start = System.nanoTime();
    private final OutputPump output;
    /** What it has answered, by the names of the records. */
    private final Map<String, BlockingQueue<JsonElement>> answers = new ConcurrentHashMap<>();

    private final Thread hook = new Thread(this::close, "end of a child JVM");
    private volatile boolean closed;

    /** When its end began: the JVM is gone, or is being killed; 0 while it runs. */
    private long endNanos;
    /** What ended it; null if it ended itself. */
    private ExitReason endedBy;
    /** All that is known about it, when its output is read, or was held open for too long. */
    private volatile ChildRun run;
    /** Whether what holds the output open was ended, as far as it could be found. */
    private boolean swept;
    /** How long everything stood still while it was awaited, in ns: none of its time. */
    private long stood;
    /** A longer stop of the whole program, in which its threads did not run. */
    Duration standstill = Duration.ofSeconds(Trials.STANDSTILL);
    /** The limit on threads that was met, in words; null for none. */
    private String metLimit;

    RunningChild(ChildJvm set, ChildProcess process) {
        name = set.mainClass;
        csv = set.columns.isEmpty() ? null : new Csv(set.columns);
        timeLimit = set.timeOut;
        heap = set.heap();
        transcript = new Transcript(name, set.taker);
        this.process = process;
        output = new OutputPump(process.root, name);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /** {@return the number of the child's process in the operating system} */
    public long pid() {
        return process.root.pid();
    }

    /** {@return whether the JVM is still running; processes that it has started may run longer} */
    public boolean isAlive() {
        return process.root.isAlive();
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
     * Asks a question, which {@link Parent#answerQuestions} answers.
     *
     * @param question a record
     * @throws IOException if it has ended
     */
    public synchronized void ask(Object question) throws IOException {
        var in = process.root.getOutputStream();
        in.write((Parent.write(question) + "\n").getBytes(StandardCharsets.UTF_8));
        in.flush();
    }

    /**
     * Takes the answers of a type that have arrived.
     *
     * @param <T> their type
     * @param type the record that {@link Parent#answer} was given
     * @return in order; each is taken once
     */
    public <T> List<T> answers(Class<T> type) {
        var arrived = new ArrayList<JsonElement>();
        waiting(type.getSimpleName()).drainTo(arrived);
        return arrived.stream().map(json -> Parent.read(json, type)).toList();
    }

    /**
     * Waits for the next answer of a type, while another thread awaits the end of the child.
     *
     * @param <T> its type
     * @param type the record that {@link Parent#answer} was given
     * @param most how long to wait
     * @return the answer; null if none has come in this time, or the child has ended without
     * @throws InterruptedException if the calling thread is interrupted
     */
    public <T> T answer(Class<T> type, Duration most) throws InterruptedException {
        var arrived = waiting(type.getSimpleName());
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < most.toNanos()) {
            boolean ended = closed;
            var next = arrived.poll(TICK.toMillis(), TimeUnit.MILLISECONDS);
            if (next != null) {
                return Parent.read(next, type);
            }
            if (ended) {
                break;
            }
        }
        return null;
    }

    /**
     * Waits for its first answer, and from now on for its end in a thread of its own. If no answer comes, {@link #await}
     * tells why it has ended, or it is still running. An interrupt closes it.
     *
     * @param <T> the type of the answer
     * @param type the record that {@link Parent#answer} was given
     * @param most how long to wait
     * @param ended told of its end if it has answered and is not closed by the cell
     * @return the answer; null if none has come
     * @throws InterruptedException if the calling thread is interrupted
     */
    public <T> T ready(Class<T> type, Duration most, Consumer<ChildRun> ended) throws InterruptedException {
        var answered = new CompletableFuture<T>();
        Thread.ofPlatform().daemon().name("end of " + name).start(() -> {
            try {
                var end = await();
                if (answered.join() != null && end.reason() != ExitReason.CLOSED) {
                    ended.accept(end);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            answered.complete(answer(type, most));
            return answered.join();
        } finally {
            if (answered.complete(null)) {
                close();
            }
        }
    }

    private BlockingQueue<JsonElement> waiting(String type) {
        return answers.computeIfAbsent(type, _ -> new LinkedBlockingQueue<>());
    }

    /**
     * Waits until it ends and shows its output as it arrives.
     *
     * @return how it ended
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended by then
     */
    public ChildRun await() throws InterruptedException {
        tells(() -> false);
        return run;
    }

    /**
     * Waits until it has told enough and lets it run on, to be asked the next question.
     *
     * @param enough whether what it has told suffices; asked after each line, and every 20 ms
     * @return whether it has told enough; if not, it has ended, and {@link #await} tells why
     * @throws InterruptedException if the cell is interrupted; the child and its processes have ended by then
     */
    public boolean tells(BooleanSupplier enough) throws InterruptedException {
        boolean told = false;
        var still = new Standstill(standstill);
        try {
            while (!told && run == null) {
                var line = output.take(TICK);
                if (line != null) {
                    take(line);
                }
                stood += still.look();
                observe(line == null);
                told = enough.getAsBoolean();
            }
            return told;
        } finally {
            if (!told) {
                close();
            }
        }
    }

    /** Ends it when that is due, and judges its end. */
    private void observe(boolean silent) throws InterruptedException {
        if (!silent && process.observedWithin(TICK)) {
            return;
        }
        process.observe();
        CpuShare.here().observe();
        if (isAlive()) {
            boolean late = System.nanoTime() - start - stood > timeLimit.toNanos();
            if (late || transcript.tooLong()) {
                end(late ? ExitReason.TIME_OUT : ExitReason.TOO_MUCH_OUTPUT);
            }
            return;
        }
        long since = ending(null);
        if (output.ended()) {
            run = result(false);
        } else if (silent) {
            // a process that the child has started holds the child's output open without writing; if it wrote, Java
            // would close the pipe, because the child has ended
            if (!swept) {
                swept = true;
                process.kill();
            }
            if (System.nanoTime() - since > AFTER_END.toNanos()) {
                run = result(true);
            }
        }
    }

    private void end(ExitReason by) {
        ending(by);
        process.kill();
    }

    /** The first cause counts: the cell may close a child while another thread awaits its end. */
    private synchronized long ending(ExitReason by) {
        if (endNanos == 0) {
            endedBy = by;
            endNanos = System.nanoTime();
        }
        return endNanos;
    }

    /** Ends the child and all the processes that it has started, and removes its files. A second call does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (isAlive()) {
            ending(ExitReason.CLOSED);
        }
        output.stop();
        process.close();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the kernel is ending; the hook does the same
        }
    }

    private void take(OutputPump.Line line) {
        var text = line.text();
        int answer = line.standard() ? text.indexOf(Parent.ANSWER) : -1;
        if (answer >= 0) {
            takeAnswer(text.substring(answer + Parent.ANSWER.length()));
            text = text.substring(0, answer);
        }
        if (answer == 0) {
            return;
        }
        if (line.standard() && csv != null) {
            csv.take(text);
        }
        if (metLimit == null && NO_NATIVE_THREAD.matcher(text).find()) {
            metLimit = process.metLimit();
        }
        transcript.add(text);
    }

    private void takeAnswer(String json) {
        try {
            var named = JsonParser.parseString(json).getAsJsonObject().asMap();
            named.forEach((type, answer) -> waiting(type).add(answer));
        } catch (JsonParseException e) {
            // the child has died in the middle of it
        }
    }

    private ChildRun result(boolean held) throws InterruptedException {
        int code = process.root.waitFor();
        var wall = Duration.ofNanos(System.nanoTime() - start);
        Table table = null;
        String csvFault = null;
        if (csv != null) {
            try {
                table = csv.table(name);
            } catch (IllegalArgumentException e) {
                csvFault = e.getMessage();
            }
        }
        var text = transcript.text();
        long memory = process.memory;
        int threads = process.threads;
        var exit =
                new Exit(name, endedBy, code, wall, timeLimit, heap, text, csvFault, metLimit, memory, threads, held);
        var kept = exit.keepsTable() ? table : null;
        return new ChildRun(exit.reason(), exit.sentence(), memory, threads, process.throttled(), text, kept);
    }
}
