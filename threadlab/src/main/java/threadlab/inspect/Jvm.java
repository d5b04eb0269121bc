package threadlab.inspect;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/**
 * A running JVM on this machine, seen from outside: its threads over time, what they wait for, which of them hold a
 * carrier, and which limit it reaches.
 *
 * <pre>{@code
 * Jvm.list()
 * try (var service = Jvm.attach(4711)) {
 *     Plots.overTime(service.watch(Duration.ofSeconds(5)), "mounted", "queued");
 *     service.dump();
 * }
 * }</pre>
 *
 * <p>The watched JVM must run on Java 17 or newer, under the same user as this one. Nothing is changed in it except
 * what the JDK's management agent needs: attaching starts its <i>attach listener</i> and its <i>local management
 * agent</i>, which stay until that JVM ends. The agent listens on a port of all network interfaces, because the JDK
 * binds it that way, and closes each connection from another machine before reading from it; no documented means binds
 * it to the loopback interface or ends it ({@code jcmd PID ManagementAgent.stop} ends only a remote agent).
 * {@link #close} leaves no connection and no recording behind, and attaching again adds nothing.
 *
 * <p>On Java 25, a dump can end the dumped JVM if a virtual thread mounts or unmounts at that moment (JDK-8364343,
 * fixed in 26). The first dump prepares Flight Recorder there, which makes this rarer but not impossible.
 * {@link #dump}, {@link #endpoint} and {@link #pinned} take dumps, {@link #watch} and {@link #threads} do not.
 */
public final class Jvm implements AutoCloseable {

    private static final Duration DUMPS = Duration.ofMinutes(1);
    private static final Duration OBSERVED = Duration.ofSeconds(3);
    private static final Duration ROUND = Duration.ofSeconds(1);

    private final Connection connection;

    private Jvm(Connection connection) {
        this.connection = connection;
    }

    /**
     * The JVMs on this machine that this user may attach to, including this notebook's own. It attaches to none.
     *
     * @return columns {@code pid}, {@code main} (the main class or the jar, without arguments), {@code java} (the
     *     version in the file {@code release} of its home; missing if there is no such file), {@code up (s)} (since its
     *     start); the youngest first
     */
    public static Table list() {
        return LocalJvms.list();
    }

    /**
     * Attaches to a JVM on this machine. A JVM can also watch itself.
     *
     * @param pid the number of its process, as {@link #list} shows it
     * @return the attached JVM; as the last expression of a cell it says what can be seen there, and what cannot
     * @throws IllegalArgumentException if there is no such process, or it cannot be attached to: one sentence says why,
     *     and what to do instead
     */
    public static Jvm attach(long pid) {
        return new Jvm(Connection.to(pid));
    }

    /**
     * Reads a dump that was taken elsewhere: in a container, or by another user.
     *
     * @param dump a file that {@code jcmd PID Thread.dump_to_file -format=json FILE} has written
     * @return the threads of the dump
     * @throws IllegalArgumentException if there is no such file, or it holds something else
     */
    public static ThreadDump read(String dump) {
        return DumpFile.read(Path.of(dump));
    }

    /**
     * The number of its process.
     *
     * @return the process id
     */
    public long pid() {
        return connection.pid();
    }

    /**
     * The feature version of its Java.
     *
     * @return such as 21
     */
    public int java() {
        return connection.java();
    }

    /**
     * Samples it ten times a second. What changes slowly (threads, collector pauses) is read once a second, because
     * each reading costs the watched JVM CPU time; all rows of that second have the same value.
     *
     * @param time how long, from 0.1 s to 10 minutes
     * @return a table for {@code Plots.overTime}, one row per sample: {@code seconds} (since the start);
     *     {@code platform threads} (live ones, including carriers); {@code mounted} (virtual threads on a carrier, as
     *     the scheduler counts them: those for which it has added a carrier are left out); {@code queued} (virtual
     *     threads that could run but wait for a carrier); {@code parallelism} and {@code pool size} (carriers that may
     *     run at the same time, and all carriers); {@code CPUs} (busy with this process, the mean since the row
     *     before); {@code GC (ms)} (pauses of the collector in that second); then for each pool of platform threads, by
     *     its name without the thread's number, {@code threads NAME} and {@code CPUs NAME} (busy with the pool, the
     *     mean of that second). The carriers are the pool {@code ForkJoinPool-1-worker}. Before Java 24, the
     *     four columns of the scheduler have no values
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if the cell is interrupted
     */
    public Table watch(Duration time) throws InterruptedException {
        Watch.checked(time);
        return connection.ask(time, () -> connection.watch().over(time));
    }

    /**
     * How much CPU time each platform thread uses, including carriers.
     *
     * @param time how long it is observed, from 0.1 s to 10 minutes
     * @return columns {@code thread}, {@code pool}, {@code id}, {@code CPU (ms)} (in that time), {@code CPUs} (the
     *     mean, 1 for a thread that was always busy), the busiest first; the last row, {@code (JVM itself)}, is what
     *     the process used besides them: compilers, collector
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if the cell is interrupted
     */
    public Table threads(Duration time) throws InterruptedException {
        Watch.checked(time);
        return connection.ask(time, () -> connection.watch().threads(time));
    }

    /**
     * Threads that pin a carrier. The JVM reports a pin when it <i>ends</i>; threads that are pinned now come from two
     * dumps, taken last, a moment apart: a thread in the same call in both is pinned; any other may hold its carrier
     * just briefly.
     *
     * @param time how long events are recorded, from 0.1 s to 10 minutes; they arrive within another second, or two on
     *     a busy machine
     * @return a row for each pin of 1 ms or more: {@code seen} ({@code ended}; {@code now} for one that both dumps
     *     show; {@code now, in one of two dumps} for others), {@code thread}, {@code operation} and {@code reason}
     *     (missing before Java 24), {@code carrier}, {@code milliseconds} (missing for {@code now}), {@code where} (the
     *     line: the first frame that is not the JDK's), {@code stack}
     * @throws IllegalStateException if the JVM ends meanwhile, or has no virtual threads
     * @throws InterruptedException if the cell is interrupted
     */
    public Table pinned(Duration time) throws InterruptedException {
        Watch.checked(time);
        requireVirtual("pinned threads");
        var most = time.plus(DUMPS);
        return connection.ask(
                most, () -> Events.pinned(connection, time).append(Dumps.pinned(connection, Dumps.take(connection))));
    }

    /**
     * All threads at this moment, virtual and platform, grouped by what they wait for.
     *
     * @return the groups; as the last expression of a cell they are shown with one stack per group
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if the cell is interrupted
     */
    public ThreadDump dump() throws InterruptedException {
        return connection.ask(DUMPS, () -> Dumps.take(connection));
    }

    /**
     * Which limit an endpoint meets: its throughput and latency over three seconds, and what was in use meanwhile.
     *
     * @param accessLogOrMetricsUrl the file of a Tomcat access log whose lines end in the time taken ({@code %D}, Tomcat
     *     10.1 or newer; the lines written meanwhile count, so set {@code server.tomcat.accesslog.buffered=false}), or
     *     the URL, on this machine, of Prometheus text ({@code …/actuator/prometheus}) or of an Actuator
     *     ({@code …/actuator/metrics})
     * @return X, W, L = X · W, and the limits
     * @throws IllegalArgumentException if it is neither, or its format is not known
     * @throws InterruptedException if the cell is interrupted
     */
    public Limits endpoint(String accessLogOrMetricsUrl) throws InterruptedException {
        return endpoint(accessLogOrMetricsUrl, OBSERVED);
    }

    Limits endpoint(String accessLogOrMetricsUrl, Duration time) throws InterruptedException {
        Watch.checked(time);
        if (!accessLogOrMetricsUrl.matches("(?i)https?://.*")) {
            var log = Path.of(accessLogOrMetricsUrl);
            if (!Files.isRegularFile(log)) {
                throw new IllegalArgumentException(
                        "%s is neither a file nor a URL: name an access log of Tomcat, or http://127.0.0.1:8080/actuator/prometheus"
                                .formatted(accessLogOrMetricsUrl));
            }
            AccessLog.requireKnownFormat(log);
            long before = log.toFile().length();
            long start = System.nanoTime();
            var observed = observe(time);
            return LimitFinder.of(AccessLog.since(log, before, (System.nanoTime() - start) / 1e9), observed);
        }
        try (var metrics = new Metrics(accessLogOrMetricsUrl)) {
            var before = metrics.read();
            long start = System.nanoTime();
            var observed = observe(time);
            double seconds = (System.nanoTime() - start) / 1e9;
            return LimitFinder.of(metrics.between(before, metrics.read(), seconds), observed);
        }
    }

    /**
     * Which limit an endpoint meets, while a load runs. It is observed in rounds of about a second. The round
     * whose dump has the most waiting threads counts, except the last, in which an overloaded service works off its
     * backlog; the first, in which the load starts, counts only if there is no other.
     *
     * @param load runs a load and returns its row, such as {@code () -> Load.on(url).clients(50).during(time).run()}
     * @return X, W, L = X · W of the load, and the limits that were observed meanwhile
     * @throws Exception what the load throws
     */
    public Limits endpoint(Callable<Table> load) throws Exception {
        var running = new FutureTask<>(load);
        var thread =
                Thread.ofPlatform().daemon().name("load on process " + pid()).start(running);
        try {
            var busiest = busiest(() -> observe(ROUND), running::isDone);
            return LimitFinder.of(loaded(running.get()), busiest);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        } finally {
            thread.interrupt();
        }
    }

    /**
     * The round in which most threads wait. The first one, in which the generator starts, counts only if there is no
     * other; the last one, in which the load has ended, never counts.
     */
    static Observed busiest(Callable<Observed> round, BooleanSupplier ended) throws Exception {
        var first = round.call();
        Observed most = null;
        while (!ended.getAsBoolean()) {
            var next = round.call();
            if (!ended.getAsBoolean() && (most == null || next.waiting() >= most.waiting())) {
                most = next;
            }
        }
        return most == null ? first : most;
    }

    /** The requests of a load's row. */
    private static Requests loaded(Table load) {
        Results.require(load, "requests/s", "mean (ms)", "seconds");
        return new Requests(
                Results.value(load, "requests/s") * Results.value(load, "seconds"),
                Results.value(load, "seconds"),
                Results.value(load, "mean (ms)") / 1e3,
                "a load's own figures",
                Map.of());
    }

    /** Samples how much of each limited resource is in use, with a dump halfway. */
    private Observed observe(Duration time) throws InterruptedException {
        var half = time.dividedBy(2).compareTo(Watch.PERIOD) < 0 ? Watch.PERIOD : time.dividedBy(2);
        return connection.ask(time, () -> {
            var watch = connection.watch();
            var system = connection.bean(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME, OperatingSystemMXBean.class);
            // each call covers the time since the one before
            system.getCpuLoad();
            var before = watch.over(half);
            double machine = system.getCpuLoad();
            var dump = Dumps.take(connection);
            var gauges = Gauges.read(connection.beans());
            int cpus = system.getAvailableProcessors();
            var after = watch.over(half);
            machine = (machine + system.getCpuLoad()) / 2;
            var needed = new String[] {"seconds", "mounted", "queued", "parallelism", "CPUs"};
            var watched = before.selectColumns(needed).append(after.selectColumns(needed));
            return new Observed(watched, dump, gauges, cpus, machine);
        });
    }

    private void requireVirtual(String what) {
        if (java() < 21) {
            throw new IllegalStateException(
                    "process %d has no %s: Java %d has no virtual threads".formatted(pid(), what, java()));
        }
    }

    /** Closes the connection; the JVM keeps running. A second call does nothing. */
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
