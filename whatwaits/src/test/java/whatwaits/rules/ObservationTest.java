package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static whatwaits.rules.Written.PARK;
import static whatwaits.rules.Written.READ;
import static whatwaits.rules.Written.SEMAPHORE;
import static whatwaits.rules.Written.platform;
import static whatwaits.rules.Written.virtual;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Limit.Kind;

/** What follows from samples and a dump together. */
class ObservationTest {

    private static final String SEAL = "shop.Seals.seal(Seals.java:3)";
    private static final Requests NONE = Requests.unknown("nobody counted them");

    private static List<Sample> sample(double mounted, double cpus, Map<Long, Double> threads) {
        return List.of(new Sample(0, 9, mounted, 0, 2, 2, cpus, Map.of(), threads));
    }

    private static Observation seen(ThreadDump dump, List<Sample> samples, double machine) {
        return new Observation(samples, dump, List.of(), 2, machine, NONE);
    }

    /** What the thread on the carrier 7 waits for, if that has used so much of a CPU. */
    private static WaitReason waits(double mounted, double used, double machine) {
        var dump = Written.of(virtual(1, "RUNNABLE", 7, SEAL));
        return seen(dump, sample(mounted, used, Map.of(7L, used)), machine)
                .dump()
                .threads()
                .getFirst()
                .waits();
    }

    @Test
    void a_thread_whose_carrier_is_mounted_and_uses_no_cpu_waits() {
        assertEquals(WaitReason.UNSEEN, waits(1, 0.09, 0.1));
        assertEquals(WaitReason.NOTHING, waits(1, 0.1, 0.1));
        assertEquals(WaitReason.NOTHING, waits(1, 0.09, 0.9), "on a full machine it may get little");
        assertEquals(WaitReason.UNSEEN, waits(1, 0.004, 0.9));
    }

    @Test
    void a_carrier_that_is_mounted_for_moments_is_not_still() {
        assertEquals(WaitReason.UNSEEN, waits(0.87, 0.05, 0.1));
        assertEquals(WaitReason.NOTHING, waits(0.85, 0.05, 0.1));
        assertEquals(WaitReason.NOTHING, waits(1, Double.NaN, 0.1), "nobody knows what it uses");
    }

    @Test
    void a_platform_thread_that_uses_no_cpu_waits_for_the_class_that_is_initialized() {
        var dump = Written.of(
                platform(1, "first", "RUNNABLE", READ, "shop.Rates.<clinit>(Rates.java:2)"),
                platform(2, "till-1", "RUNNABLE", SEAL),
                platform(3, "till-2", "RUNNABLE", SEAL));
        var all =
                seen(dump, sample(0, 1, Map.of(2L, 0.05, 3L, 0.9)), 0.1).dump().threads();
        assertEquals(
                List.of(WaitReason.FILE, WaitReason.LOCK, WaitReason.NOTHING),
                all.stream().map(ThreadState::waits).toList());
    }

    @Test
    void who_waits_for_work_or_computes_does_not_count_as_waiting() {
        var task = "java.base/java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)";
        var dump = Written.of(
                virtual(1, "RUNNABLE", 7, SEAL),
                virtual(2, "WAITING", 0, PARK, SEMAPHORE, SEAL),
                virtual(3, "WAITING", 0, PARK, SEMAPHORE, SEAL),
                platform(4, "pool-1-thread-1", "WAITING", Written.UNSAFE, task));
        assertEquals(2, seen(dump, sample(1, 1, Map.of(7L, 1.0)), 0.1).waiting());
    }

    @Test
    void the_figures_of_the_jvm_come_before_those_of_whoever_counts_requests() {
        var own = new PoolFigures(Kind.CONNECTIONS, "orders", 3, 10, 0);
        var counted = List.of(
                new PoolFigures(Kind.CONNECTIONS, "orders", 9, 10, 4),
                new PoolFigures(Kind.CONNECTIONS, "bills", 1, 5, 0),
                new PoolFigures(Kind.THREADS, "orders", 2, 8, 0));
        var samples = sample(0, 0, Map.of());
        var alone = new Observation(samples, Written.of(), List.of(own), 2, 0.1, NONE);
        assertEquals(List.of(own), alone.figures(Kind.CONNECTIONS));
        var ended = new Requests(20, 2, 0.5, "a test", counted);
        var both = alone.with(ended);
        assertEquals(List.of(own, counted.get(1)), both.figures(Kind.CONNECTIONS));
        assertEquals(List.of(counted.get(2)), both.figures(Kind.THREADS));
        assertEquals(ended, both.requests());
        assertEquals(10, ended.perSecond());
        assertEquals(5, ended.inside());
    }
}
