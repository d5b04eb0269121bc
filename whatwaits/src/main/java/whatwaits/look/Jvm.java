package whatwaits.look;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import whatwaits.rules.Checklist;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Observation;
import whatwaits.rules.Outside;
import whatwaits.rules.Owner;
import whatwaits.rules.Pin;
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
 * <p>The watched JVM must run on Java 17 or newer, under the same user as this one. Attaching starts its <i>attach
 * listener</i>, which stays until that JVM ends, and its <i>management agent</i>, which listens on one port of the
 * loopback interface, with a password that only this program knows, until the last {@link #close} here, or the end of
 * this JVM. One that the program has started itself, such as by {@code -Dcom.sun.management.jmxremote}, is used as it is.
 * Only one program at a time can so watch a JVM. {@link #close} leaves no port, no connection, no file and no recording
 * behind, and attaching again adds nothing.
 *
 * <p>On Java 25, a dump can end the dumped JVM if a virtual thread mounts or unmounts at that moment (JDK-8364343,
 * fixed in 26). The first dump prepares Flight Recorder there, which makes this rarer but not impossible.
 * {@link #dump}, {@link #endpoint} and {@link #pinned} take dumps, {@link #watch} and {@link #threads} do not.
 */
public final class Jvm implements AutoCloseable {

    private static final Duration DUMPS = Duration.ofMinutes(1);
    private static final Duration OBSERVED = Duration.ofSeconds(3);
    private static final Duration ROUND = Duration.ofSeconds(1);
    private static final Duration FOR_CHECKLIST = Duration.ofSeconds(2);
    private static final Requests NONE = Requests.unknown("nobody counted the requests");

    private final Connection connection;

    private Jvm(Connection connection) {
        this.connection = connection;
    }

    /** {@return the JVMs on this machine that this user may attach to, this one too, the youngest first; attaches to none} */
    public static List<LocalJvm> list() {
        return LocalJvm.list(callers());
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
        return new Jvm(Connection.to(pid, callers()));
    }

    /**
     * Main classes that only call the program's. A library that starts programs so names its class in a resource
     * {@code META-INF/whatwaits/callers}.
     */
    private static Set<String> callers() {
        var loader = Thread.currentThread().getContextClassLoader();
        var named = new HashSet<String>();
        try {
            for (var list : Collections.list(loader.getResources("META-INF/whatwaits/callers"))) {
                try (var text = list.openStream()) {
                    var lines = new String(text.readAllBytes(), StandardCharsets.UTF_8).lines();
                    lines.forEach(named::add);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return named;
    }

    /**
     * {@return the threads of a dump that was taken elsewhere: in a container, or by another user}
     *
     * @param dump a file that {@code jcmd PID Thread.dump_to_file -format=json FILE} has written
     * @throws IllegalArgumentException if there is no such file, or it holds something else
     */
    public static ThreadDump read(String dump) {
        return Dumps.read(Path.of(dump), new DumpReader(Owner::byName));
    }

    /** {@return the number of its process} */
    public long pid() {
        return connection.pid;
    }

    /** {@return the feature version of its Java, such as 21} */
    public int java() {
        return connection.java();
    }

    /**
     * Samples it ten times a second. What changes slowly (threads, collector pauses) is read once a second, because
     * each reading costs the watched JVM CPU time; all samples of that second have the same value.
     *
     * @param time how long, from 0.1 s to 10 minutes
     * @return the samples
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public List<Sample> watch(Duration time) throws InterruptedException {
        Watch.check(time);
        return connection.ask(time, () -> connection.watch().over(time));
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
        Watch.check(time);
        return connection.ask(time, () -> connection.watch().threads(time));
    }

    /**
     * Threads that pin a carrier. The JVM reports a pin when it <i>ends</i>; threads that are pinned now come from two
     * dumps, taken last, a moment apart: a thread in the same call in both is pinned; any other may hold its carrier
     * just briefly.
     *
     * @param time how long events are recorded, from 0.1 s to 10 minutes; they arrive within another second, or two on
     *     a busy machine
     * @return each pin of 1 ms or more
     * @throws IllegalStateException if the JVM ends meanwhile, or has no virtual threads
     * @throws InterruptedException if this thread is interrupted
     */
    public List<Pin> pinned(Duration time) throws InterruptedException {
        Watch.check(time);
        if (java() < 21) {
            throw new IllegalStateException(
                    "process %d has no pinned threads: Java %d has no virtual threads".formatted(pid(), java()));
        }
        return connection.ask(time.plus(DUMPS), () -> {
            var pins = new ArrayList<>(Events.pinned(connection, time));
            pins.addAll(Dumps.pinned(connection, Dumps.take(connection)));
            return pins;
        });
    }

    /**
     * {@return all threads at this moment, grouped by what they wait for; as text with one stack per group} Where threads
     * may wait for each other, it is taken again a moment later.
     *
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public ThreadDump dump() throws InterruptedException {
        return connection.ask(DUMPS, () -> Dumps.confirmed(connection, Dumps.take(connection)));
    }

    /**
     * {@return how much of each limited resource is in use, with a dump halfway, and another at the end where threads may
     * wait for each other} Where carriers or CPUs are fully used, what is on them is looked at three times more. Nobody
     * counts the requests: {@code Verdict.of} judges the rest.
     *
     * @param time how long, from 0.1 s to 10 minutes
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public Observation observe(Duration time) throws InterruptedException {
        Watch.check(time);
        var half = time.dividedBy(2).compareTo(Watch.PERIOD) < 0 ? Watch.PERIOD : time.dividedBy(2);
        return connection.ask(time, () -> {
            var system = connection.bean(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME, OperatingSystemMXBean.class);
            // each call covers the time since the one before
            system.getCpuLoad();
            var samples = new ArrayList<>(connection.watch().over(half));
            double machine = system.getCpuLoad();
            var dump = Dumps.take(connection);
            var pools = Gauges.read(connection.beans);
            int cpus = system.getAvailableProcessors();
            var moments = new ArrayList<ThreadDump>();
            var quarter = half.dividedBy(4);
            if (Observation.isCrowded(samples, cpus) && quarter.compareTo(Watch.PERIOD) >= 0) {
                for (int i = 0; i < 3; i++) {
                    samples.addAll(connection.watch().over(quarter));
                    moments.addAll(Dumps.onCarriers(connection));
                }
                samples.addAll(connection.watch().over(quarter));
            } else {
                samples.addAll(connection.watch().over(half));
            }
            machine = (machine + system.getCpuLoad()) / 2;
            if (dump.suspectsCircle()) {
                // who waits in both still waits
                dump = dump.confirmedBy(Dumps.take(connection));
            }
            dump = Dumps.corrected(connection, dump);
            return new Observation(samples, dump, pools, cpus, machine, NONE, moments, Outside.UNKNOWN);
        });
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
        if (!accessLogOrMetricsUrl.matches("(?i)https?://.*")) {
            var log = Path.of(accessLogOrMetricsUrl);
            if (!Files.isRegularFile(log)) {
                throw new IllegalArgumentException(accessLogOrMetricsUrl
                        + " is neither a file nor a URL: name an access log of Tomcat, or"
                        + " http://127.0.0.1:8080/actuator/prometheus");
            }
            try (var lines = new AccessLog(log)) {
                var observed = observe(OBSERVED);
                return Verdict.of(observed.with(lines.requests()));
            }
        }
        try (var metrics = new Metrics(accessLogOrMetricsUrl)) {
            Metrics.Reading before = null;
            var silent = "";
            try {
                before = metrics.read();
            } catch (Metrics.Silent e) {
                silent = e.getMessage();
            }
            long start = System.nanoTime();
            var observed = observe(OBSERVED);
            double seconds = (System.nanoTime() - start) / 1e9;
            if (before != null) {
                try {
                    return Verdict.of(observed.with(metrics.between(before, metrics.read(), seconds)));
                } catch (Metrics.Silent e) {
                    silent = e.getMessage();
                }
            }
            // what the JVM shows counts all the same: a saturated service has no answer to spare
            return Verdict.of(observed.with(Requests.unknown(silent)));
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
        var seen = observe(FOR_CHECKLIST);
        return checklist(seen, pinned(seen));
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
            var seen = observe(FOR_CHECKLIST);
            var pinned = pinned(seen);
            return checklist(seen.with(running.get()), pinned);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.interrupt();
        }
    }

    /** Threads that hold a carrier while they wait, seen in two dumps. */
    private List<Pin> pinned(Observation seen) throws InterruptedException {
        return connection.ask(DUMPS, () -> Dumps.pinned(connection, seen.dump()));
    }

    private List<Checklist.Line> checklist(Observation seen, List<Pin> pinned) throws InterruptedException {
        return connection.ask(DUMPS, () -> {
            var memory = connection.bean(ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
            var used = memory.getHeapMemoryUsage();
            long[] heap = {used.getUsed(), used.getMax()};
            return Checklist.of(seen, connection.release.toString(), pinned, heap, KnownDefects.all());
        });
    }

    private Thread start(FutureTask<Requests> load) {
        return Thread.ofPlatform().daemon().name("load on process " + pid()).start(load);
    }

    /** Closes the connection, and the port with the last one; the JVM keeps running. A second call does nothing. */
    @Override
    public void close() {
        connection.close();
    }

    /** What can be seen there, and what cannot. */
    @Override
    public String toString() {
        return connection.toString();
    }
}
