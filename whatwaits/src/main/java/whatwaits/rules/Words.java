package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import whatwaits.rules.Limit.Kind;

/** Makes the sentences of a verdict out of its data; no rule is here. */
final class Words {

    /** How many groups on carriers a reader is shown. */
    private static final int SHOWN = 3;

    /** How many members of a circle a reader is shown. */
    private static final int MEMBERS = 8;

    private final Verdict verdict;

    Words(Verdict verdict) {
        this.verdict = verdict;
    }

    /** The arithmetic, the limits, the circles and the verdict. */
    String all() {
        var text = new StringBuilder(arithmetic());
        verdict.limits().forEach(limit -> text.append("- " + use(limit) + "\n"));
        verdict.dump().circles().forEach(circle -> text.append(circle + "\n"));
        return text.append(sentence()
                        + verdict.most()
                                .map(group -> " Most threads: " + at(group))
                                .orElse(""))
                .toString();
    }

    /** Which limit is met, what follows from the arithmetic, and how it was chosen. */
    String sentence() {
        if (!verdict.met().isEmpty()) {
            return named();
        }
        if (!verdict.dump().circles().isEmpty()) {
            return "None of these limits is met besides.";
        }
        var open = verdict.undecided();
        if (open.isPresent()) {
            return "Undecided: " + open.get();
        }
        boolean some = verdict.asked().isPresent() || verdict.isLockWanted();
        return "None of these limits is met: "
                + (some ? "whoever waits for one gets it before the next look." : "nobody is seen waiting for one.");
    }

    /** How much of a limit is in use, who waits, whether it is met. */
    String use(Limit limit) {
        if (limit.kind() == Kind.MEMORY) {
            return limit.name() + ": full collections stopped all threads for " + number(100 * limit.inUse())
                    + " % of the time: met";
        }
        var use = number(limit.inUse())
                + (Double.isNaN(limit.of())
                        ? " in use, of how many is unknown"
                        : " of " + number(limit.of()) + " in use");
        var text = limit.name() + ": " + (Double.isNaN(limit.inUse()) ? "use unknown" : use);
        boolean waits = limit.waiting() > 0 && (verdict.isBusy(limit) || limit.kind() != Kind.CPUS);
        if (waits || limit.waiting() == 0 && limit.kind() != Kind.CPUS && !Verdict.isFull(limit)) {
            text += ", " + number(limit.waiting()) + (limit.waiting() == 1 ? " waits" : " wait");
        }
        return text
                + (verdict.met().contains(limit)
                        ? ": met"
                        : Verdict.isFull(limit) && !waits ? ": all busy, nobody seen waiting" : "");
    }

    /** X, W and L = X · W in one or two lines. */
    String arithmetic() {
        var requests = verdict.seen().requests();
        var source = " (" + requests.source() + ").\n";
        if (Double.isNaN(requests.count())) {
            return "X, W and L are unknown" + source;
        }
        var x = number(verdict.throughput());
        var counted =
                "X = " + number(requests.count()) + " ÷ " + number(requests.seconds()) + " s = " + x + " requests/s";
        if (requests.count() == 0) {
            return counted + source
                    + "No request ended, so W and the number of requests inside are unknown: send load, unless all"
                    + " requests hang.\n";
        }
        var w = number(verdict.seen().requests().mean());
        return counted + ", W = " + w + " s" + source + "L = X · W = " + x + " · " + w + " = "
                + number(verdict.inside()) + " requests inside.\n";
    }

    /** Why the first limit comes first. */
    private String why(Limit first) {
        var before = verdict.before();
        if (before == null) {
            return "";
        }
        if (Double.isNaN(before.other().waiting())) {
            return "";
        }
        if (before.waiting() + before.late() == 0) {
            return " It comes first because most threads wait for it: " + number(first.waiting()) + ", and "
                    + number(before.other().waiting()) + " for "
                    + before.other().name() + ".";
        }
        var seen = " of the " + Text.count(before.seen(), "thread") + " seen with one of these ";
        var direct = Text.number(before.waiting()) + seen + (before.waiting() == 1 ? "waits" : "wait") + " for it";
        var behind = Text.number(before.late()) + (before.waiting() > 0 ? " more " : seen)
                + (before.late() == 1 ? "waits" : "wait")
                + " for a socket, and whoever would wake them waits for a carrier";
        var both = before.late() == 0 ? direct : before.waiting() == 0 ? behind : direct + ", and " + behind;
        return " It comes before " + before.other().name() + ": " + both + ".";
    }

    private String named() {
        var met = verdict.met();
        var others = met.stream().skip(1).map(Limit::name).collect(Collectors.joining(", "));
        return "The limit that is met: " + met.getFirst().name() + "." + held(met.getFirst())
                + (others.isEmpty() ? "" : " Also met: " + others + ".") + why(met.getFirst());
    }

    /** How long each place is held, by Little's law. */
    private String held(Limit first) {
        if (first.kind() == Kind.MACHINE) {
            return " Other programs keep the machine's CPUs busy: runnable threads wait for a CPU, so"
                    + " this one gets less than it wants." + onThem(thread -> thread.waits() == WaitReason.NOTHING);
        }
        if (first.kind() == Kind.CONNECTIONS && Double.isNaN(first.of()) && isHikaris()) {
            return " How many there are is not seen from outside: its metrics tell, such as Actuator's.";
        }
        var by =
                switch (first.kind()) {
                    case CARRIERS -> onThem(ThreadState::isMounted);
                    case CPUS -> others(first) + onThem(thread -> thread.waits() == WaitReason.NOTHING);
                    case CONNECTIONS -> keepers();
                    case TIMER -> " It stands in one task: " + largest(verdict.holders()) + ".";
                    case THREADS -> " Its threads: " + largest(verdict.holders()) + ".";
                    case THREAD ->
                        " It uses " + number(first.inUse()) + " of a CPU, at "
                                + verdict.holders().getFirst().stack().where() + ".";
                    case QUEUE -> takers();
                    case SIGNAL ->
                        " Every thread stands still: no other thread runs that could end that, and none waits for a"
                                + " socket, a file or a time.";
                    case LOCK -> keeper(first);
                    case PERMITS ->
                        verdict.holders().isEmpty() && verdict.areLost()
                                ? " No thread is seen that has one: a callback may give them back, or they are lost."
                                : "";
                    default -> "";
                };
        if (first.kind() == Kind.MEMORY) {
            return " Full collections stopped all threads for " + number(100 * first.inUse()) + " % of the time.";
        }
        if (Double.isNaN(first.of()) || !(verdict.throughput() > 0)) {
            return by;
        }
        var of = number(first.of());
        var x = number(verdict.throughput());
        var lock = first.of() == 1 ? "this lock" : "one of these " + of + " locks";
        var who = first.kind() == Kind.LOCK
                ? " If each request needs " + lock + ", it"
                : first.kind() == Kind.CONNECTIONS && !first.instance().isEmpty()
                        ? " If each request needs one of these connections, it"
                        : " Each request";
        return by + who + " keeps one for " + of + " ÷ X = " + of + " ÷ " + x + " = "
                + number(1e3 * first.of() / verdict.throughput()) + " ms; as long as it does, X cannot exceed " + x
                + " per second.";
    }

    /** What the thread does that has the lock. */
    private String keeper(Limit lock) {
        return verdict.waiting().stream()
                .map(Group::held)
                .filter(Objects::nonNull)
                .findFirst()
                .map(held -> {
                    var by = new Grouping(List.of(held.by())).groups().getFirst();
                    return (held.proven() ? " It is held by " : " It is probably held by ")
                            + held.by().label() + ", which " + by.does()
                            + (by.where().isEmpty() ? "" : ", at " + by.where())
                            + (by.what().equals(Awaited.FILE) ? "; lslocks shows which process has that" : "") + ".";
                })
                .orElse(
                        // of a monitor the JVM names a platform thread that has it, of other locks only if asked
                        lock.instance().startsWith("Reentrant")
                                ? " Who holds it is not seen: jcmd PID Thread.print -l names a platform thread that does, while"
                                        + " all threads stand still for some 0.3 ms (ZGC: 1) for each MB of heap."
                                : verdict.dump().isHiding()
                                        ? " Who holds it is not seen: probably a virtual thread, of which only a dump shows what"
                                                + " it waits for, and whether these wait for each other (--dumps)."
                                        : "");
    }

    /** Who may take from a full queue, and where that is called. */
    private String takers() {
        var lines = Grouping.by(one -> one.stack().path(), verdict.holders().stream()).values().stream()
                .limit(SHOWN)
                .map(same -> same.getFirst().label() + (same.size() == 1 ? "" : " and others") + ", at "
                        + Stream.of(same.getFirst().stack().path().split("\n"))
                                .limit(2)
                                .collect(Collectors.joining(", called at ")));
        var all = lines.collect(Collectors.joining("; "));
        return all.isEmpty() ? " Who takes from it is not seen." : " Who may take from it: " + all + ".";
    }

    /** What of full CPUs other programs use. */
    private String others(Limit cpus) {
        double others = verdict.seen().machine() * cpus.of() - cpus.inUse();
        return Verdict.isFull(cpus) || !(others > 0) ? "" : " Other programs use " + number(others) + " of them.";
    }

    private boolean isHikaris() {
        var waiting = verdict.dump().waitingFor(WaitReason.CONNECTION).stream();
        return waiting.anyMatch(thread -> thread.library().name().equals("HikariCP"));
    }

    /** Where those that have a connection keep it: it is taken there, and what is called there may wait. */
    private String keepers() {
        var lines = Grouping.by(one -> one.stack().keeps(), verdict.holders().stream());
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
        var looks = Stream.concat(Stream.of(verdict.dump()), verdict.seen().moments().stream())
                .toList();
        var there = looks.stream()
                .flatMap(look -> look.groups().stream())
                .flatMap(group -> group.threads().stream())
                .filter(which)
                .toList();
        var lines = new Grouping(there)
                .groups().stream().limit(SHOWN).map(Words::at).collect(Collectors.joining(" "));
        var when = looks.size() == 1 ? "" : ", in " + looks.size() + " looks together";
        return lines.isEmpty() ? "" : " On them" + when + ": " + lines;
    }

    private static String largest(List<ThreadState> threads) {
        var most = new Grouping(threads).groups().stream().limit(SHOWN);
        return most.map(group -> group.sentence() + (group.where().isEmpty() ? "" : ", at " + group.where()))
                .collect(Collectors.joining("; "));
    }

    private static String at(Group group) {
        return group.sentence() + group.at() + ".";
    }

    private static String number(double value) {
        return Text.rounded(value, 3);
    }

    /** A circle: who waits where, for what, and who holds that. */
    static String of(Circle circle) {
        var members = circle.members();
        int size = members.size();
        boolean timed = members.stream()
                .anyMatch(one -> "TIMED_WAITING".equals(one.thread().state()));
        var until = timed ? " before a time limit ends its wait" : "";
        var how = circle.proven()
                ? "proven: the JVM names each holder"
                : "probable: it follows from the stacks of "
                        + (circle.dumps() == 1 ? "one look, which another may refute" : "two looks")
                        + ", and nothing in them contradicts it";
        var who = size == 1
                ? "a thread waits for what it holds itself, and does not go on" + until
                : Text.number(size) + " threads wait for each other, and none of them goes on" + until;
        var text = new StringBuilder("A circle (" + how + "): " + who);
        var wait = circle.behind() == 1 ? " more waits behind " : " more wait behind ";
        text.append(
                circle.behind() == 0
                        ? "."
                        : "; " + Text.number(circle.behind()) + wait + (size == 1 ? "it." : "them."));
        var shown = shown(circle);
        // of a helper that all of them call, who calls it is of interest
        boolean helper = shown.stream().map(Circle.Member::where).distinct().count() == 1;
        shown.forEach(member -> text.append("\n- " + of(member) + (helper ? caller(member) : "") + "."));
        if (size > MEMBERS) {
            text.append("\n- and " + Text.number(size - MEMBERS) + " more.");
        }
        return text.toString();
    }

    /** Who is shown: of each line one, then others. */
    private static List<Circle.Member> shown(Circle circle) {
        var lines = new HashSet<String>();
        var first = new ArrayList<Circle.Member>();
        var others = new ArrayList<Circle.Member>();
        circle.members().forEach(member -> (lines.add(member.thread().stack().path()) ? first : others).add(member));
        first.addAll(others);
        return first.subList(0, Math.min(MEMBERS, first.size()));
    }

    private static String caller(Circle.Member member) {
        return Stream.of(member.thread().stack().path().split("\n"))
                .skip(1)
                .findFirst()
                .map(line -> ", called at " + line)
                .orElse("");
    }

    /** What one of its threads waits for and who holds it: one sentence, without its full stop. */
    static String of(Circle.Member member) {
        var by = member.waits() == WaitReason.RESULT ? "depends on " : "held by ";
        var sure = member.proven() ? "" : "probably ";
        var who = member.waits() == WaitReason.RESULT ? ", which " : ", ";
        return member.thread().label() + " waits for " + awaited(member) + who + sure + by + names(member) + ", at "
                + member.where();
    }

    /** What one of its threads waits for. */
    static String awaited(Circle.Member member) {
        return member.ofClass()
                ? member.what()
                : member.waits() + (member.what().isEmpty() ? "" : " (" + member.what() + ")");
    }

    /** Who holds what one of its threads waits for. */
    static String holders(Circle.Member member) {
        return (member.proven() ? "" : "probably ") + names(member);
    }

    private static String names(Circle.Member member) {
        var names = member.holders().stream()
                .map(holder -> holder.id() == member.thread().id() ? "itself" : holder.label());
        return member.holders().size() > Circle.NAMED
                ? "some of these threads"
                : names.collect(Collectors.joining(" or "));
    }
}
