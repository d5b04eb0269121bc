package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Several dumps of one JVM, in the order in which they were taken: what lasts through them.
 *
 * @param moments at least one; a print and the JSON of one moment are one of them
 * @param read the same as they were read, each for itself
 */
public record Series(List<Moment> moments, List<Moment> read) {

    /** {@return the dumps by their JVM, each in order; a print and the JSON of one moment as one}
     *
     * @param all of one JVM or of several, in any order
     */
    public static List<Series> of(List<Moment> all) {
        var jvms = new ArrayList<List<Moment>>();
        var places = new IdentityHashMap<Moment, Integer>();
        all.forEach(one -> places.put(one, places.size()));
        // prints say more of their JVM than JSON, which joins the one that it is most like
        all.stream().sorted(Comparator.comparing(one -> one.print() == null)).forEach(one -> {
            var same = jvms.stream()
                    .filter(jvm -> jvm.stream().noneMatch(one::isOfOther)
                            && jvm.stream().anyMatch(one::isOfSame))
                    .toList();
            if (same.isEmpty()) {
                jvms.add(new ArrayList<>(List.of(one)));
            } else {
                closest(one, same).add(one);
            }
        });
        Comparator<Moment> order = Comparator.comparing(places::get);
        jvms.forEach(jvm -> jvm.sort(order));
        return jvms.stream()
                .sorted((jvm, other) -> order.compare(jvm.getFirst(), other.getFirst()))
                .map(Series::joined)
                .toList();
    }

    private static List<Moment> closest(Moment one, List<List<Moment>> jvms) {
        ToLongFunction<List<Moment>> likeness =
                jvm -> jvm.stream().mapToLong(one::likeness).max().orElse(0);
        return jvms.size() == 1
                ? jvms.getFirst()
                : jvms.stream().max(Comparator.comparingLong(likeness)).orElseThrow();
    }

    /** Each dump once: the fullest of its copies. */
    private static List<Moment> once(List<Moment> jvm) {
        var looks = new ArrayList<Moment>();
        for (Moment one : jvm) {
            var copy = looks.stream().filter(one::isCopyOf).findFirst();
            if (copy.isEmpty()) {
                looks.add(one);
                continue;
            }
            var other = copy.get();
            boolean fuller =
                    one.dump().threads().size() > other.dump().threads().size();
            looks.set(looks.indexOf(other), (fuller ? one : other).copied());
        }
        return looks;
    }

    private static Series joined(List<Moment> all) {
        var jvm = once(all);
        var moments = new ArrayList<>(jvm);
        for (Moment one : jvm) {
            var prints = moments.stream().filter(one::isMomentOf).toList();
            if (!prints.isEmpty()) {
                var print = prints.getFirst();
                moments.remove(print);
                // what a print lacks, the other has
                moments.replaceAll(other -> other != one
                        ? other
                        : new Moment(
                                print.print().complete(one.dump()),
                                print.print(),
                                one.all(),
                                print.version(),
                                print.time(),
                                one.missing(),
                                print.origin()));
            }
        }
        // a list keeps the order of those that say nothing of their time
        if (moments.stream().noneMatch(one -> Double.isNaN(one.seconds()))) {
            moments.sort(Comparator.comparingDouble(Moment::seconds));
        }
        return new Series(List.copyOf(moments), all);
    }

    /** Which is judged: the last but one or, where the JVM itself says of others that threads lock each other out, the last of these. */
    private int judged() {
        int usual = Math.max(0, moments.size() - 2);
        if (declares(usual)) {
            return usual;
        }
        int last = moments.size() - 1;
        while (last >= 0 && !declares(last)) {
            last--;
        }
        return last < 0 ? usual : last;
    }

    private boolean declares(int moment) {
        return moments.get(moment).dump().besides().deadlock();
    }

    /** {@return what is judged: the last dump but one, which the last one confirms; of one, itself} */
    public ThreadDump dump() {
        int judged = judged();
        var alone = moments.get(judged).dump();
        var dump = judged + 1 == moments.size()
                ? alone
                : alone.confirmedBy(moments.get(judged + 1).dump());
        if (declares(judged) && dump.circles().isEmpty()) {
            // what the JVM says, no other dump denies
            dump = alone;
        }
        var between = between();
        return between.isEmpty() ? dump : dump.withCpus(between);
    }

    /** {@return whether what is judged has the virtual threads without a carrier, too} */
    public boolean all() {
        return moments.get(judged()).all();
    }

    /** {@return the dumps besides that one and the one after} */
    public List<ThreadDump> others() {
        int judged = judged();
        var others = new ArrayList<ThreadDump>();
        for (int at = 0; at < moments.size(); at++) {
            if (at != judged && at != judged + 1) {
                others.add(moments.get(at).dump());
            }
        }
        return others;
    }

    /**
     * {@return whether the dump beside shows a thread where the judged one shows it; false where there is one dump}
     *
     * @param thread of the dump that is judged
     */
    public boolean isStill(ThreadState thread) {
        return moments.size() > 1
                && thread.isStillAt(moments.get(beside()).dump().byId().get(thread.id()));
    }

    private int beside() {
        int judged = judged();
        return judged + 1 == moments.size() ? judged - 1 : judged + 1;
    }

    /** {@return the seconds from the first to the last; NaN if they do not say when they were taken} */
    public double seconds() {
        if (moments.stream().anyMatch(one -> Double.isNaN(one.seconds()))) {
            return Double.NaN; // they are in the order of the text
        }
        return moments.getLast().seconds() - moments.getFirst().seconds();
    }

    /** {@return what the dumps lack, each once} */
    public List<String> missing() {
        var missing = new LinkedHashSet<String>();
        moments.forEach(one -> missing.addAll(one.missing()));
        if (moments.size() == 1 && moments.getFirst().print() != null) {
            missing.addAll(moments.getFirst().print().young());
        }
        return List.copyOf(missing);
    }

    /** {@return which JVM it is, as far as the dumps say it, and when it was first dumped; empty if they do not} */
    public String origin() {
        var first = moments.getFirst();
        var words = new ArrayList<String>();
        read.stream()
                .map(one -> one.origin().pid())
                .filter(pid -> pid != null)
                .findFirst()
                .ifPresent(pid -> words.add("process " + pid));
        read.stream()
                .map(one -> one.origin().source())
                .filter(source -> !source.isEmpty())
                .findFirst()
                .ifPresent(words::add);
        if (first.origin().line() > 0) {
            words.add("from line " + first.origin().line());
        }
        if (first.time() != null) {
            words.add("dumped at " + first.time());
        }
        return String.join(", ", words);
    }

    /** {@return the release that they name; null if they name none} */
    public String version() {
        return moments.stream()
                .map(Moment::version)
                .filter(one -> one != null)
                .findFirst()
                .orElse(null);
    }

    /**
     * Threads that have not moved: each dump from some moment on shows them at the same line, where they wait for the same.
     *
     * @param group the last dump's
     * @param since the first of the dumps that show them so, from 0
     * @param time when that was taken; null if it does not say
     */
    public record Still(Group group, int since, String time) {

        /**
         * {@return a sentence without its full stop}
         *
         * @param dumps how many there are
         */
        public String sentence(int dumps) {
            return group.sentence() + " in " + (since == 0 ? "all " + dumps : "the last " + (dumps - since))
                    + " dumps" + (time == null ? "" : ", since " + time)
                    + (group.where().isEmpty() ? "" : ", at " + group.where());
        }
    }

    /** {@return who has not moved, the largest group first; those that are idle are left out} */
    public List<Still> still() {
        var all = new ArrayList<Still>();
        if (moments.size() < 2) {
            return all;
        }
        var byId = moments.stream().map(one -> one.dump().byId()).toList();
        for (Group group : moments.getLast().dump().groups()) {
            if (WaitReason.isForWork(group.first()) || group.waits() == WaitReason.TASK) {
                continue;
            }
            var since = Grouping.by(one -> since(one, byId), group.threads().stream());
            since.forEach((from, threads) -> {
                if (from < moments.size() - 1) {
                    all.add(new Still(
                            new Group(group.waits(), group.what(), threads, threads.getFirst(), group.held()),
                            from,
                            moments.get(from).time()));
                }
            });
        }
        all.sort(Comparator.comparingInt(one -> -one.group.size()));
        return all;
    }

    private static int since(ThreadState thread, List<Map<Long, ThreadState>> moments) {
        int since = moments.size() - 1;
        while (since > 0 && thread.isStillAt(moments.get(since - 1).get(thread.id()))) {
            since--;
        }
        return since;
    }

    /**
     * Who holds what others wait for, in each dump.
     *
     * @param holder the thread
     * @param what the lock
     */
    public record Holds(ThreadState holder, String what) {}

    /** {@return who holds what others wait for through all dumps, as far as the JVM says it} */
    public List<Holds> holders() {
        var lasting = new LinkedHashMap<String, Holds>();
        for (Moment one : moments) {
            var now = new LinkedHashMap<String, Holds>();
            for (Group group : one.dump().groups()) {
                if (group.held() != null && group.held().proven()) {
                    now.put(
                            group.held().by().id() + " " + group.what(),
                            new Holds(group.held().by(), group.what()));
                }
            }
            if (one == moments.getFirst()) {
                lasting.putAll(now);
            }
            lasting.keySet().retainAll(now.keySet());
        }
        return moments.size() < 2 ? List.of() : List.copyOf(lasting.values());
    }

    /**
     * What a platform thread has used between the first print and the last.
     *
     * @param thread it
     * @param cpus the share of a CPU
     */
    public record Use(ThreadState thread, double cpus) {}

    /** {@return the threads that have used a CPU meanwhile, the busiest first; empty without two prints that have times} */
    public List<Use> uses() {
        var named = moments.getLast().dump().byId();
        return between().entrySet().stream()
                .filter(one -> one.getValue() >= Thresholds.LITTLE && named.containsKey(one.getKey()))
                .sorted(Map.Entry.<Long, Double>comparingByValue().reversed())
                .map(one -> new Use(named.get(one.getKey()), one.getValue()))
                .toList();
    }

    /** The share of a CPU that each platform thread has used between the first print and the last, by its number. */
    private Map<Long, Double> between() {
        var prints = moments.stream().filter(one -> one.print() != null).toList();
        var shares = new HashMap<Long, Double>();
        if (prints.isEmpty()) {
            return shares;
        }
        var first = prints.getFirst();
        var last = prints.getLast();
        double apart = last.seconds() - first.seconds();
        var before = first.print().cpuMillis();
        last.print().cpuMillis().forEach((id, millis) -> {
            // a header names whole seconds, a thread hundredths
            double grown =
                    last.print().ages.getOrDefault(id, 0.0) - first.print().ages.getOrDefault(id, 0.0);
            double seconds = grown >= GROWN ? grown : apart;
            if (before.containsKey(id) && (grown >= GROWN || apart >= SECONDS)) {
                shares.put(id, Math.min(1, Math.max(0, millis - before.get(id)) / 1e3 / seconds));
            }
        });
        return shares;
    }

    private static final double SECONDS = 2;
    private static final double GROWN = 1;

    private static final int SHOWN = 8;

    /** {@return what lasts through several dumps, in words: one line each; empty for one dump} */
    public List<String> lines() {
        if (moments.size() < 2) {
            return List.of();
        }
        var lines = new ArrayList<String>();
        double seconds = seconds();
        lines.add(moments.size() + " dumps of one JVM"
                + (Double.isNaN(seconds) ? "" : " in " + Text.rounded(seconds, 3) + " s"));
        var still = still();
        still.stream()
                .limit(SHOWN)
                .map(one -> "Not moved: " + one.sentence(moments.size()))
                .forEach(lines::add);
        if (still.size() > SHOWN) {
            lines.add("and " + Text.count(still.size() - SHOWN, "smaller group"));
        }
        if (still.isEmpty()) {
            lines.add("Whoever waits has moved from dump to dump, or is idle");
        }
        holders().stream()
                .limit(SHOWN)
                .map(one -> one.holder.label() + " holds " + one.what + " in each of them, at "
                        + one.holder.stack().where())
                .forEach(lines::add);
        uses().stream()
                .limit(SHOWN)
                .map(one -> one.thread.label() + " used " + Text.rounded(one.cpus, 3) + " of a CPU, at "
                        + one.thread.stack().where())
                .forEach(lines::add);
        return lines;
    }
}
