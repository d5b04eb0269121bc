package whatwaits.rules;

import java.util.List;
import java.util.stream.Collectors;
import whatwaits.rules.Defects.Defect;

/**
 * What to check before and after a service is switched to virtual threads. What can be seen from outside is filled in;
 * the rest is left open.
 */
public final class Checklist {

    /** What a line of the checklist asks for. */
    public enum Item {
        /** Needs Java 24 or newer. */
        JAVA("It runs on Java 24 or newer, where synchronized frees the carrier", "Jvm.list()"),
        /** Needs an update without a known defect. */
        DEFECTS("Its update has no known defect that stops virtual threads", "data/defects/hangs.csv"),
        /** Needs the switch itself. */
        REQUESTS("Requests run on virtual threads", "jvm.dump()"),
        /** Needs that nothing pins. */
        PINS("No thread holds a carrier while it waits", "jvm.pinned(time)"),
        /** Needs free carriers. */
        QUEUED("No virtual thread waits for a carrier", "jvm.watch(time)"),
        /** Needs two carriers. */
        CARRIERS(
                "There are at least two carriers, so that one slow file does not stop all requests", "jvm.watch(time)"),
        /** Needs free CPUs. */
        CPUS("Requests wait more than they compute", "jvm.threads(time)"),
        /** Needs connections. */
        CONNECTIONS("The connection pool is large enough", "jvm.endpoint(metrics)"),
        /** Needs locks that are free. */
        LOCKS("No lock is hot", "jvm.dump()"),
        /** Needs a limit where the pool of threads was one. */
        ADMISSION("What the size of the thread pool limited now has a limit of its own", "jvm.endpoint(metrics)"),
        /** Needs no pool. */
        POOLED("Virtual threads are not kept in a pool", "jvm.dump()"),
        /** Needs no parallel streams that wait. */
        STREAMS("No request waits inside a parallelStream", "jvm.dump()"),
        /** Needs memory. */
        MEMORY("Memory suffices for all requests that will be inside at the same time", "jvm.dump()"),
        /** Needs time limits. */
        TIME_LIMITS("Each call to another system has a time limit", "the program"),
        /** Needs caches that threads share. */
        CACHES("Caches are not kept in a ThreadLocal, one for each thread", "the program");

        private final String should;
        private final String lookWith;

        Item(String should, String lookWith) {
            this.should = should;
            this.lookWith = lookWith;
        }
    }

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
     * @param item what should hold
     * @param seen from outside, with figures; null where nothing can be seen
     * @param answer what follows
     */
    public record Line(Item item, String seen, Answer answer) {

        /**
         * What should hold.
         *
         * @return one sentence, without its full stop
         */
        public String should() {
            return item.should;
        }

        /**
         * What tests it.
         *
         * @return the call, or where to look
         */
        public String lookWith() {
            return item.lookWith;
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
                new Line(
                        Item.MEMORY,
                        "heap: " + Text.number(heap[0] >> 20) + " of " + Text.number(heap[1] >> 20) + " MB in use",
                        Answer.OPEN),
                list.timeLimits(),
                new Line(Item.CACHES, null, Answer.OPEN));
    }

    private static Line line(Item item, String seen, boolean holds) {
        return new Line(item, seen, holds ? Answer.OK : Answer.CHANGE);
    }

    /** A line that what was seen can refute but not prove. */
    private static Line unless(boolean refuted, Item item, String seen) {
        return new Line(item, seen, refuted ? Answer.CHANGE : Answer.OPEN);
    }

    private int feature() {
        return Release.of(version).feature();
    }

    private Line java() {
        return line(Item.JAVA, "Java " + feature(), feature() >= 24);
    }

    private Line defects() {
        var known = Defects.of(defects, version);
        var named = known.stream().map(Object::toString).collect(Collectors.joining(", "));
        return unless(
                known.stream().anyMatch(each -> each.repairedIn() != null),
                Item.DEFECTS,
                "Java " + version + ": " + (known.isEmpty() ? "none listed" : named));
    }

    private Line requests() {
        long pooled = seen.dump().threads().stream()
                .filter(thread -> !thread.virtual() && Pool.answersRequests(Pool.of(thread.name())))
                .count();
        int virtual = seen.dump().virtualThreads();
        var text = Text.count(virtual, "virtual thread") + ", " + Text.count(pooled, "platform thread")
                + " of a request pool";
        // on virtual threads, a server has no such pool threads; without requests nothing can be said
        return pooled == 0 && virtual > 0 ? line(Item.REQUESTS, text, true) : unless(pooled > 0, Item.REQUESTS, text);
    }

    private Line pins() {
        var now = pinned.stream().filter(Pin::isNow).toList();
        var text = now.isEmpty()
                ? "none in two dumps"
                : Text.count(now.size(), "thread") + ", such as "
                        + now.getFirst().stack().where();
        return unless(!now.isEmpty(), Item.PINS, feature() < 21 ? null : text);
    }

    private Line queued() {
        double queued = Sample.mean(seen.samples(), Sample::queued);
        return Double.isNaN(queued)
                ? new Line(Item.QUEUED, null, Answer.OPEN)
                : line(
                        Item.QUEUED,
                        figure(queued) + " queued, " + figure(Sample.mean(seen.samples(), Sample::mounted)) + " of "
                                + figure(parallelism()) + " carriers mounted, on average",
                        queued < 1);
    }

    private double parallelism() {
        return Sample.mean(seen.samples(), Sample::parallelism);
    }

    private Line carriers() {
        var cpus = Text.count(seen.cpus(), "CPU");
        return Double.isNaN(parallelism())
                ? new Line(Item.CARRIERS, cpus + "; carriers are not shown before Java 24", Answer.OPEN)
                : line(Item.CARRIERS, cpus + ", " + Text.count((long) parallelism(), "carrier"), parallelism() >= 2);
    }

    private Line cpus() {
        double busy = Sample.mean(seen.samples(), Sample::cpus);
        return line(
                Item.CPUS, figure(busy) + " of " + Text.count(seen.cpus(), "CPU") + " busy", busy < 0.85 * seen.cpus());
    }

    private Line connections() {
        int waiting = seen.dump().count(WaitReason.CONNECTION) - seen.dump().waitingInClients();
        int holders = seen.dump().connectionHolders().size();
        double of = seen.gauge(Gauge.CONNECTIONS);
        var known = Double.isNaN(of)
                ? holders > 0 ? ", " + Text.number(holders) + " seen with one" : ""
                : " of " + Text.count((long) of, "connection");
        return unless(waiting > 0, Item.CONNECTIONS, waiting(waiting) + " for a connection" + known);
    }

    private Line locks() {
        var lock = seen.dump().groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK && group.size() > 1)
                .findFirst();
        return line(
                Item.LOCKS,
                lock.map(group -> group.sentence() + " at " + group.where())
                        .orElse("no two threads wait for the same lock"),
                lock.isEmpty());
    }

    private Line admission() {
        int permits = seen.dump().count(WaitReason.PERMIT);
        return permits > 0
                ? line(Item.ADMISSION, waiting(permits) + " for a permit", true)
                : new Line(Item.ADMISSION, null, Answer.OPEN);
    }

    private Line pooled() {
        long idle = seen.dump().groups().stream()
                .filter(group -> group.virtual() && group.waits() == WaitReason.TASK)
                .flatMap(group -> group.threads().stream())
                // a scheduler's thread, such as Spring's for @Scheduled, waits until its next task is due
                .filter(thread -> !thread.stack().has(frame -> frame.text().contains("ScheduledThreadPoolExecutor")))
                .count();
        return line(Item.POOLED, Text.count(idle, "idle virtual thread"), idle == 0);
    }

    private Line streams() {
        long common = seen.dump().threads().stream()
                .filter(thread -> thread.name().startsWith("ForkJoinPool.commonPool"))
                .filter(thread -> thread.stack().has(Frame::isOwn))
                .count();
        return unless(
                common > 0,
                Item.STREAMS,
                common == 0 ? null : Text.count(common, "thread") + " of the common pool in the program");
    }

    /** A socket read with a time limit goes through a separate method. */
    private Line timeLimits() {
        long reads = reading("sun.nio.ch.NioSocketImpl.implRead(");
        long timed = reading("sun.nio.ch.NioSocketImpl.timedRead(");
        return unless(
                reads > timed,
                Item.TIME_LIMITS,
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
