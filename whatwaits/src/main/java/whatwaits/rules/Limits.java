package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import whatwaits.rules.Limit.Kind;

/** Finds the limited resources in an observation, with what is in use of them and who waits. */
final class Limits {

    /**
     * A limit, and the threads behind its figures as far as the dump shows them.
     *
     * @param limit the limit
     * @param holders threads that have one of what is limited
     * @param waiters threads that want one
     */
    record Found(Limit limit, List<ThreadState> holders, List<ThreadState> waiters) {}

    private final Observation seen;
    private final List<Found> limits = new ArrayList<>();

    /** Locks, connections, pools of threads, carriers, CPUs; {@link Verdict} says which of them is met. */
    static List<Found> of(Observation seen) {
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

    private void add(Limit limit, List<ThreadState> holders, List<ThreadState> waiters) {
        limits.add(new Found(limit, holders, waiters));
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
        var waiters = groups.stream().flatMap(group -> group.threads().stream()).toList();
        add(new Limit(kind, first.what(), n, all, all, size(groups), "the dump: " + first.where()), List.of(), waiters);
    }

    private void addConnections() {
        var wanting = seen.dump().waitingFor(WaitReason.CONNECTION);
        var clients = pools(wanting.stream().filter(ThreadState::isClient));
        clients.forEach((pool, waiters) -> {
            var which = clients.size() == 1 ? "" : pool;
            add(limit(Kind.CLIENT_CONNECTIONS, which, Double.NaN, Double.NaN, waiters), List.of(), waiters);
        });
        addDatabases(pools(wanting.stream().filter(thread -> !thread.isClient())));
    }

    /**
     * Who waits for a connection, by pool. Threads that wait for the same object wait for the same pool; where each
     * waits for an object of its own, the library is all that is known.
     */
    private static Map<String, List<ThreadState>> pools(Stream<ThreadState> wanting) {
        var byObject = Grouping.by(thread -> String.valueOf(thread.blocker()), wanting);
        return Grouping.by(
                thread -> {
                    var type = thread.library().name();
                    var object = String.valueOf(thread.blocker());
                    int number = object.indexOf('@');
                    return number < 0 || byObject.get(object).size() == 1 ? type : type + object.substring(number);
                },
                byObject.values().stream().flatMap(List::stream));
    }

    private void addDatabases(Map<String, List<ThreadState>> wanted) {
        var figures = seen.figures(Kind.CONNECTIONS);
        var holders = seen.dump().connectionHolders();
        int waiting = wanted.values().stream().mapToInt(List::size).sum();
        // whoever waits while a pool has enough of them free waits for another pool, which reports nothing
        boolean other = waiting > 1
                && figures.stream().allMatch(pool -> pool.waiting() == 0 && pool.inUse() + waiting <= pool.of());
        boolean one = wanted.size() <= 1 && figures.size() <= 1 && !(other && !figures.isEmpty());
        if (one && !figures.isEmpty()) {
            // each pool's own figure and the dump are of two moments
            var pool = figures.getFirst();
            var waiters = wanted.values().stream().flatMap(List::stream).toList();
            double most = Double.isNaN(pool.waiting()) ? waiters.size() : Math.max(waiters.size(), pool.waiting());
            var from = "the pool's own figures, and the dump";
            add(new Limit(Kind.CONNECTIONS, "", 1, pool.inUse(), pool.of(), most, from), holders, waiters);
            return;
        }
        // which of several pools the dump's threads wait for, only their own figures say
        figures.forEach(pool -> add(
                new Limit(
                        Kind.CONNECTIONS,
                        pool.pool(),
                        1,
                        pool.inUse(),
                        pool.of(),
                        pool.waiting(),
                        "the pool's own figures"),
                List.of(),
                List.of()));
        long explained = figures.stream().filter(pool -> pool.waiting() > 0).count();
        var largest = wanted.entrySet().stream()
                .sorted(Comparator.comparingInt(pool -> -pool.getValue().size()));
        largest.skip(explained).forEach(pool -> {
            // without a figure from the only pool: since threads wait, every connection has a holder
            double of = one && !holders.isEmpty() ? holders.size() : Double.NaN;
            var limit = limit(Kind.CONNECTIONS, one ? "" : pool.getKey(), of, of, pool.getValue());
            add(limit, one ? holders : List.of(), pool.getValue());
        });
    }

    private static Limit limit(Kind kind, String pool, double inUse, double of, List<ThreadState> waiters) {
        var from = Double.isNaN(of) ? "the dump" : "the dump; those in a transaction or a statement";
        return new Limit(kind, pool, 1, inUse, of, waiters.size(), from);
    }

    /** Pools of threads: a dump has those of each executor together; of others only their names tell. */
    private void addPools() {
        record Key(String container, String name) {}

        var containers = new HashMap<Long, String>();
        for (Container container : seen.dump().containers()) {
            if (!container.isRoot()) {
                container.threads().forEach(thread -> containers.put(thread.id(), container.name()));
            }
        }
        var workers = seen.dump().groups().stream()
                .flatMap(group -> group.threads().stream())
                .filter(thread -> thread.stack().says(Sign.WORKER));
        var pools = Grouping.by(
                thread -> {
                    var container = containers.get(thread.id());
                    return container == null ? new Key("", Pool.of(thread.name())) : new Key(container, "");
                },
                workers);
        pools.forEach((key, pool) -> {
            var unnamed = pool.getFirst().name().isBlank() && !key.container.isEmpty();
            addPool(
                    unnamed
                            ? key.container.replaceFirst(".*\\.", "")
                            : Pool.of(pool.getFirst().name()),
                    pool);
        });
    }

    private void addPool(String name, List<ThreadState> workers) {
        var connector = name.replaceFirst("-exec$", "");
        var reported = seen.figures(Kind.THREADS).stream()
                .filter(pool -> pool.pool().equals(connector))
                .findFirst();
        double of = reported.map(PoolFigures::of).orElse((double) workers.size());
        var busy =
                workers.stream().filter(thread -> !WaitReason.isForWork(thread)).toList();
        boolean full = workers.size() >= of && workers.stream().noneMatch(one -> WaitReason.of(one) == WaitReason.TASK);
        var waiters = full ? callers(workers) : List.<ThreadState>of();
        long tasks = waiters.stream().map(Limits::task).distinct().count();
        double waiting = Math.max(0, tasks - busy.size());
        double inside = seen.requests().inside();
        if (full && reported.isPresent() && inside >= of + 1) {
            // a thread answers one request at a time
            waiting = Math.max(waiting, inside - of);
        }
        if (workers.size() > 1 || waiting > 0) {
            var from = reported.isPresent() ? "the dump, and the pool's own figures" : "the dump";
            add(new Limit(Kind.THREADS, name, 1, busy.size(), of, waiting, from), busy, waiters);
        }
    }

    /** What a thread waits for the result of: each caller has a task of its own, unless they wait for the same object. */
    private static String task(ThreadState waiter) {
        return waiter.blocker() == null ? "thread " + waiter.id() : waiter.blocker();
    }

    /** Who waits for the result of a task that a pool has, by the method or class that handed it over. */
    private List<ThreadState> callers(List<ThreadState> workers) {
        if (Pool.isCommon(workers.getFirst().name())) {
            // its callers work on their tasks, too
            var threads = seen.dump().groups().stream().flatMap(group -> group.threads().stream());
            var divided = threads.filter(thread -> thread.stack().says(Sign.DIVIDES))
                    .filter(thread -> !thread.stack().says(Sign.WORKER));
            // a task of a stream has no caller elsewhere, even if its class waits for other results
            var others = workers.stream()
                    .filter(worker -> !worker.stack().says(Sign.STREAMS))
                    .toList();
            return Stream.concat(divided, handedOver(others)).distinct().toList();
        }
        return handedOver(workers).toList();
    }

    private Stream<ThreadState> handedOver(List<ThreadState> workers) {
        var methods = new HashSet<String>();
        var types = new HashSet<String>();
        for (ThreadState worker : workers) {
            var entry = worker.stack().outermost(Frame::isOwn);
            entry.map(Frame::caller).ifPresent(methods::add);
            entry.map(frame -> Frame.type(frame.text())).ifPresent(types::add);
        }
        var waiting = seen.dump().waitingFor(WaitReason.RESULT);
        var sameMethod = waiting.stream()
                .filter(thread -> thread.stack().has(frame -> frame.isOwn() && methods.contains(frame.method())))
                .toList();
        return sameMethod.isEmpty()
                ? waiting.stream().filter(thread -> thread.stack().has(frame -> frame.isOwn() && isOf(frame, types)))
                : sameMethod.stream();
    }

    private static boolean isOf(Frame frame, Set<String> types) {
        return types.contains(Frame.type(frame.text()));
    }

    private void addCarriers() {
        var dump = seen.dump();
        double parallelism = Sample.mean(seen.samples(), Sample::parallelism);
        if (dump.virtualThreads() == 0 || Double.isNaN(parallelism) && seen.cpus() <= 0) {
            return;
        }
        var mounted = dump.threads().stream().filter(ThreadState::isMounted).toList();
        var waiters = dump.waitingFor(WaitReason.CARRIER);
        var limit = Double.isNaN(parallelism)
                ? new Limit(
                        Kind.CARRIERS,
                        "",
                        1,
                        mounted.size(),
                        seen.cpus(),
                        waiters.size(),
                        "the dump; parallelism assumed to be the CPUs")
                : new Limit(
                        Kind.CARRIERS,
                        "",
                        1,
                        Sample.mean(seen.samples(), Sample::mounted),
                        parallelism,
                        Sample.mean(seen.samples(), Sample::queued),
                        "the scheduler");
        add(limit, mounted, waiters);
    }

    private void addCpus() {
        var computing = seen.dump().waitingFor(WaitReason.NOTHING);
        double queued = Sample.mean(seen.samples(), Sample::queued);
        // where CPUs are the limit, a thread that waits for a carrier waits for a CPU
        double carriers = Double.isNaN(queued) ? seen.dump().count(WaitReason.CARRIER) : queued;
        var waiters = Stream.concat(computing.stream(), seen.dump().waitingFor(WaitReason.CARRIER).stream())
                .toList();
        double used = Sample.mean(seen.samples(), Sample::cpus);
        double more = Math.max(0, computing.size() - seen.cpus());
        add(
                new Limit(Kind.CPUS, "", 1, used, seen.cpus(), carriers + more, "CPU time of the process"),
                computing,
                waiters);
        // of the threads that compute, as many run as the process uses CPUs
        double starved = Double.isNaN(used) ? 0 : Math.max(0, computing.size() - used);
        double any = seen.machine() * seen.cpus();
        var from = "the system's CPU time, of all programs";
        add(new Limit(Kind.MACHINE, "", 1, any, seen.cpus(), carriers + starved, from), List.of(), waiters);
    }
}
