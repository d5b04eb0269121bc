package threadlab.inspect;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
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

    static final String MACHINE = "the machine's CPUs";

    /** From this share on, CPUs and carriers count as all in use. */
    private static final double FULL = 0.85;

    /** From this share on, a machine is full. */
    private static final double FULL_MACHINE = 0.9;

    /** One limited thing; NaN where a figure is not known. */
    private record Limit(String name, double inUse, double of, double waiting, boolean met, String seenIn) {}

    /**
     * What was observed of a JVM within some time.
     *
     * @param watched samples of that time
     * @param dump threads within that time
     * @param gauges what management beans tell of pools
     * @param cpus processors of that JVM
     * @param machine share of the machine's CPUs that was busy, with all programs; NaN where it is not known
     */
    record Observed(Table watched, ThreadDump dump, Map<String, Double> gauges, int cpus, double machine) {

        /** Threads that wait for something, and not for work. */
        int waiting() {
            return dump.groups().stream()
                    .filter(group -> group.waits() != WaitReason.TASK && group.waits() != WaitReason.NOTHING)
                    .mapToInt(group -> group.threads().size())
                    .sum();
        }
    }

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

    static Limits of(Requests requests, Observed seen) {
        var known = new LinkedHashMap<>(seen.gauges);
        requests.gauges().forEach(known::putIfAbsent);
        var limits = new ArrayList<Limit>();
        addLocks(limits, seen.dump);
        addConnections(limits, seen.dump, known);
        addPools(limits, seen.dump, known);
        double busy = mean(seen.watched, "CPUs");
        boolean allBusy = busy >= FULL * seen.cpus;
        // the service could compute more, but other programs have the CPUs
        boolean starved = seen.machine >= FULL_MACHINE && !allBusy;
        addCarriers(limits, seen.watched, seen.dump, seen.cpus, allBusy || starved);
        // who waits for a carrier waits for a CPU then
        double queued = allBusy || starved ? mean(seen.watched, "queued") : Double.NaN;
        limits.add(
                new Limit("CPUs", busy, seen.cpus, allBusy ? queued : Double.NaN, allBusy, "CPU time of the process"));
        if (starved) {
            limits.add(new Limit(
                    MACHINE,
                    seen.machine * seen.cpus,
                    seen.cpus,
                    queued,
                    true,
                    "the system's CPU time, of all programs"));
        }
        return new Limits(requests, limits, seen.dump);
    }

    /** Locks for which threads wait at the same line count together: one for each key, such as a customer. */
    private static void addLocks(List<Limit> limits, ThreadDump dump) {
        var lines = dump.groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK || group.waits() == WaitReason.PERMIT)
                .filter(group -> !group.what().contains(" different"))
                .collect(Collectors.groupingBy(
                        group -> List.of(group.waits(), group.where()), LinkedHashMap::new, Collectors.toList()));
        lines.values().stream()
                .sorted(Comparator.comparingInt(groups -> -size(groups)))
                .limit(3)
                .forEach(groups -> limits.add(locks(groups)));
    }

    private static int size(List<Group> groups) {
        return groups.stream().mapToInt(group -> group.threads().size()).sum();
    }

    private static Limit locks(List<Group> groups) {
        var first = groups.getFirst();
        boolean lock = first.waits() == WaitReason.LOCK;
        // virtual and platform threads that wait for the same one are two groups
        long n = groups.stream().map(Group::what).distinct().count();
        var name = n == 1
                ? (lock ? "the lock " : "permits of ") + first.what()
                : (lock ? "%,d locks of one line, such as %s" : "permits of %,d semaphores of one line, such as %s")
                        .formatted(n, first.what());
        return new Limit(
                name,
                lock ? n : Double.NaN,
                lock ? n : Double.NaN,
                size(groups),
                // one that waits may only have come at a bad moment
                size(groups) > n,
                "the dump: " + first.where());
    }

    private static void addConnections(List<Limit> limits, ThreadDump dump, Map<String, Double> known) {
        int waiting = dump.count(WaitReason.CONNECTION);
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
                    .filter(worker -> WaitClassifier.of(worker) != WaitReason.TASK)
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
        double queued = bean ? mean(watched, "queued") : dump.count(WaitReason.CARRIER);
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
     * @return seconds; not a number if no request ended
     */
    public double seconds() {
        return requests.mean();
    }

    /**
     * L = X · W, the requests that are inside, in the mean.
     *
     * @return requests; not a number if no request ended
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
            table.doubleColumn("in use").append(limit.inUse);
            table.doubleColumn("of").append(limit.of);
            table.doubleColumn("share (%)").append(100 * limit.inUse / limit.of);
            table.doubleColumn("waiting").append(limit.waiting);
            table.stringColumn("met").append(limit.met ? "yes" : "no");
            table.stringColumn("seen in").append(limit.seenIn);
        }
        return table;
    }

    /**
     * The limit that is met. Of several, the one for which most threads wait. Where other programs keep the machine's CPUs
     * busy, carriers are in use without being a limit of the service, and are not named.
     *
     * @return its name in the table; {@code none} if none of those that can be seen
     */
    public String met() {
        return met == null ? "none" : met.name;
    }

    /**
     * The threads of the moment in which most of them waited. A limit that is met now and then is in this dump, and may not
     * be in another one.
     *
     * @return the dump from which the limits are
     */
    public ThreadDump dump() {
        return dump;
    }

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        var text = new StringBuilder(requests.count() == 0 ? nothing() : arithmetic());
        for (Limit limit : limits) {
            text.append("- %s: %s%s%s%n"
                    .formatted(
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

    private String arithmetic() {
        return "X = %s ÷ %s s = %s requests/s, W = %s s (%s).%nL = X · W = %s · %s = %s requests inside.%n"
                .formatted(
                        number(requests.count()),
                        number(requests.seconds()),
                        number(throughput()),
                        number(seconds()),
                        requests.source(),
                        number(throughput()),
                        number(seconds()),
                        number(inside()));
    }

    private String nothing() {
        return "X = 0 ÷ %s s = 0 requests/s (%s).%nNo request ended, so there is no W, and X · W says nothing of those inside.%n"
                .formatted(number(requests.seconds()), requests.source());
    }

    private String verdict() {
        if (met == null) {
            var most = dump.groups().stream()
                    .filter(group -> group.waits() != WaitReason.TASK)
                    .findFirst();
            return "None of these limits is met."
                    + most.map(group -> " Most threads: " + group.sentence() + ".")
                            .orElse("");
        }
        var others = limits.stream()
                .filter(limit -> limit.met && limit != met)
                .map(Limit::name)
                .collect(Collectors.joining(", "));
        return "The limit that is met: %s.%s%s"
                .formatted(met.name, held(), others.isEmpty() ? "" : " Also met: " + others + ".");
    }

    /** How long each place is kept, by the law. */
    private String held() {
        if (met.name.equals(MACHINE)) {
            return " The machine's CPUs are busy with others: threads that could go on wait for a CPU, and carriers in use tell nothing.";
        }
        if (Double.isNaN(met.of) || throughput() == 0) {
            return "";
        }
        boolean lock = met.seenIn.startsWith("the dump: ");
        return " %s for %s ÷ X = %s ÷ %s = %s ms; as long as it does, X stays below %s per second."
                .formatted(
                        lock
                                ? "If each request needs %s, it keeps one"
                                        .formatted(
                                                met.of == 1 ? "this lock" : "one of these " + number(met.of) + " locks")
                                : "Each request keeps one",
                        number(met.of),
                        number(met.of),
                        number(throughput()),
                        number(1e3 * met.of / throughput()),
                        number(throughput()));
    }

    private static String number(double value) {
        return Numbers.rounded(value, 3);
    }
}
