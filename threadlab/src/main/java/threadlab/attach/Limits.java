package threadlab.attach;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;

/**
 * Little's law on a running service: X, W, L = X · W, beside what was in use of each limited thing. As the last
 * expression of a cell it shows the arithmetic and names the limit that is met.
 */
public final class Limits {

    static final String CONNECTIONS_IN_USE = "connections in use";
    static final String CONNECTIONS = "connections";
    static final String CONNECTIONS_WAITING = "connections waiting";
    static final String TOMCAT_BUSY = "tomcat busy";
    static final String TOMCAT_THREADS = "tomcat threads";

    /** From this share on, CPUs and carriers count as all in use. */
    private static final double FULL = 0.85;

    /** One limited thing; NaN where a figure is not known. */
    private record Limit(String name, double inUse, double of, double waiting, boolean met, String seenIn) {}

    private final Requests requests;
    private final List<Limit> limits;
    private final Limit met;
    private final ThreadDump dump;

    private Limits(Requests requests, List<Limit> limits, ThreadDump dump) {
        this.requests = requests;
        this.limits = limits;
        this.dump = dump;
        // where most threads wait; between things for which nobody is seen to wait, in the order of the list
        this.met = limits.stream()
                .filter(Limit::met)
                .max(Comparator.comparingDouble(limit -> Double.isNaN(limit.waiting) ? 0 : limit.waiting))
                .orElse(null);
    }

    /**
     * What was observed.
     *
     * @param watched samples of the time of the requests
     * @param dump threads within that time
     * @param gauges what management beans tell of pools
     * @param cpus processors of that JVM
     */
    static Limits of(Requests requests, Table watched, ThreadDump dump, Map<String, Double> gauges, int cpus) {
        var known = new LinkedHashMap<>(gauges);
        requests.gauges().forEach(known::putIfAbsent);
        var limits = new ArrayList<Limit>();
        addLocks(limits, dump);
        addConnections(limits, dump, known);
        addPools(limits, dump, known);
        double busy = mean(watched, "CPUs");
        boolean allBusy = busy >= FULL * cpus;
        addCarriers(limits, watched, dump, cpus, allBusy);
        limits.add(new Limit("CPUs", busy, cpus, Double.NaN, allBusy, "CPU time of the process"));
        return new Limits(requests, limits, dump);
    }

    private static void addLocks(List<Limit> limits, ThreadDump dump) {
        for (Group group : dump.groups()) {
            if ((group.waits() == WaitsFor.LOCK || group.waits() == WaitsFor.PERMIT)
                    && !group.what().contains(" different")
                    && limits.size() < 3) {
                boolean lock = group.waits() == WaitsFor.LOCK;
                int waiting = group.threads().size();
                limits.add(new Limit(
                        (lock ? "the lock " : "permits of ") + group.what(),
                        lock ? 1 : Double.NaN,
                        lock ? 1 : Double.NaN,
                        waiting,
                        // one that waits may only have come at a bad moment
                        waiting > 1,
                        "the dump: " + group.where()));
            }
        }
    }

    private static void addConnections(List<Limit> limits, ThreadDump dump, Map<String, Double> known) {
        int waiting = dump.count(WaitsFor.CONNECTION);
        double inUse = known.getOrDefault(CONNECTIONS_IN_USE, Double.NaN);
        double of = known.getOrDefault(CONNECTIONS, Double.NaN);
        if (waiting > 0 || !Double.isNaN(of)) {
            double most = Math.max(waiting, known.getOrDefault(CONNECTIONS_WAITING, 0.0));
            limits.add(new Limit(
                    CONNECTIONS,
                    inUse,
                    of,
                    most,
                    most > 0,
                    Double.isNaN(of) ? "the dump" : "the pool's own figures, and the dump"));
        }
    }

    /** Pools of platform threads: a worker that is idle asks for its next task. */
    private static void addPools(List<Limit> limits, ThreadDump dump, Map<String, Double> known) {
        var pools = dump.groups().stream()
                .filter(group -> !group.virtual())
                .flatMap(group -> group.threads().stream())
                .filter(thread -> thread.stack().stream().anyMatch(Limits::isWorker))
                .collect(Collectors.groupingBy(
                        thread -> Pool.of(thread.name()), LinkedHashMap::new, Collectors.toList()));
        pools.forEach((name, workers) -> {
            double size = workers.size();
            double busy = workers.stream()
                    .filter(worker -> Waits.of(worker) != WaitsFor.TASK)
                    .count();
            boolean tomcat = name.matches("http.*-exec");
            double of = tomcat ? known.getOrDefault(TOMCAT_THREADS, size) : size;
            if (size >= 2) {
                limits.add(new Limit(
                        "threads of " + name,
                        busy,
                        of,
                        Double.NaN,
                        busy >= of,
                        tomcat && known.containsKey(TOMCAT_THREADS)
                                ? "the dump, and Tomcat's own figures"
                                : "the dump"));
            }
        });
    }

    private static boolean isWorker(String frame) {
        return frame.contains("ThreadPoolExecutor.runWorker(")
                || frame.contains("ThreadPoolExecutor$Worker.run(")
                || frame.startsWith("org.eclipse.jetty.util.thread.QueuedThreadPool");
    }

    private static void addCarriers(List<Limit> limits, Table watched, ThreadDump dump, int cpus, boolean computing) {
        if (dump.virtualThreads() == 0) {
            return;
        }
        boolean bean = !Double.isNaN(mean(watched, "parallelism"));
        double mounted = bean ? mean(watched, "mounted") : dump.mounted();
        double of = bean ? mean(watched, "parallelism") : cpus;
        double queued = bean ? mean(watched, "queued") : dump.count(WaitsFor.CARRIER);
        // threads that compute keep carriers busy, too: then the CPUs are the limit
        limits.add(new Limit(
                "carriers",
                mounted,
                of,
                queued,
                mounted >= FULL * of && queued >= 1 && !computing,
                bean ? "the scheduler" : "the dump; parallelism taken as the CPUs"));
    }

    /** What management beans tell of pools, where a service registers them. */
    static Map<String, Double> gauges(MBeanServerConnection beans) throws IOException {
        var found = new LinkedHashMap<String, Double>();
        read(beans, found, "com.zaxxer.hikari:type=Pool (*", "ActiveConnections", CONNECTIONS_IN_USE);
        read(beans, found, "com.zaxxer.hikari:type=Pool (*", "ThreadsAwaitingConnection", CONNECTIONS_WAITING);
        read(beans, found, "com.zaxxer.hikari:type=PoolConfig (*", "MaximumPoolSize", CONNECTIONS);
        read(beans, found, "Tomcat:type=ThreadPool,*", "currentThreadsBusy", TOMCAT_BUSY);
        read(beans, found, "Tomcat:type=ThreadPool,*", "maxThreads", TOMCAT_THREADS);
        return found;
    }

    private static void read(
            MBeanServerConnection beans, Map<String, Double> into, String names, String attribute, String word)
            throws IOException {
        for (ObjectName bean : beans.queryNames(Connection.name(names.endsWith("(*") ? names + ")" : names), null)) {
            try {
                if (beans.getAttribute(bean, attribute) instanceof Number number && number.doubleValue() >= 0) {
                    into.merge(word, number.doubleValue(), Double::sum);
                }
            } catch (JMException e) {
                // not of this version
            }
        }
    }

    private static double mean(Table watched, String column) {
        var values = watched.doubleColumn(column).removeMissing();
        return values.isEmpty() ? Double.NaN : values.mean();
    }

    /**
     * X, the throughput.
     *
     * @return requests per second
     */
    public double throughput() {
        return requests.perSecond();
    }

    /**
     * W, the mean latency.
     *
     * @return seconds
     */
    public double seconds() {
        return requests.mean();
    }

    /**
     * L = X · W, the requests that are inside, in the mean.
     *
     * @return requests
     */
    public double inside() {
        return throughput() * seconds();
    }

    /**
     * What is limited.
     *
     * @return columns {@code limit} (such as {@code connections}); {@code in use} and {@code of} (how many there are), in
     *     pieces, missing where it is not known; {@code share (%)}; {@code waiting} (threads that want one); {@code met}
     *     ({@code yes} or {@code no}); {@code seen in} (where the figures are from)
     */
    public Table table() {
        var table = Table.create(
                "limits",
                StringColumn.create("limit"),
                DoubleColumn.create("in use"),
                DoubleColumn.create("of"),
                DoubleColumn.create("share (%)"),
                DoubleColumn.create("waiting"),
                StringColumn.create("met"),
                StringColumn.create("seen in"));
        for (Limit limit : limits) {
            table.stringColumn("limit").append(limit.name);
            append(table, "in use", limit.inUse);
            append(table, "of", limit.of);
            append(table, "share (%)", 100 * limit.inUse / limit.of);
            append(table, "waiting", limit.waiting);
            table.stringColumn("met").append(limit.met ? "yes" : "no");
            table.stringColumn("seen in").append(limit.seenIn);
        }
        return table;
    }

    private static void append(Table table, String column, double value) {
        if (Double.isNaN(value)) {
            table.doubleColumn(column).appendMissing();
        } else {
            table.doubleColumn(column).append(value);
        }
    }

    /**
     * The limit that is met. Of several, the one for which most threads wait.
     *
     * @return its name in the table; {@code none} if none of those that can be seen
     */
    public String met() {
        return met == null ? "none" : met.name;
    }

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        var text = new StringBuilder(String.format(
                Locale.ROOT,
                "X = %s ÷ %s s = %s requests/s, W = %s s (%s).%nL = X · W = %s · %s = %s requests inside.%n",
                number(requests.count()),
                number(requests.seconds()),
                number(throughput()),
                number(seconds()),
                requests.source(),
                number(throughput()),
                number(seconds()),
                number(inside())));
        for (Limit limit : limits) {
            text.append(String.format(
                    Locale.ROOT,
                    "- %s: %s%s%s%n",
                    limit.name,
                    Double.isNaN(limit.inUse)
                            ? "in use not known"
                            : number(limit.inUse) + " of " + number(limit.of) + " in use",
                    Double.isNaN(limit.waiting)
                            ? ""
                            : ", " + number(limit.waiting) + (limit.waiting == 1 ? " waits" : " wait"),
                    limit.met ? ": met" : ""));
        }
        text.append(verdict());
        return text.toString();
    }

    private String verdict() {
        if (met == null) {
            var most = dump.groups().stream()
                    .filter(group -> group.waits() != WaitsFor.TASK)
                    .findFirst();
            return "None of these limits is met."
                    + most.map(group -> " Most threads: " + group.sentence() + ".")
                            .orElse("");
        }
        var others = limits.stream()
                .filter(limit -> limit.met && limit != met)
                .map(Limit::name)
                .collect(Collectors.joining(", "));
        var held = Double.isNaN(met.of)
                ? ""
                : String.format(
                        Locale.ROOT,
                        " Each request keeps one for %s ÷ X = %s ÷ %s = %s ms; as long as it does, X stays below %s per second.",
                        number(met.of),
                        number(met.of),
                        number(throughput()),
                        number(1e3 * met.of / throughput()),
                        number(throughput()));
        return "The limit that is met: %s.%s%s"
                .formatted(met.name, held, others.isEmpty() ? "" : " Also met: " + others + ".");
    }

    private static String number(double value) {
        return Numbers.rounded(value, 3);
    }
}
