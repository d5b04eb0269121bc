package whatwaits.rules;

import java.util.List;
import java.util.stream.Collectors;
import whatwaits.rules.Defects.Defect;

/**
 * What to check before and after a service is switched to virtual threads. What can be seen from outside is filled in;
 * the rest is left open.
 */
public final class Checklist {

    /** What follows from what was seen. */
    public enum Answer {
        /** It holds. */
        OK,
        /** It does not hold. */
        CHANGE,
        /** It cannot be seen from outside: look into the program. */
        OPEN;

        /** The word for it in tables. */
        @Override
        public String toString() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /**
     * A line of the checklist.
     *
     * @param should what should hold: one sentence, without its full stop
     * @param lookWith the call that tests it, or where to look
     * @param seen from outside, with figures; null where nothing can be seen
     * @param answer what follows
     */
    public record Line(String should, String lookWith, String seen, Answer answer) {

        static Line of(String should, String lookWith) {
            return new Line(should, lookWith, null, Answer.OPEN);
        }

        /** What was seen decides. */
        Line holds(boolean holds, String what) {
            return new Line(should, lookWith, what, holds ? Answer.OK : Answer.CHANGE);
        }

        /** What was seen can refute it but not prove it. */
        Line unless(boolean refuted, String what) {
            return new Line(should, lookWith, what, refuted ? Answer.CHANGE : Answer.OPEN);
        }
    }

    private final Observation seen;
    private final String version;
    private final List<Pin> pinned;
    private final List<Defect> defects;

    private Checklist(Observation seen, String version, List<Pin> pinned, List<Defect> defects) {
        this.seen = seen;
        this.version = version;
        this.pinned = pinned;
        this.defects = defects;
    }

    /**
     * Goes through the list.
     *
     * @param seen what was observed of a JVM under its usual load
     * @param version its release, such as {@code 25.0.3+9-LTS}
     * @param pinned threads that two dumps show holding a carrier
     * @param heap the heap in use, and its most, in bytes
     * @param defects known defects of releases
     * @return its lines
     */
    public static List<Line> of(Observation seen, String version, List<Pin> pinned, long[] heap, List<Defect> defects) {
        var list = new Checklist(seen, version, pinned, defects);
        return List.of(
                list.java(),
                list.defects(),
                list.requests(),
                list.pins(),
                list.queued(),
                list.carriers(),
                list.cpus(),
                list.connections(),
                list.locks(),
                list.admission(),
                list.pooled(),
                list.streams(),
                Line.of("Memory suffices for all requests that will be inside at the same time", "jvm.dump()")
                        .unless(
                                false,
                                "heap: " + Text.number(heap[0] >> 20) + " of " + Text.number(heap[1] >> 20)
                                        + " MB in use"),
                list.timeLimits(),
                Line.of("Caches are not kept in a ThreadLocal, one for each thread", "the program"));
    }

    private int feature() {
        return Release.of(version).feature();
    }

    private Line java() {
        return Line.of("It runs on Java 24 or newer, where synchronized frees the carrier", "Jvm.list()")
                .holds(feature() >= 24, "Java " + feature());
    }

    private Line defects() {
        var known = Defects.of(defects, version);
        var named = known.stream().map(Object::toString).collect(Collectors.joining(", "));
        return Line.of("Its update has no known defect that stops virtual threads", "data/defects/hangs.csv")
                .unless(
                        known.stream().anyMatch(each -> each.repairedIn() != null),
                        "Java " + version + ": " + (known.isEmpty() ? "none listed" : named));
    }

    private Line requests() {
        long pooled = seen.dump().threads().stream()
                .filter(thread -> !thread.virtual() && Pool.answersRequests(Pool.of(thread.name())))
                .count();
        int virtual = seen.dump().virtualThreads();
        var text = Text.count(virtual, "virtual thread") + ", " + Text.count(pooled, "platform thread")
                + " of a request pool";
        var line = Line.of("Requests run on virtual threads", "jvm.dump()");
        // on virtual threads, a server has no such pool threads; without requests nothing can be said
        return pooled == 0 && virtual > 0 ? line.holds(true, text) : line.unless(pooled > 0, text);
    }

    private Line pins() {
        var now = pinned.stream().filter(Pin::isNow).toList();
        var text = now.isEmpty()
                ? "none in two dumps"
                : Text.count(now.size(), "thread") + ", such as "
                        + now.getFirst().stack().where();
        return Line.of("No thread holds a carrier while it waits", "jvm.pinned(time)")
                .unless(!now.isEmpty(), feature() < 21 ? null : text);
    }

    private Line queued() {
        double queued = Sample.mean(seen.samples(), Sample::queued);
        var line = Line.of("No virtual thread waits for a carrier", "jvm.watch(time)");
        return Double.isNaN(queued)
                ? line
                : line.holds(
                        queued < 1,
                        figure(queued) + " queued, " + figure(Sample.mean(seen.samples(), Sample::mounted)) + " of "
                                + figure(parallelism()) + " carriers mounted, on average");
    }

    private double parallelism() {
        return Sample.mean(seen.samples(), Sample::parallelism);
    }

    private Line carriers() {
        var cpus = Text.count(seen.cpus(), "CPU");
        var line = Line.of(
                "There are at least two carriers, so that one slow file does not stop all requests", "jvm.watch(time)");
        return Double.isNaN(parallelism())
                ? line.unless(false, cpus + "; carriers are not shown before Java 24")
                : line.holds(parallelism() >= 2, cpus + ", " + Text.count((long) parallelism(), "carrier"));
    }

    private Line cpus() {
        double busy = Sample.mean(seen.samples(), Sample::cpus);
        return Line.of("Requests wait more than they compute", "jvm.threads(time)")
                .holds(busy < 0.85 * seen.cpus(), figure(busy) + " of " + Text.count(seen.cpus(), "CPU") + " busy");
    }

    private Line connections() {
        int waiting = seen.dump().count(WaitReason.CONNECTION) - seen.dump().waitingInClients();
        int holders = seen.dump().connectionHolders().size();
        double of = seen.gauge(Gauge.CONNECTIONS);
        var known = Double.isNaN(of)
                ? holders > 0 ? ", " + Text.number(holders) + " seen with one" : ""
                : " of " + Text.count((long) of, "connection");
        return Line.of("The connection pool is large enough", "jvm.endpoint(metrics)")
                .unless(waiting > 0, waiting(waiting) + " for a connection" + known);
    }

    private Line locks() {
        var lock = seen.dump().groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK && group.size() > 1)
                .findFirst();
        return Line.of("No lock is hot", "jvm.dump()")
                .holds(
                        lock.isEmpty(),
                        lock.map(group -> group.sentence() + " at " + group.where())
                                .orElse("no two threads wait for the same lock"));
    }

    private Line admission() {
        int permits = seen.dump().count(WaitReason.PERMIT);
        var line =
                Line.of("What the size of the thread pool limited now has a limit of its own", "jvm.endpoint(metrics)");
        return permits > 0 ? line.holds(true, waiting(permits) + " for a permit") : line;
    }

    private Line pooled() {
        long idle = seen.dump().groups().stream()
                .filter(group -> group.virtual() && group.waits() == WaitReason.TASK)
                .flatMap(group -> group.threads().stream())
                // a scheduler's thread, such as Spring's for @Scheduled, waits until its next task is due
                .filter(thread -> !thread.stack().has(frame -> frame.text().contains("ScheduledThreadPoolExecutor")))
                .count();
        return Line.of("Virtual threads are not kept in a pool", "jvm.dump()")
                .holds(idle == 0, Text.count(idle, "idle virtual thread"));
    }

    private Line streams() {
        long common = seen.dump().threads().stream()
                .filter(thread -> thread.name().startsWith("ForkJoinPool.commonPool"))
                .filter(thread -> thread.stack().has(Frame::isOwn))
                .count();
        return Line.of("No request waits inside a parallelStream", "jvm.dump()")
                .unless(
                        common > 0,
                        common == 0 ? null : Text.count(common, "thread") + " of the common pool in the program");
    }

    /** A socket read with a time limit goes through a separate method. */
    private Line timeLimits() {
        long reads = reading("sun.nio.ch.NioSocketImpl.implRead(");
        long timed = reading("sun.nio.ch.NioSocketImpl.timedRead(");
        return Line.of("Each call to another system has a time limit", "the program")
                .unless(
                        reads > timed,
                        reads == 0
                                ? null
                                : Text.count(reads, "thread") + " in a read from a socket, " + Text.number(timed)
                                        + " with a time limit");
    }

    private long reading(String method) {
        return seen.dump().threads().stream()
                .filter(thread -> thread.stack().has(frame -> frame.text().startsWith(method)))
                .count();
    }

    private static String figure(double value) {
        return Text.rounded(value, 2);
    }

    private static String waiting(int threads) {
        return Text.count(threads, "thread") + (threads == 1 ? " waits" : " wait");
    }
}
