package threadlab.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tech.tablesaw.api.Table;

/** Finds the limited resources in what was observed of a JVM, and whether each is fully used. */
final class LimitFinder {

    static final String CPUS = "CPUs";
    static final String MACHINE = "the machine's CPUs";

    /** At this share or more, CPUs and carriers count as fully used. */
    private static final double FULL = 0.85;

    /** At this share or more, a machine is full. */
    private static final double FULL_MACHINE = 0.9;

    private LimitFinder() {}

    static Limits of(Requests requests, Observed seen) {
        var known = new LinkedHashMap<>(seen.gauges());
        requests.gauges().forEach(known::putIfAbsent);
        var limits = new ArrayList<Limit>();
        addLocks(limits, seen.dump());
        addConnections(limits, seen.dump(), known);
        addPools(limits, seen.dump(), known);
        double busy = mean(seen.watched(), "CPUs");
        boolean allBusy = busy >= FULL * seen.cpus();
        // the service could compute more, but other programs have the CPUs
        boolean starved = seen.machine() >= FULL_MACHINE && !allBusy;
        addCarriers(limits, seen.watched(), seen.dump(), seen.cpus(), allBusy || starved);
        // then a thread that waits for a carrier waits for a CPU
        double queued = allBusy || starved ? mean(seen.watched(), "queued") : Double.NaN;
        limits.add(
                new Limit(CPUS, busy, seen.cpus(), allBusy ? queued : Double.NaN, allBusy, "CPU time of the process"));
        if (starved) {
            limits.add(new Limit(
                    MACHINE,
                    seen.machine() * seen.cpus(),
                    seen.cpus(),
                    queued,
                    true,
                    "the system's CPU time, of all programs"));
        }
        return new Limits(requests, limits, seen.dump());
    }

    /** Locks that threads wait for on the same line count together: they may be one per key, such as a customer. */
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
        // virtual and platform threads that wait for the same lock are two groups
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
                // a single waiting thread may just have come at a bad moment
                size(groups) > n,
                "the dump: " + first.where());
    }

    private static void addConnections(List<Limit> limits, ThreadDump dump, Map<String, Double> known) {
        int clients = dump.waitingInClients();
        if (clients > 0) {
            limits.add(new Limit("connections of a client", Double.NaN, Double.NaN, clients, true, "the dump"));
        }
        int waiting = dump.count(WaitReason.CONNECTION) - clients;
        double of = known.getOrDefault(Gauges.CONNECTIONS, Double.NaN);
        if (waiting > 0 || !Double.isNaN(of)) {
            double inUse = known.getOrDefault(Gauges.CONNECTIONS_IN_USE, Double.NaN);
            int holders = dump.connectionHolders().size();
            boolean counted = Double.isNaN(of) && holders > 0;
            double most = Math.max(waiting, known.getOrDefault(Gauges.CONNECTIONS_WAITING, 0.0));
            limits.add(new Limit(
                    Gauges.CONNECTIONS,
                    counted ? holders : inUse,
                    // without a figure from the pool: since threads wait, every connection has a holder
                    counted ? holders : of,
                    most,
                    most > 0,
                    counted
                            ? "the dump; those in a transaction or a statement"
                            : Double.isNaN(of) ? "the dump" : "the pool's own figures, and the dump"));
        }
    }

    /** Pools of platform threads: an idle worker asks for its next task. */
    private static void addPools(List<Limit> limits, ThreadDump dump, Map<String, Double> known) {
        var pools = dump.groups().stream()
                .filter(group -> !group.virtual())
                .flatMap(group -> group.threads().stream())
                .filter(thread -> thread.stack().stream().anyMatch(LimitFinder::isWorker))
                .collect(Collectors.groupingBy(
                        thread -> Pool.of(thread.name()), LinkedHashMap::new, Collectors.toList()));
        pools.forEach((name, workers) -> {
            double size = workers.size();
            double busy = workers.stream()
                    .filter(worker -> dump.waits(worker) != WaitReason.TASK)
                    .count();
            boolean tomcat = name.matches("http.*-exec");
            double of = tomcat ? known.getOrDefault(Gauges.TOMCAT_THREADS, size) : size;
            if (size >= 2) {
                limits.add(new Limit(
                        "threads of " + name,
                        busy,
                        of,
                        Double.NaN,
                        busy >= of,
                        tomcat && known.containsKey(Gauges.TOMCAT_THREADS)
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
        // threads that compute also keep carriers busy: then the CPUs are the limit
        limits.add(new Limit(
                "carriers",
                mounted,
                of,
                queued,
                mounted >= FULL * of && queued >= 1 && !computing,
                bean ? "the scheduler" : "the dump; parallelism assumed to be the CPUs"));
    }

    private static double mean(Table watched, String column) {
        var values = watched.doubleColumn(column).removeMissing();
        return values.isEmpty() ? Double.NaN : values.mean();
    }
}
