package threadlab.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Trials;
import threadlab.support.Arguments;
import threadlab.support.CpuShare;
import threadlab.support.Progress;
import threadlab.support.TrialsObserver;

/**
 * Load on an HTTP server on this machine, sent by virtual threads in a separate JVM, and what the clients observed.
 *
 * <pre>{@code
 * var run = Load.on("http://127.0.0.1:8080/orders")
 *         .server(Kind.VIRTUAL).clients(500).requests(1_000).warmUp(200).run();
 * }</pre>
 *
 * <p>In a <i>closed loop</i>, {@link #clients}, each client sends its next request when the last is answered: a slow
 * server gets fewer requests. In an <i>open loop</i>, {@link #rate}, requests come by the clock, as from people who
 * know nothing of each other. Latency counts from the time when a request was due, so that a server that stalls is
 * charged with all the requests that come meanwhile (leaving them out is the mistake called coordinated omission).
 *
 * <p>All requests are {@code GET}s over HTTP/1.1. Connections are kept open; those of a closed loop are opened before
 * the clock starts. A redirect is not followed. The generator warms up on a server of its own before it sends the
 * first request; the measured server is warmed up by {@link #warmUp}.
 *
 * <p>A load in which the whole program stood still for more than {@value threadlab.measure.Trials#STANDSTILL} s, as when
 * a container is paused, is sent again.
 *
 * <p>One row per run, in the columns of {@link Trials}: {@code contender} (the server's name), {@code kind} (what its
 * requests run on, see {@link Kind}), {@code n} (the clients; in an open loop the rate per second), {@code trial},
 * {@code seconds} (from the start until the last request has ended, or {@link #during} after a {@link #rampUp}),
 * {@code requests/s} (good answers ÷ seconds); latencies, from sending a request (in an open loop, from when it
 * was due) to the last byte of a good answer, which is whole and has status 200: {@code min (ms)}, {@code mean (ms)},
 * {@code p50 (ms)}, {@code p95 (ms)}, {@code p99 (ms)}, {@code max (ms)}, accurate to 0.1 %; {@code requests} (all that
 * were counted), and of these {@code refused}, {@code reset} (or closed before the answer was whole),
 * {@code time-outs}, {@code not 200}, {@code other} failures; {@code resent} (sent a second time, because the server had
 * closed a kept connection; not a failure); {@code generator late, p99 (ms)}; {@code generator CPU (s)},
 * {@code server CPU (s)} and {@code CPU per request (ms)}, that of the server;
 * {@code CPUs busy} with all processes, on average; {@code bottleneck}; {@code outcome} ({@code ok}, or how many failed and why).
 *
 * <p>{@code generator late, p99 (ms)} says how late the generator itself was, without the worst hundredth: in an open
 * loop, its requests against the clock; in a closed loop, a thread that wakes up every 10 ms. {@code bottleneck} says
 * whether the figures are the server's: {@code none}, if they are; {@code generator}, if the CPUs were 90 % busy or more
 * and the generator used at least half of that, or if it was late by more than 2 ms and by more than a tenth of the mean
 * latency; {@code CPUs}, if they were that busy with something else. A printed line explains it.
 */
// longer than other classes: each setting is a method, and most lines are Javadoc for authors of cells
public final class Load {

    static final int MOST_CLIENTS = 20_000;
    static final int MOST_RATE = 20_000;
    static final int MOST_REQUESTS = 1_000_000;
    static final int MOST_TIME_OUT_SECONDS = 60;
    static final int DEFAULT_TIME_OUT_SECONDS = 30;

    private static final String NO_KIND = "a kind is missing: name one, such as Kind.VIRTUAL";
    private static final int FILES_OF_A_JVM = 200;
    /** A machine on which loads stand still again and again is measured as it is. */
    private static final int MOST_REPEATED = 3;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final Endpoint target;
    private TrialsObserver observer;
    private Kind kind = Kind.OTHER;
    private String server;
    private int clients;
    private int rate;
    private Duration rampUp = Duration.ZERO;
    private int requests;
    private Duration during;
    private int warmUp;
    private Endpoint warmUpTarget;
    private Duration timeOut = Duration.ofSeconds(DEFAULT_TIME_OUT_SECONDS);
    private int trial = 1;
    private long serverProcess;
    private List<Moment> moments = List.of();

    private Load(Endpoint target, TrialsObserver observer) {
        this.target = target;
        this.warmUpTarget = target;
        this.observer = observer;
        this.server = target.authority();
    }

    /**
     * {@return a load, without clients, on a server on this machine}
     *
     * @param url what to get, such as {@code http://127.0.0.1:8080/orders}; any host except this machine's loopback is
     *     refused, and so is a name that resolves to another address
     * @throws IllegalArgumentException if the URL is not of this kind
     */
    public static Load on(String url) {
        return on(url, TrialsObserver.installed());
    }

    static Load on(String url, TrialsObserver observer) {
        return new Load(Endpoint.of(url), observer);
    }

    /**
     * {@return an empty table with the columns of a run, to append runs to}
     *
     * @param what what n counts, such as {@code "n clients"}; it becomes the name of the table and of a chart's axis
     */
    public static Table runs(String what) {
        return LoadResult.none(what);
    }

    /**
     * Says what the server runs its requests on, where nothing else distinguishes it from other servers.
     *
     * @param of the kind; rows and charts also use it as the server's name
     * @return this load
     */
    public Load server(Kind of) {
        kind = Objects.requireNonNull(of, NO_KIND);
        server = of.toString();
        return this;
    }

    /**
     * Says what the server runs its requests on, and names the server.
     *
     * @param of the kind; a chart draws the server in its colour
     * @param name what distinguishes the server from others of its kind, such as {@code Spring MVC}; see
     *     {@link Kind#named}
     * @return this load
     */
    public Load server(Kind of, String name) {
        kind = Objects.requireNonNull(of, NO_KIND);
        server = of.named(name);
        return this;
    }

    /**
     * Names a server that is not compared by its threads: its kind is {@link Kind#OTHER}.
     *
     * @param name what the row and a chart call it
     * @return this load
     */
    public Load server(String name) {
        return server(Kind.OTHER, name);
    }

    /**
     * Makes a closed loop: each client sends its next request when the last is answered. After a request without a
     * whole answer it waits for {@value threadlab.load.ClosedLoop#AFTER_FAILURE_MS} ms.
     *
     * @param n from 1 to {@value %,d threadlab.load.Load#MOST_CLIENTS}
     * @return this load
     */
    public Load clients(int n) {
        clients = Arguments.inRange("clients", n, 1, MOST_CLIENTS);
        return this;
    }

    /**
     * Makes an open loop: requests do not wait for answers; they come at random, as from many people (a Poisson
     * process; each trial has its own arrivals, the same for every server).
     * At most {@value %,d threadlab.load.Load#MOST_CLIENTS} requests are on their way at once.
     *
     * @param perSecond from 1 to {@value %,d threadlab.load.Load#MOST_RATE}
     * @return this load
     */
    public Load rate(int perSecond) {
        rate = Arguments.inRange("rate", perSecond, 1, MOST_RATE);
        return this;
    }

    /**
     * Lets the clients of a closed loop begin one after the other, each at a random moment of this time, so that they
     * do not come in waves. Then the clock runs for the time of {@link #during}: a request that ends before or after
     * that time is not counted.
     *
     * @param time from 1 ms to {@value threadlab.load.Plan#LONGEST_SECONDS} s, at least about as long as a request
     *     takes
     * @return this load
     */
    public Load rampUp(Duration time) {
        rampUp = Arguments.inRange("rampUp", time, SHORTEST, Plan.LONGEST);
        return this;
    }

    /**
     * Ends the run after a number of requests or after {@value threadlab.load.Plan#LONGEST_SECONDS} s,
     * whichever comes first.
     *
     * @param n the total of all clients, from 1 to {@value %,d threadlab.load.Load#MOST_REQUESTS}, and no
     *     fewer than there are clients
     * @return this load
     */
    public Load requests(int n) {
        requests = Arguments.inRange("requests", n, 1, MOST_REQUESTS);
        return this;
    }

    /**
     * Ends the run after a time. Requests still on their way are awaited.
     *
     * @param time from 1 ms to {@value threadlab.load.Plan#LONGEST_SECONDS} s
     * @return this load
     */
    public Load during(Duration time) {
        during = Arguments.inRange("during", time, SHORTEST, Plan.LONGEST);
        return this;
    }

    /**
     * Sends requests in the same way before the run, without counting them;
     * for {@value threadlab.load.Plan#LONGEST_WARM_UP_SECONDS} s at most.
     *
     * @param n from 0 to {@value %,d threadlab.load.Load#MOST_REQUESTS}; by default 0
     * @return this load
     */
    public Load warmUp(int n) {
        warmUp = Arguments.inRange("warmUp", n, 0, MOST_REQUESTS);
        return this;
    }

    /**
     * Warms up for a comparison ({@link Loads}) with another request of the same clients: the same code with a shorter
     * wait, so that it is compiled sooner.
     *
     * @param path on the same server, starting with a slash, such as {@code /orders?delay=5}
     * @return this load
     */
    public Load warmUpWith(String path) {
        Arguments.require(path.startsWith("/"), "the path \"%s\" does not begin with a slash: write \"/%1$s\"", path);
        warmUpTarget = Endpoint.of("http://" + target.authority() + path);
        return this;
    }

    /**
     * Sets how long one request may take.
     *
     * @param perRequest from 1 ms to {@value threadlab.load.Load#MOST_TIME_OUT_SECONDS} s; by default
     *     {@value threadlab.load.Load#DEFAULT_TIME_OUT_SECONDS} s
     * @return this load
     */
    public Load timeOut(Duration perRequest) {
        timeOut = Arguments.inRange("timeOut", perRequest, SHORTEST, Duration.ofSeconds(MOST_TIME_OUT_SECONDS));
        return this;
    }

    /**
     * Also reads the CPU time of the server.
     *
     * @param pid the server's process; for a server in this notebook {@code ProcessHandle.current().pid()}
     * @return this load
     * @throws IllegalArgumentException if there is no such process
     */
    public Load serverProcess(long pid) {
        if (ProcessHandle.of(pid).isEmpty()) {
            throw new IllegalArgumentException(
                    "there is no process %d: give the process id of the server".formatted(pid));
        }
        serverProcess = pid;
        return this;
    }

    /**
     * Sets the number of the trial.
     *
     * @param number 1 or more; by default 1
     * @return this load
     */
    public Load trial(int number) {
        trial = Arguments.inRange("trial", number, 1, Integer.MAX_VALUE);
        return this;
    }

    /**
     * Sends the load and waits for its end.
     *
     * @return one row, with the columns that {@link Load} lists
     * @throws IllegalStateException if the clients or rate, or the end of the run, are missing or contradict each
     *     other, or if the load generator fails
     * @throws InterruptedException if the cell is interrupted; nothing is left running
     */
    public Table run() throws InterruptedException {
        var plan = plan();
        try (var generator = new GeneratorJvm(connections(), plan.longest())) {
            return run(generator, plan);
        }
    }

    /** Sets who is told of the progress. */
    Load toldTo(TrialsObserver other) {
        observer = other;
        return this;
    }

    /** Sends the load by a generator that is running. */
    Table run(GeneratorJvm generator) throws InterruptedException {
        return run(generator, plan());
    }

    private Table run(GeneratorJvm generator, Plan plan) throws InterruptedException {
        long start = System.nanoTime();
        var told = new ArrayList<>(List.of(Moment.NONE));
        var result = send(generator, plan, LoadResult.class, start, told);
        for (int i = 0; i < MOST_REPEATED && generator.stoodStill() > 0; i++) {
            System.out.println("%s is repeated: everything stood still in it for %.0f s."
                    .formatted(name(plan), generator.stoodStill() / 1e9));
            start = System.nanoTime();
            told.subList(1, told.size()).clear();
            result = send(generator, plan, LoadResult.class, start, told);
        }
        moments = told.subList(1, told.size());
        if (!result.warning().isEmpty()) {
            System.out.println(server + ": " + result.warning());
        }
        var row = result.row(kind, server, trial, plan);
        // a notebook may measure several things on the same servers
        var named = row.copy().setName("GET%s, %s".formatted(target.path().replace('/', ' '), row.name()));
        tell(Progress.State.FINISHED, plan, new Moment(result.seconds(), 0, 0, result.requests()), start, named);
        return row;
    }

    /** Warms up the server until the CPU time of a request is steady or the time is up, and says in a line how it went. */
    String untilSteady(GeneratorJvm generator, Duration most) throws InterruptedException {
        var plan = plan().untilSteady(warmUpTarget, most);
        refuse(
                plan.serverProcess() == 0,
                "a comparison needs the CPU time of \"%s\": begin its load with server.load(path), or add serverProcess(pid)",
                server);
        var told = new ArrayList<>(List.of(Moment.NONE));
        return send(generator, plan, WarmedUp.class, System.nanoTime(), told).line(server);
    }

    /** How many connections the generator needs at once, at most. */
    int connections() {
        return clients > 0 ? clients : MOST_CLIENTS;
    }

    /** Lets a generator work on a plan, and keeps and shows what it tells meanwhile. */
    private <T> T send(GeneratorJvm generator, Plan plan, Class<T> answer, long start, List<Moment> told)
            throws InterruptedException {
        var none = LoadResult.none("");
        T result = null;
        try (var _ = CpuShare.here().measuring()) {
            tell(Progress.State.RUNNING, plan, told.getLast(), start, none);
            result = generator.send(plan, answer, moment -> {
                if ((int) moment.seconds() > (int) told.getLast().seconds()) {
                    tell(Progress.State.RUNNING, plan, moment, start, none);
                }
                told.add(moment);
            });
            return result;
        } finally {
            if (result == null) {
                tell(Progress.State.INTERRUPTED, plan, told.getLast(), start, none);
            }
        }
    }

    private String name(Plan plan) {
        return "%s, %,d %s".formatted(server, plan.n(), plan.unit());
    }

    private void tell(Progress.State state, Plan plan, Moment now, long start, Table rows) {
        boolean finished = state == Progress.State.FINISHED;
        var name = name(plan);
        var current = state == Progress.State.RUNNING ? name : "";
        int done = now.seconds() > 0 ? warmUp + now.ended() : 0;
        int planned = warmUp + (finished ? now.ended() : plan.expected(now));
        int measured = finished ? now.ended() : 0;
        var elapsed = Duration.ofNanos(System.nanoTime() - start);
        observer.told(new Progress(name, state, current, "requests", done, planned, measured, elapsed, null, rows));
    }

    /**
     * {@return what the clients saw over time in the last run, about every 100 ms while the clock ran: columns
     * {@code seconds} (since the clock started), {@code waiting} (requests that were sent and had not ended), and
     * {@code good/s} and {@code failed/s} (those that ended since the row before); no rows before the first run}
     */
    public Table timeline() {
        return Moment.table(moments);
    }

    /**
     * How many connections a JVM may have at once here: {@link #MOST_CLIENTS}, or what the system allows besides the
     * JVM's own files.
     */
    static int mostClientsHere() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        long files =
                system instanceof UnixOperatingSystemMXBean unix ? unix.getMaxFileDescriptorCount() : Long.MAX_VALUE;
        return Math.clamp(files - FILES_OF_A_JVM, 1, MOST_CLIENTS);
    }

    Plan plan() {
        boolean closed = clients > 0;
        boolean counted = requests > 0;
        int most = mostClientsHere();
        refuse(!closed && rate == 0, "a load needs clients(n), for a closed loop, or rate(n), for an open one");
        refuse(
                closed && rate > 0,
                "a load has either clients(n), for a closed loop, or rate(n), for an open one, not both");
        refuse(!counted && during == null, "a load needs an end: set requests(n) or during(time)");
        refuse(counted && during != null, "a load ends after either requests(n) or during(time), not both");
        refuse(
                counted && requests < clients,
                "requests(%,d) are too few for clients(%,d): each client sends at least one",
                requests,
                clients);
        refuse(
                clients > most,
                "clients(%,d) are too many: the limit on open files leaves room for %,d connections here (raise it with ulimit -n)",
                clients,
                most);
        boolean ramp = rampUp.isPositive();
        refuse(ramp && !closed, "rampUp(time) is for a closed loop: set clients(n) instead of rate(n)");
        refuse(ramp && counted, "a load with rampUp(time) ends after a time: set during(time) instead of requests(n)");
        var time = counted ? Plan.LONGEST : during;
        return new Plan(
                target, clients, rampUp, rate, trial, warmUp, requests, time, timeOut, serverProcess, Duration.ZERO);
    }

    private static void refuse(boolean wrong, String reason, Object... values) {
        if (wrong) {
            throw new IllegalStateException(reason.formatted(values));
        }
    }
}
