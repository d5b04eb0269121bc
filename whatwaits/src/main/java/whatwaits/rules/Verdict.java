package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import whatwaits.rules.Limit.Kind;
import whatwaits.rules.Limits.Found;

/**
 * Little's law on a running service: X, W, L = X · W, and which limit holds its requests up. A limit is met only where
 * somebody is seen waiting for it. As text it shows the arithmetic, and names that limit and how it was chosen.
 */
public final class Verdict {

    /** How many groups on carriers a reader is shown. */
    private static final int SHOWN = 3;

    private final Observation seen;
    private final List<Limit> limits;
    private final List<Limit> met;

    /** Whose CPUs are fully used: the program's, the machine's, or null. */
    private final Kind busy;

    /** Who has one of what the first limit limits, as far as it is seen. */
    private final List<ThreadState> holders;

    /** Why the first of several met limits comes first. */
    private final String why;

    /** The numbers of those that wait for the first of the met limits. */
    private final Set<Long> waiters;

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
        var most =
                new ArrayList<>(found.stream().filter(one -> isMet(one.limit())).toList());
        most.sort(Comparator.comparingDouble(one -> -one.limit().waiting()));
        why = order(most);
        met = most.stream().map(Found::limit).toList();
        waiters = most.stream()
                .limit(1)
                .flatMap(one -> one.waiters().stream())
                .map(ThreadState::id)
                .collect(Collectors.toSet());
        holders = most.isEmpty() ? List.of() : most.getFirst().holders();
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
                        .map(WaitReason::of)
                        .allMatch(waits -> waits == WaitReason.NOTHING || waits == WaitReason.SOCKET);
    }

    /** Whether almost all carriers are held by threads that wait: more of the machine's CPUs would not free them. */
    private boolean heldByWaiting(List<Found> found) {
        // a socket's call on a carrier does not block it: that thread is runnable, or waits for a CPU
        long waiting = seen.dump().pinned().stream()
                .filter(pin -> !WaitReason.SOCKET.toString().equals(pin.operation()))
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
            case MACHINE -> limit.kind() == busy && (limit.waiting() >= 1 || isStarved());
            case MEMORY -> true;
        };
    }

    /** Whether its threads wait for a CPU longer than they have one, and not only now and then. */
    private boolean isStarved() {
        double late = seen.outside().waitingForCpu();
        return late >= Thresholds.STARVED && late > Sample.mean(seen.samples(), Sample::cpus);
    }

    private static boolean isFull(Limit limit) {
        boolean counted = limit.kind() == Kind.CARRIERS || limit.kind() == Kind.CPUS || limit.kind() == Kind.MACHINE;
        return limit.of() > 0 && limit.inUse() >= (counted ? Thresholds.FULL : 1) * limit.of();
    }

    /**
     * The limit for which most threads wait comes first, unless most of those that have one wait for another limit: more
     * of the first would not help them. Says why.
     */
    private String order(List<Found> met) {
        if (met.size() < 2) {
            return "";
        }
        var first = met.getFirst();
        var why = " It comes first because most threads wait for it: "
                + number(first.limit().waiting()) + ", and "
                + number(met.get(1).limit().waiting()) + " for "
                + met.get(1).limit().name() + ".";
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
                why = why(first, next);
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

    private String why(Found first, Found other) {
        long waiting = waiting(first, other);
        long late = heldUp(first, other) - waiting;
        var seen = " of the " + Text.count(first.holders().size(), "thread") + " seen with one of these ";
        var direct = Text.number(waiting) + seen + (waiting == 1 ? "waits" : "wait") + " for it";
        var behind = Text.number(late) + (waiting > 0 ? " more " : seen) + (late == 1 ? "waits" : "wait")
                + " for a socket, and whoever would wake them waits for a carrier";
        var both = late == 0 ? direct : waiting == 0 ? behind : direct + ", and " + behind;
        return " It comes before " + first.limit().name() + ": " + both + ".";
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
        var waits = WaitReason.of(caller);
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
                .filter(holder -> holder.virtual() && !holder.isMounted() && WaitReason.of(holder) == WaitReason.SOCKET)
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
        return met;
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

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        var text = new StringBuilder(arithmetic());
        limits.forEach(limit -> text.append("- " + use(limit) + "\n"));
        dump().circles().forEach(circle -> text.append(circle + "\n"));
        return text.append(sentence() + largest()).toString();
    }

    /** {@return which limit is met, what follows from the arithmetic, and how it was chosen} */
    public String sentence() {
        if (!met.isEmpty()) {
            return named();
        }
        if (!dump().circles().isEmpty()) {
            return "None of these limits is met besides.";
        }
        boolean some = limits.stream().anyMatch(limit -> limit.kind() != Kind.CPUS && limit.waiting() > 0);
        return "None of these limits is met: "
                + (some
                        ? "the few that wait may just have come. If they still wait in another dump, look at who holds"
                                + " what they want."
                        : "nobody is seen waiting for one.");
    }

    /**
     * {@return a limit in words: how much of it is in use, who waits, whether it is met}
     *
     * @param limit one of {@link #limits}
     */
    public String use(Limit limit) {
        if (limit.kind() == Kind.MEMORY) {
            return limit.name() + ": full collections stopped all threads for " + number(100 * limit.inUse())
                    + " % of the time: met";
        }
        var use = number(limit.inUse()) + " of " + number(limit.of()) + " in use";
        var text = limit.name() + ": " + (Double.isNaN(limit.inUse()) ? "use unknown" : use);
        boolean waits = limit.waiting() > 0 && (limit.kind() == busy || limit.kind() != Kind.CPUS);
        if (waits || limit.waiting() == 0 && limit.kind() != Kind.CPUS && !isFull(limit)) {
            text += ", " + number(limit.waiting()) + (limit.waiting() == 1 ? " waits" : " wait");
        }
        return text
                + (met.contains(limit) ? ": met" : isFull(limit) && !waits ? ": all busy, nobody seen waiting" : "");
    }

    /** {@return X, W and L = X · W in one or two lines} */
    public String arithmetic() {
        var requests = seen.requests();
        var source = " (" + requests.source() + ").\n";
        if (Double.isNaN(requests.count())) {
            return "X, W and L are unknown" + source;
        }
        var x = number(throughput());
        var counted =
                "X = " + number(requests.count()) + " ÷ " + number(requests.seconds()) + " s = " + x + " requests/s";
        if (requests.count() == 0) {
            return counted + source
                    + "No request ended, so W and the number of requests inside are unknown: send load, unless all"
                    + " requests hang.\n";
        }
        var w = number(seconds());
        return counted + ", W = " + w + " s" + source + "L = X · W = " + x + " · " + w + " = " + number(inside())
                + " requests inside.\n";
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

    private String largest() {
        return most().map(group -> " Most threads: " + at(group)).orElse("");
    }

    private String named() {
        var others = met.stream().skip(1).map(Limit::name).collect(Collectors.joining(", "));
        return "The limit that is met: " + met.getFirst().name() + "." + held(met.getFirst())
                + (others.isEmpty() ? "" : " Also met: " + others + ".") + why;
    }

    /** How long each place is held, by Little's law. */
    private String held(Limit first) {
        if (first.kind() == Kind.MACHINE) {
            return " Other programs keep the machine's CPUs busy: runnable threads wait for a CPU, so carriers in use"
                    + " prove nothing.";
        }
        if (first.kind() == Kind.CONNECTIONS && Double.isNaN(first.of()) && isHikaris()) {
            return " Set spring.datasource.hikari.register-mbeans=true to see how many there are.";
        }
        var by =
                switch (first.kind()) {
                    case CARRIERS -> onThem(ThreadState::isMounted);
                    case CPUS -> others(first) + onThem(thread -> WaitReason.of(thread) == WaitReason.NOTHING);
                    case CONNECTIONS -> keepers();
                    case THREADS -> " Its threads: " + largest(holders) + ".";
                    default -> "";
                };
        if (first.kind() == Kind.MEMORY) {
            return " Full collections stopped all threads for " + number(100 * first.inUse()) + " % of the time.";
        }
        if (Double.isNaN(first.of()) || !(throughput() > 0)) {
            return by;
        }
        var of = number(first.of());
        var x = number(throughput());
        var lock = first.of() == 1 ? "this lock" : "one of these " + of + " locks";
        var who = first.kind() == Kind.LOCK
                ? " If each request needs " + lock + ", it"
                : first.kind() == Kind.CONNECTIONS && !first.instance().isEmpty()
                        ? " If each request needs one of these connections, it"
                        : " Each request";
        return by + who + " keeps one for " + of + " ÷ X = " + of + " ÷ " + x + " = "
                + number(1e3 * first.of() / throughput()) + " ms; as long as it does, X cannot exceed " + x
                + " per second.";
    }

    /** What of full CPUs other programs use. */
    private String others(Limit cpus) {
        double others = seen.machine() * cpus.of() - cpus.inUse();
        return isFull(cpus) || !(others > 0) ? "" : " Other programs use " + number(others) + " of them.";
    }

    private boolean isHikaris() {
        var waiting = dump().waitingFor(WaitReason.CONNECTION).stream();
        return waiting.anyMatch(thread -> thread.library().name().equals("HikariCP"));
    }

    /** Where those that have a connection keep it: it is taken there, and what is called there may wait. */
    private String keepers() {
        var lines = Grouping.by(one -> one.stack().keeps(), holders.stream());
        var most = lines.values().stream()
                .sorted(Comparator.comparingInt(one -> -one.size()))
                .limit(SHOWN)
                .map(all -> {
                    var group = new Grouping(all).groups().getFirst();
                    var at = group.stack().keeps();
                    return group.sentence() + ", at " + at
                            + (at.equals(group.where()) ? "" : " and there at " + group.where());
                })
                .collect(Collectors.joining("; "));
        return most.isEmpty() ? "" : " Those that have one: " + most + ".";
    }

    /** The largest groups of threads that have carriers, or CPUs, at each moment that was looked at. */
    private String onThem(Predicate<ThreadState> which) {
        var looks = Stream.concat(Stream.of(dump()), seen.moments().stream()).toList();
        var there = looks.stream()
                .flatMap(look -> look.groups().stream())
                .flatMap(group -> group.threads().stream())
                .filter(which)
                .toList();
        var lines = new Grouping(there)
                .groups().stream().limit(SHOWN).map(Verdict::at).collect(Collectors.joining(" "));
        var when = looks.size() == 1 ? "" : ", in " + looks.size() + " looks together";
        return lines.isEmpty() ? "" : " On them" + when + ": " + lines;
    }

    private static String largest(List<ThreadState> threads) {
        var most = new Grouping(threads).groups().stream().limit(SHOWN);
        return most.map(group -> group.sentence() + (group.where().isEmpty() ? "" : ", at " + group.where()))
                .collect(Collectors.joining("; "));
    }

    private static String at(Group group) {
        var others = group.others().stream().map(line -> ", " + line).collect(Collectors.joining());
        return group.sentence() + (group.where().isEmpty() ? "" : ", at " + group.where()) + others + ".";
    }

    private static String number(double value) {
        return Text.rounded(value, 3);
    }
}
