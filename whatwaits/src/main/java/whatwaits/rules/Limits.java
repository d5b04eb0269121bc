package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
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
     * @param unsure whether they may wait for work instead
     */
    record Found(Limit limit, List<ThreadState> holders, List<ThreadState> waiters, boolean unsure) {}

    /** Names of methods and classes that give out a lock, or some of a number. */
    private static final Pattern GIVES =
            Pattern.compile("[.a-z](Lock|Transaction|Acqui|Grant)|\\.(lock|acquire|grant|borrow)|"
                    + "(?i)permit|credit|waitForSpace|capacity|throttl");

    /** Whoever awaits a condition wants no lock, though its class is named after the lock that the condition has. */
    private static final Pattern AWAITS = Pattern.compile(".*\\.await(Nanos|Until|Uninterruptibly)?");

    private static final Pattern COUNTED = Pattern.compile("(?i)permit|credit|space|capacity|throttl");

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
        addHeap();
        addQueue();
        addRemote();
        addThread();
        addTimer();
        addSignal();
    }

    private void add(Limit limit, List<ThreadState> holders, List<ThreadState> waiters) {
        limits.add(new Found(limit, holders, waiters, isUnsure(limit, waiters)));
    }

    /**
     * Where one look shows nobody who waits, those of another look have just come. A permit may be what tells a thread
     * to work: whoever answers a request wants none of that kind, and where somebody has one at each look, it is for use.
     */
    private boolean isUnsure(Limit limit, List<ThreadState> waiters) {
        if (waiters.stream()
                .anyMatch(one -> one.library() != null && one.library().stopsAcceptor())) {
            // nobody may want to connect
            return !(seen.outside().unaccepted() > 0);
        }
        if (waiters.isEmpty() || limit.kind() != Kind.LOCK && limit.kind() != Kind.PERMITS) {
            return false;
        }
        boolean known = limit.kind() == Kind.LOCK
                // a server's own door may be a semaphore
                || waiters.stream().anyMatch(one -> one.stack().says(Sign.SERVES))
                || waiters.stream().anyMatch(one -> one.waits() != WaitReason.PERMIT || one.library() != null);
        var looks = looks(waiters);
        return !looks.stream().allMatch(look -> anyWaits(look, waiters.getFirst()))
                || !known && !looks.stream().allMatch(look -> Circles.anyHas(waiters, look.threads()));
    }

    /** The dump, and the looks of the same observation that would show these threads, too. */
    private List<ThreadDump> looks(List<ThreadState> waiters) {
        boolean all = !seen.samples().isEmpty() && waiters.stream().noneMatch(ThreadState::virtual);
        return all ? seen.looks() : List.of(seen.dump());
    }

    private static boolean anyWaits(ThreadDump look, ThreadState first) {
        return look.threads().stream()
                .anyMatch(one -> one.waits() == first.waits()
                        && one.stack().where().equals(first.stack().where()));
    }

    /** Locks that threads wait for on the same line count together: they may be one per key, such as a customer. */
    private void addLocks() {
        record Line(WaitReason waits, String where) {}

        var locks = seen.dump().groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK
                        || group.waits() == WaitReason.PERMIT
                        || group.waits() == WaitReason.CONDITION && given(group) != null)
                .filter(group -> !group.severalLocks() || library(group) != null);
        var lines = Grouping.by(group -> new Line(group.waits(), group.where()), locks);
        var largest = lines.values().stream().sorted(Comparator.comparingInt(groups -> -size(groups)));
        largest.limit(3).forEach(this::addLocks);
    }

    private static int size(List<Group> groups) {
        return groups.stream().mapToInt(Group::size).sum();
    }

    private void addLocks(List<Group> groups) {
        var first = groups.getFirst();
        var from = "the dump: " + first.where();
        var waiters = groups.stream().flatMap(group -> group.threads().stream()).toList();
        var library = library(first);
        if (library != null && library.stopsAcceptor() && seen.outside().unaccepted() > 0) {
            double waiting = waiters.size() + seen.outside().unaccepted();
            from += ", and connections that wait to be accepted";
            add(Limit.of(Kind.PERMITS, library.name(), from).waiting(waiting), List.of(), waiters);
            return;
        }
        var given = first.waits() == WaitReason.CONDITION ? given(first) : null;
        var kind = kind(first.waits(), given);
        // virtual and platform threads that wait for the same lock are two groups, and a library's may be one per
        // waiter
        boolean one = library != null || given != null;
        int n = one ? 1 : (int) groups.stream().map(Group::what).distinct().count();
        // one that several may hold to read has no number
        boolean shared = first.what().matches("(ReentrantReadWrite|Stamped)Lock\\b.*") && first.held() == null;
        double all = kind == Kind.LOCK && !one && !shared ? n : Double.NaN;
        var what = library != null ? library.name() : given != null ? given.simpleType() : first.what();
        add(
                Limit.of(kind, what, from).resources(n).inUse(all, all).waiting(size(groups)),
                lateHolders(first, waiters),
                waiters);
    }

    /** Who holds one of the locks that these threads wait for, and waits itself; or has just got it, and no carrier. */
    private List<ThreadState> lateHolders(Group first, List<ThreadState> waiters) {
        var locks = waiters.stream()
                .map(ThreadState::blocker)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        return seen.dump().groups().stream()
                .filter(group -> group.waits() != WaitReason.NOTHING)
                .flatMap(group -> group.threads().stream())
                .filter(thread ->
                        thread.holds().stream().anyMatch(lock -> locks.contains(lock) && !lock.equals(thread.blocker()))
                                || thread.waits() == WaitReason.CARRIER
                                        && thread.stack().where().equals(first.where()))
                .toList();
    }

    private static Library library(Group group) {
        return group.threads().getFirst().library();
    }

    /**
     * Where a thread waits for a condition outside the JDK, in a method of which no row is known, and names say that
     * something is given out there: its own, or else its caller's. Null otherwise: it may wait for work.
     */
    static Frame given(Group group) {
        var outer = group.stack().frames().stream()
                .dropWhile(Frame::isJdk)
                .takeWhile(frame -> !frame.isJdk())
                .limit(2);
        return outer.filter(frame -> GIVES.matcher(frame.method()).find())
                .filter(frame -> !AWAITS.matcher(frame.method()).matches())
                .findFirst()
                .orElse(null);
    }

    private static Kind kind(WaitReason waits, Frame given) {
        boolean counted = given == null
                ? waits == WaitReason.PERMIT
                : COUNTED.matcher(given.method()).find();
        return counted ? Kind.PERMITS : Kind.LOCK;
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
            add(
                    Limit.of(Kind.CONNECTIONS, "", from)
                            .inUse(pool.inUse(), pool.of())
                            .waiting(most),
                    holders,
                    waiters);
            return;
        }
        // which of several pools the dump's threads wait for, only their own figures say
        figures.forEach(pool -> add(
                Limit.of(Kind.CONNECTIONS, pool.pool(), "the pool's own figures")
                        .inUse(pool.inUse(), pool.of())
                        .waiting(pool.waiting()),
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
        return Limit.of(kind, pool, from).inUse(inUse, of).waiting(waiters.size());
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
        var pools = new LinkedHashMap<String, List<ThreadState>>();
        Grouping.by(
                        thread -> {
                            var container = containers.get(thread.id());
                            return container == null ? new Key("", Pool.of(thread.name())) : new Key(container, "");
                        },
                        workers)
                .forEach((key, pool) -> {
                    var unnamed = pool.getFirst().name().isBlank() && !key.container.isEmpty();
                    var name = unnamed
                            ? key.container.replaceFirst(".*\\.", "")
                            : Pool.of(pool.getFirst().name());
                    pools.computeIfAbsent(name, none -> new ArrayList<>()).addAll(pool);
                });
        var loops = seen.outside().unread() > 0 ? blockedLoops() : Map.<String, List<ThreadState>>of();
        var serving = serving(pools, loops.isEmpty());
        pools.forEach((name, pool) -> addPool(name, pool, name.equals(serving) ? queued(name, pool) : 0));
        if (serving == null) {
            loops.forEach((name, blocked) -> {
                var from = "the dump, and its connections: requests that no thread has read";
                double all = blocked.size();
                add(
                        Limit.of(Kind.THREADS, name, from)
                                .inUse(all, all)
                                .waiting(seen.outside().unread()),
                        blocked,
                        List.of());
            });
        }
    }

    /** Threads that should read whatever comes, and at no look do: they answer a request themselves, or wait in it. */
    private Map<String, List<ThreadState>> blockedLoops() {
        var moments = seen.moments();
        var blocked = seen.dump().threads().stream()
                .filter(thread -> !thread.virtual() && thread.stack().says(Sign.LOOPS) && !WaitReason.isForWork(thread))
                .filter(thread -> !moments.isEmpty()
                        && moments.stream().allMatch(moment -> moment.threads().stream()
                                .anyMatch(one -> one.id() == thread.id() && !WaitReason.isForWork(one))));
        return Grouping.by(thread -> Pool.of(thread.name()), blocked);
    }

    /**
     * The pool whose threads answer requests, if none of them is idle: known by its name, or else the one that has most
     * to do. Where virtual threads answer requests, only a name tells. Null if there is none.
     *
     * @param pools all pools
     * @param any whether it may have any name
     */
    private String serving(Map<String, List<ThreadState>> pools, boolean any) {
        var known = pools.keySet().stream().filter(Library::answersRequests).toList();
        if (known.isEmpty() && (!any || seen.dump().virtualThreads() > 0)) {
            return null;
        }
        return (known.isEmpty() ? pools.keySet() : known)
                .stream()
                        .filter(name -> !hasIdle(pools.get(name)) && busy(pools.get(name)) > 0)
                        .max(Comparator.comparingLong(name -> busy(pools.get(name))))
                        .orElse(null);
    }

    private static boolean hasIdle(List<ThreadState> workers) {
        return workers.stream().anyMatch(one -> one.waits() == WaitReason.TASK);
    }

    private static long busy(List<ThreadState> workers) {
        return workers.stream().filter(one -> !WaitReason.isForWork(one)).count();
    }

    /**
     * The requests that no thread of a full pool has taken: of those that stand unread in the system's buffers, the fewest
     * at any look. A server whose other threads read ahead leaves none there: then, if the pool is full at each look, there
     * are at most as many as it has connections beyond its threads.
     */
    private double queued(String name, List<ThreadState> workers) {
        var outside = seen.outside();
        if (outside.unread() > 0) {
            return outside.unread();
        }
        boolean always = !seen.moments().isEmpty()
                && seen.moments().stream()
                        .map(moment -> moment.threads().stream()
                                .filter(one -> Pool.of(one.name()).equals(name))
                                .toList())
                        .noneMatch(Limits::hasIdle);
        return Library.readsAhead(name) && always ? Math.max(0, outside.connections() - workers.size()) : 0;
    }

    private void addPool(String name, List<ThreadState> workers, double queued) {
        var connector = name.replaceFirst("-exec$", "");
        var reported = seen.figures(Kind.THREADS).stream()
                .filter(pool -> pool.pool().equals(connector))
                .findFirst();
        // some of a server's threads accept and select all the time
        long others = workers.stream().filter(one -> !WaitReason.listens(one)).count();
        double seenAll = others == 0 ? workers.size() : others;
        double of = reported.map(PoolFigures::of).orElse(seenAll);
        var busy =
                workers.stream().filter(thread -> !WaitReason.isForWork(thread)).toList();
        boolean full = workers.size() >= of && !hasIdle(workers);
        var waiters = full ? callers(workers) : List.<ThreadState>of();
        long tasks = waiters.stream().map(Limits::task).distinct().count();
        double waiting = Math.max(queued, tasks - busy.size());
        double inside = seen.requests().inside();
        if (full && reported.isPresent() && inside >= of + 1) {
            // a thread answers one request at a time
            waiting = Math.max(waiting, inside - of);
        }
        if (workers.size() > 1 || waiting > 0) {
            var from = reported.isPresent() ? "the dump, and the pool's own figures" : "the dump";
            from += queued > 0 ? ", and its connections: requests that no thread has taken" : "";
            // a pool may grow, unless somebody waits for its threads
            double size = reported.isPresent() || waiting > 0 ? of : Double.NaN;
            add(Limit.of(Kind.THREADS, name, from).inUse(busy.size(), size).waiting(waiting), busy, waiters);
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
        var mounted = dump.threads().stream().filter(ThreadState::isMounted).toList();
        var waiters = dump.waitingFor(WaitReason.CARRIER);
        if (dump.virtualThreads() == 0) {
            return;
        }
        if (Double.isNaN(parallelism) && seen.cpus() <= 0) {
            // where many more want a carrier than have one and wait on it, there are no others
            boolean held = waiters.size() > mounted.size()
                    && mounted.stream().allMatch(one -> one.waits() != WaitReason.NOTHING);
            double all = held ? mounted.size() : Double.NaN;
            if (!waiters.isEmpty()) {
                add(
                        Limit.of(Kind.CARRIERS, "", "the dump")
                                .inUse(mounted.size(), all)
                                .waiting(waiters.size()),
                        mounted,
                        waiters);
            }
            return;
        }
        boolean said = !Double.isNaN(parallelism);
        var limit = Limit.of(Kind.CARRIERS, "", said ? "the scheduler" : "the dump; parallelism assumed to be the CPUs")
                .inUse(
                        said ? Sample.mean(seen.samples(), Sample::mounted) : mounted.size(),
                        said ? parallelism : seen.cpus())
                .waiting(said ? Sample.mean(seen.samples(), Sample::queued) : waiters.size());
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
        double late = Double.isNaN(seen.outside().waitingForCpu())
                ? 0
                : seen.outside().waitingForCpu();
        add(
                Limit.of(Kind.CPUS, "", "CPU time of the process")
                        .inUse(used, seen.cpus())
                        .waiting(Math.max(late, carriers + more)),
                computing,
                waiters);
        // of the threads that compute, as many run as the process uses CPUs
        double starved = Double.isNaN(used) ? 0 : Math.max(0, computing.size() - used);
        double any = seen.machine() * seen.cpus();
        var from = "the system's CPU time, of all programs";
        add(
                Limit.of(Kind.MACHINE, "", from).inUse(any, seen.cpus()).waiting(Math.max(late, carriers + starved)),
                List.of(),
                waiters);
    }

    /** The heap, where its collector stops all threads for much of the time. */
    private void addHeap() {
        double stopped = seen.outside().collecting();
        if (stopped >= Thresholds.COLLECTING) {
            double all = Math.max(1, seen.waiting() + seen.dump().count(WaitReason.NOTHING));
            add(
                    Limit.of(Kind.MEMORY, "", "its full collections")
                            .inUse(stopped, 1)
                            .waiting(all),
                    List.of(),
                    List.of());
        }
    }

    /** A queue into which threads want to put something, and the threads of their class that may take it out. */
    private void addQueue() {
        var waiting = seen.dump().threads().stream().filter(Awaited::isForRoom);
        largest(Grouping.by(one -> one.stack().where(), waiting)).ifPresent(waiters -> {
            var first = waiters.getFirst();
            var ids = waiters.stream().map(ThreadState::id).collect(Collectors.toSet());
            var near = seen.dump().threads().stream()
                    .filter(one -> !ids.contains(one.id()) && !WaitReason.isForWork(one))
                    .filter(one -> !Circles.isMain(one.stack())
                            && (one.stack().says(Sign.CONSUMES) || one.stack().has(frame -> isOf(frame, types(first)))))
                    // who does the same as the waiters has just put something in
                    .filter(one -> !begins(one).equals(begins(first)))
                    .toList();
            var caller = first.stack().outermost(Frame::isOwn).map(Frame::caller);
            var same = near.stream()
                    .filter(one -> one.stack()
                            .outermost(Frame::isOwn)
                            .map(Frame::caller)
                            .equals(caller))
                    .toList();
            var what = Awaited.by(WaitReason.QUEUE, waiters, first, "").replaceFirst(",.*", "");
            var from = "the dump: " + first.stack().where();
            // whoever takes may call another class all the time
            var takers = !same.isEmpty()
                    ? same
                    : !near.isEmpty() ? near : busiest().stream().toList();
            add(Limit.of(Kind.QUEUE, what, from).waiting(waiters.size()), takers, waiters);
        });
    }

    private static String begins(ThreadState thread) {
        return thread.stack().outermost(Frame::isOwn).map(Frame::method).orElse("");
    }

    private static Set<String> types(ThreadState thread) {
        return thread.stack()
                .innermost(Frame::isOwn)
                .map(frame -> Set.of(Frame.type(frame.text())))
                .orElse(Set.of());
    }

    private static Optional<List<ThreadState>> largest(Map<String, List<ThreadState>> groups) {
        return groups.values().stream().max(Comparator.comparingInt(List::size));
    }

    /** Another program, where threads that have asked it wait for its answer the whole time. */
    private void addRemote() {
        var asking = seen.dump().threads().stream().filter(ThreadState::asks).toList();
        var lasting = seen.lasting(asking);
        // a thread that serves one request after the other asks at the same line: some are there twice by chance
        if (lasting.size() > seen.moved(asking) && !areFew(lasting) && !seen.mayGoOn(lasting)) {
            addLargest(Kind.REMOTE, lasting, 1);
        }
    }

    /** Whether each has a peer that does not read, as have fewer than half of those that do the same. */
    private boolean areFew(List<ThreadState> writing) {
        var callers = writing.stream()
                .map(one -> one.stack().outermost(Frame::isOwn).map(Frame::caller))
                .collect(Collectors.toSet());
        long same = seen.dump().threads().stream()
                .filter(one ->
                        callers.contains(one.stack().outermost(Frame::isOwn).map(Frame::caller)))
                .count();
        return writing.stream().allMatch(one -> Awaited.by(one.waits(), List.of(one), one, "")
                        .startsWith(Awaited.WRITES))
                && 2 * writing.size() < same;
    }

    /** What most of some threads wait for at each look, if there are so many. */
    private void addLargest(Kind kind, List<ThreadState> lasting, int least) {
        largest(Grouping.by(one -> Awaited.by(one.waits(), List.of(one), one, ""), lasting.stream()))
                .filter(waiters -> waiters.size() >= least)
                .ifPresent(waiters -> {
                    var what = Awaited.by(waiters.getFirst().waits(), waiters, waiters.getFirst(), "");
                    var limit = Limit.of(kind, what, "each look at the threads").waiting(waiters.size());
                    add(limit, List.of(), waiters);
                });
    }

    /** A timer has one thread: as long as that stands in a task, no other task of it runs. */
    private void addTimer() {
        var tasks = seen.dump().threads().stream()
                .filter(one -> one.stack().says(Sign.TIMES) && one.stack().has(Frame::isOwn))
                .filter(one -> one.waits() != WaitReason.NOTHING);
        seen.lasting(tasks.toList()).stream()
                .limit(1)
                .forEach(one -> add(
                        Limit.of(Kind.TIMER, one.label(), "each look at the threads")
                                .inUse(1, 1),
                        List.of(one),
                        List.of()));
    }

    /**
     * What several threads wait for that is never new work, where the whole program stands still at each look: nobody waits
     * for a time, and nothing may come from outside. A main that sleeps may be the one who ends it.
     */
    private void addSignal() {
        var threads = seen.dump().threads().stream()
                .filter(one -> !one.stack().frames().isEmpty())
                .filter(one -> !Pool.isJvms(one.name()) || isOutside(one) || WaitReason.isForTime(one))
                .toList();
        boolean still = !seen.dump().besides().hidden() && threads.stream().allMatch(Limits::standsStill);
        if (still && seen.lasting(threads).size() == threads.size()) {
            var held = threads.stream()
                    .filter(one -> one.stack().says(Sign.SIGNALS) && !Circles.isMain(one.stack()))
                    .filter(one -> !WaitReason.isForWork(one));
            addLargest(Kind.SIGNAL, held.toList(), 2);
        }
    }

    private static boolean isOutside(ThreadState one) {
        return one.waits() == WaitReason.SOCKET || one.waits() == WaitReason.FILE;
    }

    /** Whether only another thread of the program can make it go on; an own task that gives a result may end yet. */
    private static boolean standsStill(ThreadState one) {
        boolean rests = one.waits() == WaitReason.TASK && !WaitReason.isForTime(one);
        return (rests || "WAITING".equals(one.state()) || "BLOCKED".equals(one.state()))
                && !isOutside(one)
                && !one.stack().says(Sign.COMPLETES);
    }

    /** The thread that uses all of a CPU, if one does, at its line; on a carrier, the virtual thread that is seen there. */
    private Optional<ThreadState> busiest() {
        return mostBusy().map(most -> {
            var there = seen.looks().stream()
                    .flatMap(look -> look.threads().stream())
                    .filter(one -> one.virtual() ? one.carrier() == most.id() : one.id() == most.id())
                    .filter(one -> one.waits() == WaitReason.NOTHING
                            && !one.stack().path().isEmpty());
            // a text shows a carrier beside what it carries
            var by = there.collect(Collectors.partitioningBy(ThreadState::virtual));
            var lines = Grouping.by(
                    one -> Frame.method(one.stack().where()),
                    by.get(!by.get(true).isEmpty()).stream());
            return largest(lines).orElse(List.of(most)).getFirst();
        });
    }

    private Optional<ThreadState> mostBusy() {
        return seen.dump().threads().stream()
                .filter(one -> !one.virtual() && !Pool.isJvms(one.name()) && seen.cpu(one.id()) >= Thresholds.FULL)
                .max(Comparator.comparingDouble(one -> seen.cpu(one.id())));
    }

    private void addThread() {
        busiest()
                .ifPresent(one -> add(
                        Limit.of(Kind.THREAD, one.label(), "the CPU time of each thread")
                                .inUse(seen.cpu(mostBusy().orElseThrow().id()), 1),
                        List.of(one),
                        List.of()));
    }
}
