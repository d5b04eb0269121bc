package whatwaits.rules;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

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
        /** It cannot be seen from outside, or not without a load: look into the program, or send it requests. */
        OPEN;

        /** The word for it in tables. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
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

        /** What was seen can refute it; that nothing was seen proves it only under a load. */
        Line underLoad(boolean loaded, boolean holds, String what) {
            return loaded ? holds(holds, what) : unless(!holds, what);
        }

        /** What was seen can refute it but not prove it. */
        Line unless(boolean refuted, String what) {
            return new Line(should, lookWith, what, refuted ? Answer.CHANGE : Answer.OPEN);
        }
    }

    private Checklist() {}

    /**
     * {@return the lines of the list} A line that only a load can refute is open, not ok, unless requests were counted
     * meanwhile.
     *
     * @param seen what was observed of a JVM, best under its usual load, with its requests
     * @param version its release, such as {@code 25.0.3+9-LTS}
     * @param pinned threads that two dumps show holding a carrier
     * @param heap the heap in use, and its most, in bytes
     * @param defects known defects of releases
     */
    public static List<Line> of(Observation seen, String version, List<Pin> pinned, long[] heap, List<Defect> defects) {
        int java = Release.of(version).feature();
        var dump = seen.dump();
        boolean loaded = seen.requests().count() > 0;
        var used = "heap: " + Text.number(heap[0] >> 20) + " of " + Text.number(heap[1] >> 20) + " MB in use";
        return List.of(
                Line.of("It runs on Java 24 or newer, where synchronized frees the carrier", "Jvm.list()")
                        .holds(java >= 24, "Java " + java),
                defects(version, Defect.of(defects, version)),
                requests(dump, loaded),
                pins(pinned, java),
                queued(seen.samples(), loaded),
                carriers(seen),
                computing(seen),
                connections(seen),
                locks(dump, loaded),
                admission(dump),
                pooled(dump, loaded),
                streams(dump),
                Line.of("Memory suffices for all requests that will be inside at the same time", "jvm.dump()")
                        .unless(false, used),
                timeLimits(dump),
                Line.of("Caches are not kept in a ThreadLocal, one for each thread", "the program"));
    }

    private static Line defects(String version, List<Defect.Known> known) {
        var named = known.stream().map(Object::toString).collect(Collectors.joining(", "));
        boolean repaired = known.stream().anyMatch(each -> each.repairedIn() != null);
        return Line.of("Its update has no known defect that stops virtual threads", "data/defects/hangs.csv")
                .unless(repaired, "Java " + version + ": " + (known.isEmpty() ? "none listed" : named));
    }

    private static Line requests(ThreadDump dump, boolean loaded) {
        long pooled = count(dump, thread -> !thread.virtual() && Library.answersRequests(Pool.of(thread.name())));
        int virtual = dump.virtualThreads();
        var threads = Text.count(virtual, "virtual thread") + ", " + Text.count(pooled, "platform thread");
        var text = threads + " of a request pool";
        var line = Line.of("Requests run on virtual threads", "jvm.dump()");
        // on virtual threads, a server has no such pool threads; without requests nothing can be said
        return pooled == 0 && virtual > 0 ? line.underLoad(loaded, true, text) : line.unless(pooled > 0, text);
    }

    private static Line pins(List<Pin> pinned, int java) {
        var now = pinned.stream().filter(Pin::isNow).toList();
        var first =
                now.stream().findFirst().map(pin -> ", such as " + pin.stack().where());
        var text = first.map(pin -> Text.count(now.size(), "thread") + pin).orElse("none in two dumps");
        return Line.of("No thread holds a carrier while it waits", "jvm.pinned(time)")
                .unless(!now.isEmpty(), java < 21 ? null : text);
    }

    private static Line queued(List<Sample> samples, boolean loaded) {
        double queued = Sample.mean(samples, Sample::queued);
        var mounted = figure(Sample.mean(samples, Sample::mounted));
        var carriers = mounted + " of " + figure(Sample.mean(samples, Sample::parallelism)) + " carriers mounted";
        var line = Line.of("No virtual thread waits for a carrier", "jvm.watch(time)");
        return Double.isNaN(queued)
                ? line
                : line.underLoad(loaded, queued < 1, figure(queued) + " queued, " + carriers + ", on average");
    }

    private static Line carriers(Observation seen) {
        double parallelism = Sample.mean(seen.samples(), Sample::parallelism);
        var cpus = Text.count(seen.cpus(), "CPU");
        var should = "There are at least two carriers, so that one slow file does not stop all requests";
        var line = Line.of(should, "jvm.watch(time)");
        return Double.isNaN(parallelism)
                ? line.unless(false, cpus + "; carriers are not shown before Java 24")
                : line.holds(parallelism >= 2, cpus + ", " + Text.count((long) parallelism, "carrier"));
    }

    /**
     * CPU time of a request against its latency. On full CPUs that comparison says nothing, because the latency contains
     * the wait for a CPU.
     */
    private static Line computing(Observation seen) {
        double busy = Sample.mean(seen.samples(), Sample::cpus);
        double perSecond = seen.requests().perSecond();
        var line = Line.of("Requests wait more than they compute", "jvm.endpoint(metrics)");
        var use = figure(busy) + " of " + Text.count(seen.cpus(), "CPU") + " busy";
        if (!(perSecond > 0)) {
            return line.unless(false, use + ", requests not counted");
        }
        double cpuMs = 1e3 * busy / perSecond;
        double latencyMs = 1e3 * seen.requests().mean();
        var share = figure(cpuMs) + " of a request's " + figure(latencyMs) + " ms on a CPU, ";
        return line.holds(cpuMs < latencyMs / 2 && busy < Thresholds.FULL * seen.cpus(), share + use);
    }

    private static Line connections(Observation seen) {
        var wanting = seen.dump().waitingFor(WaitReason.CONNECTION).stream();
        int waiting = (int) wanting.filter(thread -> !thread.isClient()).count();
        int holders = seen.dump().connectionHolders().size();
        var figures = seen.figures(Limit.Kind.CONNECTIONS);
        double of = figures.stream().mapToDouble(PoolFigures::of).sum();
        var held = holders > 0 ? ", " + Text.number(holders) + " seen with one" : "";
        var pools = figures.size() > 1 ? " in " + figures.size() + " pools" : "";
        var known = figures.isEmpty() || Double.isNaN(of) ? held : " of " + Text.count((long) of, "connection") + pools;
        return Line.of("The connection pool is large enough", "jvm.endpoint(metrics)")
                .unless(waiting > 0, waiting(waiting) + " for a connection" + known);
    }

    private static Line locks(ThreadDump dump, boolean loaded) {
        var locks = dump.groups().stream().filter(group -> group.waits() == WaitReason.LOCK && group.size() > 1);
        var hot = locks.findFirst().map(group -> group.sentence() + " at " + group.where());
        return Line.of("No lock is hot", "jvm.dump()")
                .underLoad(loaded, hot.isEmpty(), hot.orElse("no two threads wait for the same lock"));
    }

    private static Line admission(ThreadDump dump) {
        int permits = dump.count(WaitReason.PERMIT);
        var should = "What the size of the thread pool limited now has a limit of its own";
        var line = Line.of(should, "jvm.endpoint(metrics)");
        return permits > 0 ? line.holds(true, waiting(permits) + " for a permit") : line;
    }

    private static Line pooled(ThreadDump dump, boolean loaded) {
        // a scheduler's thread, such as Spring's for @Scheduled, waits until its next task is due
        Predicate<Frame> schedules = frame -> frame.text().contains("ScheduledThreadPoolExecutor");
        long idle = dump.groups().stream()
                .filter(group -> group.virtual() && group.waits() == WaitReason.TASK)
                .flatMap(group -> group.threads().stream())
                .filter(thread -> !thread.stack().has(schedules))
                .count();
        return Line.of("Virtual threads are not kept in a pool", "jvm.dump()")
                .underLoad(loaded, idle == 0, Text.count(idle, "idle virtual thread"));
    }

    private static Line streams(ThreadDump dump) {
        Predicate<ThreadState> common = thread -> thread.name().startsWith("ForkJoinPool.commonPool");
        long inside = count(dump, common.and(thread -> thread.stack().has(Frame::isOwn)));
        var text = Text.count(inside, "thread") + " of the common pool in the program";
        return Line.of("No request waits inside a parallelStream", "jvm.dump()")
                .unless(inside > 0, inside == 0 ? null : text);
    }

    /** A socket read with a time limit goes through a separate method. */
    private static Line timeLimits(ThreadDump dump) {
        long reads = reading(dump, "sun.nio.ch.NioSocketImpl.implRead(");
        long timed = reading(dump, "sun.nio.ch.NioSocketImpl.timedRead(");
        var text = Text.count(reads, "thread") + " in a read from a socket, " + Text.number(timed);
        return Line.of("Each call to another system has a time limit", "the program")
                .unless(reads > timed, reads == 0 ? null : text + " with a time limit");
    }

    private static long reading(ThreadDump dump, String method) {
        return count(dump, thread -> thread.stack().has(frame -> frame.text().startsWith(method)));
    }

    private static long count(ThreadDump dump, Predicate<ThreadState> wanted) {
        return dump.threads().stream().filter(wanted).count();
    }

    private static String figure(double value) {
        return Text.rounded(value, 2);
    }

    private static String waiting(int threads) {
        return Text.count(threads, "thread") + (threads == 1 ? " waits" : " wait");
    }
}
