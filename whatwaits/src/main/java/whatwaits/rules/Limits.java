package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import whatwaits.rules.Limit.Kind;

/** Finds the limited resources in an observation, with what is in use of them and who waits. */
final class Limits {

    private final Observation seen;
    private final List<Limit> limits = new ArrayList<>();

    /** Locks, connections, pools of threads, carriers, CPUs; {@link Verdict} says which of them is met. */
    static List<Limit> of(Observation seen) {
        return new Limits(seen).limits;
    }

    private Limits(Observation seen) {
        this.seen = seen;
        addLocks();
        addConnections();
        addPools();
        addCarriers();
        addCpus();
    }

    private void add(Kind kind, String instance, double inUse, double of, double waiting, String seenIn) {
        limits.add(new Limit(kind, instance, 1, inUse, of, waiting, seenIn));
    }

    /** Locks that threads wait for on the same line count together: they may be one per key, such as a customer. */
    private void addLocks() {
        record Line(WaitReason waits, String where) {}

        var locks = seen.dump().groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK || group.waits() == WaitReason.PERMIT)
                .filter(group -> !group.severalLocks());
        var lines = Grouping.by(group -> new Line(group.waits(), group.where()), locks);
        var largest = lines.values().stream().sorted(Comparator.comparingInt(groups -> -size(groups)));
        largest.limit(3).forEach(this::addLocks);
    }

    private static int size(List<Group> groups) {
        return groups.stream().mapToInt(Group::size).sum();
    }

    private void addLocks(List<Group> groups) {
        var first = groups.getFirst();
        var kind = first.waits() == WaitReason.LOCK ? Kind.LOCK : Kind.PERMITS;
        // virtual and platform threads that wait for the same lock are two groups
        int n = (int) groups.stream().map(Group::what).distinct().count();
        double all = kind == Kind.LOCK ? n : Double.NaN;
        limits.add(new Limit(kind, first.what(), n, all, all, size(groups), "the dump: " + first.where()));
    }

    private void addConnections() {
        var dump = seen.dump();
        int clients = dump.waitingInClients();
        if (clients > 0) {
            add(Kind.CLIENT_CONNECTIONS, "", Double.NaN, Double.NaN, clients, "the dump");
        }
        int waiting = dump.count(WaitReason.CONNECTION) - clients;
        double of = seen.gauge(Gauge.CONNECTIONS);
        if (waiting == 0 && Double.isNaN(of)) {
            return;
        }
        double reported = seen.gauge(Gauge.CONNECTIONS_WAITING);
        double most = Double.isNaN(reported) ? waiting : Math.max(waiting, reported);
        int holders = dump.connectionHolders().size();
        if (Double.isNaN(of) && holders > 0) {
            // without a figure from the pool: since threads wait, every connection has a holder
            add(Kind.CONNECTIONS, "", holders, holders, most, "the dump; those in a transaction or a statement");
        } else {
            var from = Double.isNaN(of) ? "the dump" : "the pool's own figures, and the dump";
            add(Kind.CONNECTIONS, "", seen.gauge(Gauge.CONNECTIONS_IN_USE), of, most, from);
        }
    }

    /** Pools of platform threads: an idle worker asks for its next task. */
    private void addPools() {
        var workers = seen.dump().groups().stream()
                .filter(group -> !group.virtual())
                .flatMap(group -> group.threads().stream())
                .filter(thread -> thread.stack().says(Sign.WORKER));
        Grouping.by(thread -> Pool.of(thread.name()), workers).forEach((name, pool) -> {
            if (pool.size() < 2) {
                return;
            }
            var tasks = pool.stream().map(WaitReason::of).filter(what -> what != WaitReason.TASK);
            double most = Pool.isTomcats(name) ? seen.gauge(Gauge.TOMCAT_THREADS) : Double.NaN;
            if (Double.isNaN(most)) {
                add(Kind.THREADS, name, tasks.count(), pool.size(), Double.NaN, "the dump");
            } else {
                add(Kind.THREADS, name, tasks.count(), most, Double.NaN, "the dump, and Tomcat's own figures");
            }
        });
    }

    private void addCarriers() {
        if (seen.dump().virtualThreads() == 0) {
            return;
        }
        double parallelism = Sample.mean(seen.samples(), Sample::parallelism);
        if (Double.isNaN(parallelism)) {
            int queued = seen.dump().count(WaitReason.CARRIER);
            var from = "the dump; parallelism assumed to be the CPUs";
            add(Kind.CARRIERS, "", seen.dump().mounted(), seen.cpus(), queued, from);
        } else {
            double mounted = Sample.mean(seen.samples(), Sample::mounted);
            double queued = Sample.mean(seen.samples(), Sample::queued);
            add(Kind.CARRIERS, "", mounted, parallelism, queued, "the scheduler");
        }
    }

    private void addCpus() {
        double busy = Sample.mean(seen.samples(), Sample::cpus);
        // where CPUs are the limit, a thread that waits for a carrier waits for a CPU
        double queued = Sample.mean(seen.samples(), Sample::queued);
        add(Kind.CPUS, "", busy, seen.cpus(), queued, "CPU time of the process");
        double any = seen.machine() * seen.cpus();
        add(Kind.MACHINE, "", any, seen.cpus(), queued, "the system's CPU time, of all programs");
    }
}
