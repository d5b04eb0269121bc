package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import whatwaits.rules.Limit.Kind;
import whatwaits.rules.Limits.Found;

/**
 * Little's law on a running service: X, W, L = X · W, and which limit holds its requests up. A limit is met only where
 * somebody is seen waiting for it. As text it shows the arithmetic, and names that limit and how it was chosen.
 */
public final class Verdict {

    /** Names of methods that take work: threads that wait there come and go with it. */
    private static final Pattern FETCHES = Pattern.compile(
            "\\.(?i:take|poll|fetch|next|receive|dequeue|pop|consume|pull|remove|run)\\w*$|(Work|Task|Job|Message|Element)$");

    private final Observation seen;
    private final List<Limit> limits;
    private final List<Found> found;
    /** Whose CPUs are fully used: the program's, the machine's, or null. */
    private final Kind busy;

    /** Those that are met, with the threads behind their figures. */
    private final List<Found> named;

    private final Before before;

    /** Found when somebody asks; null before. */
    private Optional<Undecided> undecided;

    /** The numbers of those that wait for the first of the met limits. */
    private final Set<Long> waiters;

    /**
     * Before which other limit the first one comes.
     *
     * @param other it
     * @param seen threads that have one of the other; if none of them is held up, more threads wait for the first
     * @param waiting how many of them wait for the first
     * @param late how many more wait for a socket, whose waker waits for the first
     */
    record Before(Limit other, long seen, long waiting, long late) {}

    private Verdict(Observation seen, List<Found> found) {
        this.seen = seen;
        // on a full machine the program that uses most of it has the CPUs as its own limit
        boolean full = found.stream()
                .map(Found::limit)
                .anyMatch(limit -> limit.kind() == Kind.CPUS
                        && (limit.inUse() >= Thresholds.FULL * limit.of()
                                || seen.machine() >= Thresholds.FULL_MACHINE
                                        && limit.inUse() > seen.machine() * limit.of() / 2));
        // otherwise the service could compute more, but other programs may have the CPUs
        boolean others = seen.machine() >= Thresholds.FULL_MACHINE && !heldByWaiting(found);
        busy = full || !others && isComputingOnAll(found) ? Kind.CPUS : others ? Kind.MACHINE : null;
        limits = found.stream()
                .map(Found::limit)
                .filter(limit -> limit.kind() != Kind.MACHINE || busy == Kind.MACHINE)
                .toList();
        var most = new ArrayList<>(found.stream()
                .filter(one -> isMet(one.limit()) && !one.unsure() && !isOfCircle(one))
                .toList());
        if (most.isEmpty() && dump().circles().isEmpty()) {
            found.stream().filter(this::isMetAlone).forEach(most::add);
        }
        if (dump().besides().deadlock() && dump().circles().isEmpty()) {
            // the lock of a deadlock that could not be read may be any, and it is not held too long, but for ever
            most.clear();
        }
        this.found = found;
        most.sort(Comparator.comparingDouble(one -> -one.limit().waiting()));
        before = order(most);
        named = List.copyOf(most);
        waiters = most.stream()
                .limit(1)
                .flatMap(one -> one.waiters().stream())
                .map(ThreadState::id)
                .collect(Collectors.toSet());
    }

    /** Whether it is a lock that a circle is made of: it is not held too long, but for ever. So is a class without a name. */
    private boolean isOfCircle(Found one) {
        return one.limit().kind() == Kind.LOCK
                && dump().circles().stream()
                        .flatMap(circle -> circle.members().stream())
                        .anyMatch(member -> one.waiters().stream()
                                .anyMatch(
                                        waiter -> waiter.id() == member.thread().id()
                                                || member.ofClass()
                                                        && waiter.blocker() == null
                                                        && waiter.stack().mayInitialize()));
    }

    /** Whether all that carriers carry computes, and there are no more CPUs than carriers: then more carriers are no help. */
    private boolean isComputingOnAll(List<Found> found) {
        boolean full = found.stream()
                .map(Found::limit)
                .anyMatch(limit -> limit.kind() == Kind.CARRIERS && isFull(limit) && limit.of() >= seen.cpus());
        double used = Sample.mean(seen.samples(), Sample::cpus);
        var mounted = Stream.concat(Stream.of(dump()), seen.moments().stream())
                .flatMap(look -> look.threads().stream())
                .filter(ThreadState::isMounted)
                .toList();
        return full
                && used >= Thresholds.COMPUTING * seen.cpus()
                && !mounted.isEmpty()
                && mounted.stream()
                        .map(ThreadState::waits)
                        .allMatch(waits -> waits == WaitReason.NOTHING || waits == WaitReason.SOCKET);
    }

    /** Whether almost all carriers are held by threads that wait: more of the machine's CPUs would not free them. */
    private boolean heldByWaiting(List<Found> found) {
        // a socket's call on a carrier does not block it, unless it parks there: that thread is runnable, or waits for
        // a CPU
        long waiting = seen.dump().pinned().stream()
                .filter(pin -> !WaitReason.SOCKET.toString().equals(pin.operation()) || pin.isParked())
                .count();
        return found.stream()
                .map(Found::limit)
                .anyMatch(limit ->
                        limit.kind() == Kind.CARRIERS && waiting > 0 && waiting >= Thresholds.FULL * limit.of());
    }

    /**
     * {@return the limits of what was observed, and which of them are met}
     *
     * @param seen an observation
     */
    public static Verdict of(Observation seen) {
        return new Verdict(seen, Limits.of(seen));
    }

    /** Whether a limit holds requests up: whether somebody is seen waiting for it. */
    private boolean isMet(Limit limit) {
        return switch (limit.kind()) {
            // a single waiting thread may just have come at a bad moment
            case LOCK, PERMITS -> limit.waiting() > limit.resources();
            case CLIENT_CONNECTIONS, THREADS -> limit.waiting() > 0;
            // one that gets a free connection at this moment does not wait for it
            case CONNECTIONS -> limit.waiting() > 0 && !(limit.waiting() <= limit.of() - limit.inUse());
            // threads that compute also keep carriers busy: then the CPUs are the limit
            case CARRIERS -> isFull(limit) && limit.waiting() >= 1 && busy == null;
            case CPUS -> limit.kind() == busy && limit.waiting() >= 1;
            case MACHINE -> limit.kind() == busy && (limit.waiting() >= 1 || isStarved()) && computes();
            case MEMORY -> true;
            case QUEUE, REMOTE, SIGNAL, THREAD, TIMER -> false;
        };
    }

    /** Whether a limit is named where no other is: somebody waits for it at each look, or it needs no second look. */
    private boolean isMetAlone(Found one) {
        var limit = one.limit();
        return switch (limit.kind()) {
            case QUEUE -> limit.waiting() > 1 || !seen.lasting(one.waiters()).isEmpty();
            case LOCK, PERMITS -> !one.unsure() && !seen.lasting(one.waiters()).isEmpty();
            case REMOTE, SIGNAL, THREAD, TIMER -> true;
            default -> false;
        };
    }

    /** Whether the program wants CPUs at all: others may use them while it has nothing to do. */
    private boolean computes() {
        return Sample.mean(seen.samples(), Sample::program) >= Thresholds.USES
                || isStarved() && seen.looks().stream().anyMatch(look -> look.count(WaitReason.NOTHING) > 0);
    }

    /**
     * {@return why it is open whether a limit is met, and what would decide} Empty where something is named, and where
     * nobody is seen waiting for anything but work.
     */
    public Optional<Undecided> undecided() {
        if (undecided == null) {
            undecided = open();
        }
        return undecided;
    }

    private Optional<Undecided> open() {
        if (!named.isEmpty() || !dump().circles().isEmpty()) {
            return Optional.empty();
        }
        if (dump().besides().deadlock()) {
            return Optional.of(new Undecided(
                    "circle",
                    "The JVM says that threads lock each other out, and who they are could not be read",
                    "jstack PID > FILE, and whatwaits read FILE"));
        }
        if (dump().besides().shuffled()) {
            return Optional.of(new Undecided(
                    "shuffled",
                    "The lines of some threads are mixed up, and who of them waits for whom cannot be told",
                    "jcmd PID Thread.dump_to_file -format=json FILE, and whatwaits read FILE"));
        }
        if (dump().besides().cut() != null) {
            return Optional.of(new Undecided(
                    "cut",
                    "Part of a dump is missing: " + dump().besides().cut()
                            + ", and what the rest waits for is not known",
                    "copy the whole dump, or take another: jcmd PID Thread.dump_to_file -format=json FILE"));
        }
        if (dump().besides().hidden()) {
            return Optional.of(new Undecided(
                    "unseen",
                    "This program has virtual threads, and what those wait for that are on no carrier was not seen",
                    "whatwaits look PID --dumps, or jcmd PID Thread.dump_to_file -format=json FILE and whatwaits read"
                            + " FILE"));
        }
        if (seen.outside().collecting() >= Thresholds.COLLECTS) {
            return Optional.of(new Undecided(
                    "heap",
                    "Full collections took " + Text.rounded(100 * seen.outside().collecting(), 2)
                            + " % of the time, or of the CPUs that were left for them",
                    "jcmd PID GC.heap_info and jcmd PID GC.class_histogram, or look again, longer"));
        }
        if (dump().mayBeCircle()) {
            // newer ones name owners of locks, and of nothing else
            boolean locks = dump().count(WaitReason.LOCK) > 0;
            return Optional.of(new Undecided(
                    "circle",
                    "Some threads may wait for each other, and no dump" + (locks ? " of this Java" : "")
                            + " says who has what they wait for",
                    "look again, longer: whatwaits look PID --seconds 30 --dumps"
                            + (locks ? ", or on Java 25.0.5 or newer" : "")));
        }
        if (!seen.isLook()) {
            var command = "take another dump, or whatwaits look PID --dumps";
            if (asked().isPresent()) {
                return Optional.of(new Undecided(
                        "once", "The few that wait may just have come: there is one look at them", command));
            }
            return dump().groups().stream()
                    .filter(this::mayBeHeldUp)
                    .findFirst()
                    .map(group -> new Undecided(
                            "once",
                            group.sentence() + group.at() + ", and one look does not say for how long",
                            command,
                            group.where()));
        }
        return dump().groups().stream()
                .filter(this::isOpen)
                // whoever wants a permit rarely waits for work
                .min(Comparator.comparing(group -> group.waits() != WaitReason.PERMIT))
                .map(group -> new Undecided(
                        "unknown",
                        "At each look " + group.sentence() + ", at " + group.where() + ", " + open(group),
                        group.isForProcess()
                                ? "ps f -eo pid,etime,wchan:20,args shows below PID which, for how long, and in what;"
                                        + " one in pipe_write or anon_pipe_write waits for its output to be read"
                                : "look at that line, or again under load: whatwaits look PID --seconds 30 --dumps",
                        group.where()))
                .or(this::crowd)
                .or(this::busyPool);
    }

    /** A lock for which a crowd waits at most looks, though not at each: it may be held long, and be free in between. */
    private Optional<Undecided> crowd() {
        var looks = seen.looks();
        if (looks.size() <= Thresholds.LOOKS) {
            return Optional.empty();
        }
        return looks.stream()
                .flatMap(Verdict::crowds)
                .filter(one -> 2 * times(one) > looks.size() && times(one) < looks.size())
                .findFirst()
                .map(one -> new Undecided(
                        "crowd",
                        "At " + times(one) + " of " + looks.size() + " looks threads crowd at a lock, such as: "
                                + one.sentence() + ", at " + one.where()
                                + ": it may be held long, and be free in between",
                        "look again some times, or read what is done while it is held",
                        one.where()));
    }

    private static Stream<Group> crowds(ThreadDump look) {
        return look.groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK
                        && group.size() >= Thresholds.ALIKE
                        && !group.virtual()
                        && !group.severalLocks()
                        && group.first().library() == null);
    }

    private long times(Group crowd) {
        return seen.looks().stream()
                .filter(look -> crowds(look).anyMatch(one -> one.where().equals(crowd.where())))
                .count();
    }

    private String open(Group group) {
        var repeats = repeating();
        return repeats.stream().anyMatch(group.threads()::contains)
                ? "in a task that is run again and again: the other tasks of that thread stand meanwhile"
                : why(group)
                        + repeats.stream()
                                .findFirst()
                                .map(one -> "; meanwhile " + one.label()
                                        + ", whose tasks run one after the other, waits at each look in one of them, at "
                                        + one.stack().where())
                                .orElse("");
    }

    /** Threads that stand at each look at one line of a task, and are alone to run the tasks of a timer or scheduler. */
    private List<ThreadState> repeating() {
        return dump().threads().stream()
                .filter(one -> one.stack().says(Sign.REPEATS)
                        && one.stack().has(Frame::isOwn)
                        && one.waits() != WaitReason.NOTHING)
                .filter(one -> seen.looks().stream().allMatch(look -> look.threads().stream()
                        .filter(other -> Pool.of(other.name()).equals(Pool.of(one.name())))
                        .allMatch(other -> other.id() == one.id()
                                && other.waits() == one.waits()
                                && other.stack().where().equals(one.stack().where()))))
                .toList();
    }

    private String why(Group group) {
        if (group.isForProcess()) {
            return "and no stack says whether that process should have ended";
        }
        if (group.waits() == WaitReason.PERMIT
                || group.waits() == WaitReason.CONDITION && Limits.given(group) != null) {
            return "and no thread is seen that has one: they may wait for work, or for a callback, or the permits are"
                    + " lost";
        }
        boolean others = dump().groups().stream()
                .filter(other -> other != group)
                .flatMap(other -> other.threads().stream())
                .anyMatch(Verdict::mayEnd);
        boolean timed = "TIMED_WAITING".equals(group.first().state());
        return group.waits() == WaitReason.CONDITION && !others && !timed
                ? "and no other thread runs that could end that: whoever should may have come before, or not at all"
                : "and no stack says whether they are idle or held up";
    }

    /** Whether a thread may end the wait of others: it does something, its time will come, or somebody may send it a request. */
    private static boolean mayEnd(ThreadState one) {
        boolean main =
                Circles.isMain(one.stack()) && one.waits() != WaitReason.SLEEP && one.waits() != WaitReason.NOTHING;
        boolean does = !WaitReason.isForWork(one) && one.stack().has(Frame::isOwn) && !main;
        return does || WaitReason.listens(one) || WaitReason.isForTime(one);
    }

    /**
     * A pool all of whose threads are busy at each look: how many tasks stand in its queue, no stack says. Whoever waits
     * for the result of one is seen, so only those without a result count, and those of a schedule.
     */
    private Optional<Undecided> busyPool() {
        return found.stream()
                .filter(one -> one.limit().kind() == Kind.THREADS
                        && !one.limit().instance().isEmpty())
                .filter(one -> !one.holders().isEmpty() && seen.looks().stream().allMatch(look -> isBusy(one, look)))
                .findFirst()
                .map(one -> {
                    var line = one.holders().getFirst().stack().where();
                    return new Undecided(
                            "queue",
                            "At each look no thread of " + one.limit().instance() + " is idle, such as at " + line
                                    + ", and how many tasks stand in its queue no stack says",
                            "the size of its executor's queue, or jcmd PID GC.class_histogram twice: do tasks or nodes"
                                    + " of queues grow in number",
                            line);
                });
    }

    private boolean isBusy(Found pool, ThreadDump look) {
        // a library may rename its threads while they work: a dump with containers knows whose they are
        long busy = pool.holders().getFirst().id();
        var same = dump().containers().stream()
                .filter(one -> !one.isRoot() && one.threads().stream().anyMatch(thread -> thread.id() == busy))
                .flatMap(one -> one.threads().stream())
                .map(ThreadState::id)
                .collect(Collectors.toSet());
        var threads = look.threads().stream()
                .filter(one -> same.contains(one.id())
                        || Pool.of(one.name()).equals(pool.limit().instance()))
                .toList();
        return !threads.isEmpty()
                && threads.stream()
                        .allMatch(one -> one.stack().says(Sign.QUEUES)
                                && (!one.stack().says(Sign.GIVES_RESULT)
                                        || one.stack().says(Sign.SCHEDULES))
                                && !WaitReason.isForWork(one));
    }

    /** Something for which at least one thread waits. */
    Optional<Limit> asked() {
        return limits.stream()
                .filter(limit -> limit.kind() != Kind.CPUS && limit.kind() != Kind.MACHINE && limit.waiting() > 0)
                .findFirst();
    }

    /** Whether any look, also another than the one that is judged, shows a thread that waits for a lock or a connection. */
    boolean isLockWanted() {
        return seen.looks().stream()
                .anyMatch(look -> look.count(WaitReason.LOCK) + look.count(WaitReason.CONNECTION) > 0);
    }

    /** Whether a group waits the whole time for what may be work, or what holds a request up. */
    private boolean isOpen(Group group) {
        return mayBeHeldUp(group) && (!seen.lasting(group.threads()).isEmpty() || isCrowded(group));
    }

    /** Whether each look shows several threads where these wait, though not always the same: they may be held up in turn. */
    private boolean isCrowded(Group group) {
        boolean fetches = group.stack()
                .innermost(Frame::isOwn)
                .filter(frame -> FETCHES.matcher(frame.method()).find())
                .isPresent();
        boolean open = group.waits() == WaitReason.CONDITION && !fetches || group.waits() == WaitReason.PERMIT;
        return open && seen.isSeenAgain(group);
    }

    /** Whether a second dump would say more: nothing is named, and virtual threads wait for what may hold them up. */
    boolean wantsLater() {
        return named.isEmpty() && dump().groups().stream().anyMatch(group -> group.virtual() && mayBeHeldUp(group));
    }

    private boolean mayBeHeldUp(Group group) {
        var first = group.threads().getFirst();
        boolean waits =
                switch (group.waits()) {
                    case CONDITION, PERMIT, SOCKET, FILE, RESULT, CONNECTION, LOCK -> true;
                    case QUEUE -> Awaited.isForRoom(first) || first.isRequest();
                    case SLEEP -> first.isRequest();
                    default -> false;
                };
        return waits
                && !WaitReason.isForWork(first)
                && first.stack().has(Frame::isOwn)
                && !first.stack().says(Sign.EXITS)
                && !Circles.isMain(first.stack())
                && !awaitsItsEnd(first);
    }

    /** Whether it has started a server, and waits for its end. */
    private boolean awaitsItsEnd(ThreadState one) {
        boolean main = one.stack()
                .outermost(Frame::isOwn)
                .filter(frame -> frame.method().endsWith(".main"))
                .isPresent();
        return main
                && one.waits() == WaitReason.CONDITION
                && "WAITING".equals(one.state())
                && dump().threads().stream().anyMatch(WaitReason::listens);
    }

    /** Whether its threads wait for a CPU longer than they have one, and not only now and then. */
    private boolean isStarved() {
        double late = seen.outside().waitingForCpu();
        return late >= Thresholds.STARVED && late > Sample.mean(seen.samples(), Sample::program);
    }

    static boolean isFull(Limit limit) {
        boolean counted = limit.kind() == Kind.CARRIERS || limit.kind() == Kind.CPUS || limit.kind() == Kind.MACHINE;
        return limit.of() > 0 && limit.inUse() >= (counted ? Thresholds.FULL : 1) * limit.of();
    }

    /**
     * The limit for which most threads wait comes first, unless most of those that have one wait for another limit: more
     * of the first would not help them. Says before which of them it comes, and why.
     */
    private Before order(List<Found> met) {
        if (met.size() < 2) {
            return null;
        }
        var first = met.getFirst();
        var why = new Before(met.get(1).limit(), 0, 0, 0);
        var passed = new LinkedHashSet<Found>();
        while (passed.add(first)) {
            // of several, the one that holds most of them up
            Found next = null;
            for (Found other : met) {
                long held = heldUp(first, other);
                if (!passed.contains(other)
                        && 2 * held > holders(first)
                        && (next == null || held > heldUp(first, next))) {
                    next = other;
                }
            }
            if (next != null) {
                why = new Before(first.limit(), first.holders().size(), waiting(first, next), late(first, next));
                first = next;
            }
        }
        met.remove(first);
        met.add(0, first);
        return why;
    }

    /** How many have one of a limit; the scheduler may count more on carriers than the dump has caught. */
    private static long holders(Found first) {
        long seen = first.holders().size();
        return first.limit().kind() == Kind.CARRIERS
                ? Math.max(seen, Math.round(first.limit().inUse()))
                : seen;
    }

    /** How many of those that have one of the first cannot go on because of the other. */
    private long heldUp(Found first, Found other) {
        return waiting(first, other) + late(first, other);
    }

    /** How many of those that have one of the first wait for one of the other. */
    private static long waiting(Found first, Found other) {
        var waiting = other.waiters().stream().map(ThreadState::id).collect(Collectors.toSet());
        return first.holders().stream()
                .filter(holder -> waiting.contains(holder.id()) && !runsInstead(holder, other))
                .count();
    }

    /** Whether a caller of a pool that divides its tasks runs its own part of them at this moment. */
    private static boolean runsInstead(ThreadState caller, Found pool) {
        var waits = caller.waits();
        boolean runs = waits == WaitReason.NOTHING || caller.isMounted() && waits != WaitReason.RESULT;
        return pool.limit().kind() == Kind.THREADS && runs;
    }

    /**
     * How many of them wait for a socket, while whoever would wake them stands in a long queue for a carrier: their answers
     * may be there, and that wait is one for the other. In a short queue it may stand for a moment only.
     */
    private long late(Found first, Found other) {
        var kind = other.limit().kind();
        boolean runs = kind == Kind.CARRIERS || kind == Kind.CPUS || kind == Kind.MACHINE;
        boolean queue = other.limit().waiting() >= other.limit().of();
        if (!runs || !queue || !dump().isPollerLate()) {
            return 0;
        }
        return first.holders().stream()
                .filter(holder -> holder.virtual() && !holder.isMounted() && holder.waits() == WaitReason.SOCKET)
                .count();
    }

    /** {@return X, the throughput in requests per second; not a number if nobody counted the requests} */
    public double throughput() {
        return seen.requests().perSecond();
    }

    /** {@return W, the mean latency in seconds; not a number if no request ended} */
    public double seconds() {
        return seen.requests().mean();
    }

    /** {@return L = X · W, the mean number of requests inside; not a number if no request ended} */
    public double inside() {
        return seen.requests().inside();
    }

    /** {@return the limited resources that were found: those that are met and those that are not} */
    public List<Limit> limits() {
        return limits;
    }

    /**
     * {@return the limits that are met; none if nobody is seen waiting for one} The first is the one that most threads
     * wait for, unless most threads that have one wait for another limit, such as a CPU. Where other programs keep the
     * machine's CPUs busy, carriers are in use without being a limit of the service, and are not named.
     */
    public List<Limit> met() {
        return named.stream().map(Found::limit).toList();
    }

    /** {@return the groups of threads that wait for the first of the met limits, as far as the dump shows them} */
    public List<Group> waiting() {
        return dump().groups().stream()
                .filter(group -> group.threads().stream().map(ThreadState::id).anyMatch(waiters::contains))
                .toList();
    }

    /**
     * {@return the threads at the moment when the limits were read; of several rounds under a load, the one in which most
     * threads waited} A limit that is met only now and then may not show in another dump.
     */
    public ThreadDump dump() {
        return seen.dump();
    }

    /** {@return what is named: circles, then the limits that are met; the first comes first} */
    public List<Finding> findings() {
        return Stream.concat(
                        dump().circles().stream().map(Finding::of),
                        named.stream().map(one -> Finding.of(one, dump())))
                .toList();
    }

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        return new Words(this).all();
    }

    /** {@return which limit is met, what follows from the arithmetic, and how it was chosen} */
    public String sentence() {
        return new Words(this).sentence();
    }

    /**
     * {@return a limit in words: how much of it is in use, who waits, whether it is met}
     *
     * @param limit one of {@link #limits}
     */
    public String use(Limit limit) {
        return new Words(this).use(limit);
    }

    /** {@return X, W and L = X · W in one or two lines} */
    public String arithmetic() {
        return new Words(this).arithmetic();
    }

    /**
     * {@return the largest group of threads that do not wait for work; empty if there is none} A virtual thread that takes
     * from a queue may be a request that waits for a pool of the program's own making.
     */
    public Optional<Group> most() {
        return dump().groups().stream()
                .filter(group -> group.virtual() && group.waits() == WaitReason.QUEUE
                        || !WaitReason.isForWork(group.threads().getFirst()))
                .findFirst();
    }

    Observation seen() {
        return seen;
    }

    /** Why the first of the met limits comes first; null if there are no others. */
    Before before() {
        return before;
    }

    /** Who has one of what the first limit limits, as far as it is seen. */
    List<ThreadState> holders() {
        return named.isEmpty() ? List.of() : named.getFirst().holders();
    }

    /** Whether no look shows a thread that has one of what the first limit limits. */
    boolean areLost() {
        var waiters = named.getFirst().waiters();
        return seen.looks().stream().noneMatch(look -> Circles.anyHas(waiters, look.threads()));
    }

    /** Whether its threads are those that the CPUs are the limit of: the program's, or the machine's. */
    boolean isBusy(Limit limit) {
        return limit.kind() == busy;
    }
}
