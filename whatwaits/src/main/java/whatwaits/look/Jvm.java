package whatwaits.look;

import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import whatwaits.rules.Checklist;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Observation;
import whatwaits.rules.Owner;
import whatwaits.rules.Pin;
import whatwaits.rules.PoolFigures;
import whatwaits.rules.Requests;
import whatwaits.rules.Sample;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.Verdict;

/**
 * A running JVM on this machine, seen from outside: its threads over time, what they wait for, which of them hold a
 * carrier, and which limit it reaches.
 *
 * <pre>{@code
 * Jvm.list()
 * try (var service = Jvm.attach(4711)) {
 *     System.out.println(service.dump());
 *     System.out.println(service.endpoint("http://127.0.0.1:8080/actuator/prometheus"));
 * }
 * }</pre>
 *
 * <p>The watched JVM must run on Java 21 or newer, under the same user as this one, or this one is root's. What is seen
 * comes by the commands of {@code jcmd}, as {@link Look} has them: no agent is loaded there and no port opened. Attaching
 * starts its <i>attach listener</i>, which stays until that JVM ends; its own JVM is asked without. No connection, no
 * file and no recording is left behind. A pool's own figures come from its management beans, in this JVM alone; of
 * another one's pools, its metrics tell.
 *
 * <p>On Java 25, a dump can end the dumped JVM if a virtual thread mounts or unmounts at that moment (JDK-8364343,
 * fixed in 26). Flight Recorder, which is started for that, makes this rarer but not impossible. {@link #dump},
 * {@link #endpoint}, {@link #checklist} and {@link #pinned} take dumps, {@link #watch} and {@link #threads} do not.
 */
public final class Jvm implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofMillis(100);
    private static final Duration SLOWLY = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Duration OBSERVED = Duration.ofSeconds(3);
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final Duration FOR_CHECKLIST = Duration.ofSeconds(2);

    private final Reach reach;
    private volatile boolean closed;

    private Jvm(Reach reach) {
        this.reach = reach;
    }

    /** {@return the JVMs on this machine that this user may attach to, this one too, the youngest first; attaches to none} */
    public static List<LocalJvm> list() {
        return Target.all();
    }

    /**
     * Attaches to a JVM on this machine. A JVM can also watch itself.
     *
     * @param pid the number of its process, as {@link #list} shows it
     * @return the attached JVM; as text it says what can be seen there, and what cannot
     * @throws IllegalArgumentException if there is no such process, or it cannot be attached to: one sentence says why,
     *     and what to do instead
     */
    public static Jvm attach(long pid) {
        try {
            return new Jvm(Reach.to(pid));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException("interrupted before process %d answered".formatted(pid));
        }
    }

    /**
     * {@return the threads of a dump that was taken elsewhere: in a container, or by another user}
     *
     * @param dump a file that {@code jcmd PID Thread.dump_to_file -format=json FILE} has written
     * @throws IllegalArgumentException if there is no such file, or it holds something else
     */
    public static ThreadDump read(String dump) {
        var file = Path.of(dump);
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("there is no file " + file);
        }
        try (var text = Files.newBufferedReader(file)) {
            return new DumpReader(Owner::byName).read(text);
        } catch (MalformedJsonException | EOFException | IllegalStateException | NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%s is not a thread dump in JSON: write one with jcmd PID Thread.dump_to_file -format=json FILE"
                            .formatted(file),
                    e);
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    /** {@return the number of its process} */
    public long pid() {
        return reach.pid;
    }

    /** {@return the feature version of its Java, such as 21} */
    public int java() {
        return reach.java;
    }

    private static void check(Duration time) {
        if (time.compareTo(PERIOD) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "time is %s s, but must be from 0.1 s to 10 minutes".formatted(time.toMillis() / 1e3));
        }
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException(
                    "the connection to process %d is closed: attach again with Jvm.attach(%d)".formatted(pid(), pid()));
        }
    }

    /**
     * Samples it ten times a second. Its threads are read once a second, because that stops all of them for a moment; all
     * samples of that second have the same value.
     *
     * @param time how long, from 0.1 s to 10 minutes
     * @return the samples
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public List<Sample> watch(Duration time) throws InterruptedException {
        check(time);
        requireOpen();
        try {
            var sampling = new Sampling(reach, PERIOD);
            sampling.print();
            sampling.read();
            sampling.until(0, time, SLOWLY);
            sampling.print();
            sampling.read();
            return sampling.samples();
        } catch (IOException e) {
            throw reach.ended(e);
        }
    }

    /**
     * {@return how much CPU time each platform thread uses, including carriers, the busiest first; the last, {@code (JVM
     * itself)}, is what the process used besides them}
     *
     * @param time how long it is observed, from 0.1 s to 10 minutes
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public List<ThreadUse> threads(Duration time) throws InterruptedException {
        check(time);
        requireOpen();
        try {
            var sampling = new Sampling(reach, PERIOD);
            double before = reach.cpuSeconds();
            sampling.print();
            Thread.sleep(time);
            sampling.print();
            return sampling.threads(1e3 * (reach.cpuSeconds() - before));
        } catch (IOException e) {
            throw reach.ended(e);
        }
    }

    /**
     * Threads that pin a carrier. The JVM reports a pin when it <i>ends</i>; threads that are pinned now come from a dump
     * halfway, and a look a moment later: a thread in the same line in both is pinned; any other may hold its carrier
     * just briefly.
     *
     * @param time how long events are recorded, from 0.1 s to 10 minutes
     * @return each pin of 1 ms or more, those of now first
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public List<Pin> pinned(Duration time) throws InterruptedException {
        return look(time, reading -> reading.carriers().pins());
    }

    /**
     * {@return all threads at this moment, grouped by what they wait for; as text with one stack per group} Where threads
     * may wait for each other, it is taken again a moment later.
     *
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public ThreadDump dump() throws InterruptedException {
        requireOpen();
        return Report.of(new Look(reach, System.nanoTime()).dump(), List.of(), reading -> reading.dump);
    }

    /**
     * {@return how much of each limited resource is in use, with a dump halfway, and another at the end where threads may
     * wait for each other} What is on carriers and CPUs is looked at twice more. Nobody counts the requests:
     * {@code Verdict.of} judges the rest.
     *
     * @param time how long, from 0.1 s to 10 minutes
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public Observation observe(Duration time) throws InterruptedException {
        return look(time, Report.Reading::observation);
    }

    private <T> T look(Duration time, Function<Report.Reading, T> asked) throws InterruptedException {
        check(time);
        requireOpen();
        var evidence = new Look(reach, System.nanoTime()).look(Look.Wish.of(time));
        boolean own = reach.commands instanceof OwnCommands;
        var pools = own ? Gauges.here() : List.<PoolFigures>of();
        return Report.of(evidence, pools, asked);
    }

    /**
     * Which limit an endpoint meets: its throughput and latency over three seconds, and what was in use meanwhile.
     *
     * @param accessLogOrMetricsUrl the file of a Tomcat access log whose lines end in the time taken ({@code %D}, Tomcat
     *     10.1 or newer; the lines written meanwhile count, so set {@code server.tomcat.accesslog.buffered=false}), or
     *     the URL, on this machine, of Prometheus text ({@code …/actuator/prometheus}) or of an Actuator
     *     ({@code …/actuator/metrics})
     * @return X, W, L = X · W, and the limits; X and W are unknown where a service does not answer, or its log has another
     *     format
     * @throws IllegalArgumentException if it is neither, or there is something else at that address
     * @throws InterruptedException if this thread is interrupted
     */
    public Verdict endpoint(String accessLogOrMetricsUrl) throws InterruptedException {
        try (var counter = new Counter(accessLogOrMetricsUrl, OBSERVED)) {
            counter.begin();
            var observed = observe(OBSERVED);
            return Verdict.of(observed.with(counter.end()));
        }
    }

    /**
     * {@return X, W, L = X · W of a load, and which limit it meets} It is observed in rounds of about a second. The round
     * whose dump has the most waiting threads counts, except the last, in which an overloaded service works off its
     * backlog; the first, in which the load starts, counts only if there is no other.
     *
     * @param load runs a load and returns the requests that it has sent
     * @throws Exception what the load throws
     */
    public Verdict endpoint(Callable<Requests> load) throws Exception {
        var running = new FutureTask<>(load);
        var thread = start(running);
        try {
            var busiest = busiest(() -> observe(ROUND), running::isDone);
            return Verdict.of(busiest.with(running.get()));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.interrupt();
        }
    }

    static Observation busiest(Callable<Observation> round, BooleanSupplier ended) throws Exception {
        var first = round.call();
        Observation most = null;
        while (!ended.getAsBoolean()) {
            var next = round.call();
            if (!ended.getAsBoolean() && (most == null || next.waiting() >= most.waiting())) {
                most = next;
            }
        }
        return most == null ? first : most;
    }

    /**
     * {@return what to check before and after this service is switched to virtual threads, filled in as far as can be seen
     * from outside} Takes about three seconds. Nobody counts the requests, so what only a load can refute stays open.
     *
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public List<Checklist.Line> checklist() throws InterruptedException {
        return checklist(seen(), null);
    }

    /**
     * {@return the checklist under a load} It is observed after the load's first two seconds, for about three.
     *
     * @param load runs a load, of six seconds or more, and returns the requests that it has sent
     * @throws Exception what the load throws
     */
    public List<Checklist.Line> checklist(Callable<Requests> load) throws Exception {
        var running = new FutureTask<>(load);
        var thread = start(running);
        try {
            Thread.sleep(FOR_CHECKLIST);
            var seen = seen();
            return checklist(seen, running.get());
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.interrupt();
        }
    }

    private record Seen(Observation observed, List<Pin> pins) {}

    private Seen seen() throws InterruptedException {
        return look(
                FOR_CHECKLIST,
                reading -> new Seen(reading.observation(), reading.carriers().pins()));
    }

    private List<Checklist.Line> checklist(Seen seen, Requests requests) throws InterruptedException {
        var observed = requests == null ? seen.observed : seen.observed.with(requests);
        try {
            return Checklist.of(observed, reach.version, seen.pins, reach.heap(), KnownDefects.all());
        } catch (IOException e) {
            throw reach.ended(e);
        }
    }

    private Thread start(FutureTask<Requests> load) {
        return Thread.ofPlatform().daemon().name("load on process " + pid()).start(load);
    }

    /** Ends looking; the JVM keeps running. A second call does nothing. */
    @Override
    public void close() {
        closed = true;
    }

    /** What can be seen there, and what cannot. */
    @Override
    public String toString() {
        var lines = new ArrayList<String>();
        lines.add("Process %d, %s, on Java %d.".formatted(pid(), reach.main, java()));
        lines.add(
                java() < Reach.SCHEDULER_SINCE
                        ? "Seen: threads, CPU time, pins, dumps. Not seen before Java 24: mounted, queued, parallelism,"
                                + " pool size, and the reason of a pin. A virtual thread that waits to enter"
                                + " synchronized looks like one that computes."
                        : "Seen: threads, CPU time, the scheduler, pins, dumps.");
        if (reach.dumpIsRisky()) {
            lines.add("A dump may crash it while its virtual threads are busy: a bug in Java 25 (JDK-8364343).");
        }
        if (!(reach.commands instanceof OwnCommands)) {
            lines.add("Its attach listener stays until that JVM ends; no agent is loaded and no port opened.");
        }
        return String.join(System.lineSeparator(), lines);
    }
}
