package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What is said of a load: its moments, its outcome and its bottleneck. */
class LoadResultTest {

    @Test
    void a_timeline_has_the_rates_between_its_moments() {
        var table = Moment.table(List.of(new Moment(0.5, 3, 10, 12), new Moment(1, 5, 15, 22)));
        assertEquals(List.of(3, 5), table.intColumn("waiting").asList());
        assertEquals(List.of(20.0, 10.0), table.doubleColumn("good/s").asList());
        assertEquals(List.of(4.0, 10.0), table.doubleColumn("failed/s").asList());
    }

    @Test
    void a_plan_expects_its_requests_or_what_fits_into_its_time() {
        var counted = Plan.closed(null, 5, 100, Plan.LONGEST);
        assertEquals(100, counted.expected(new Moment(0.1, 5, 20, 20)));
        assertEquals(100, counted.most());
        var timed = Plan.open(null, 200, 1, 0, Duration.ofSeconds(4));
        assertEquals(80, timed.expected(new Moment(1, 5, 20, 20)));
        assertEquals(20, timed.expected(new Moment(5, 0, 20, 20)));
        assertEquals(1, timed.expected(new Moment(0, 0, 0, 0)));
    }

    @Test
    void the_outcome_names_each_kind_of_failure_and_what_was_not_sent() {
        var none = new EnumMap<Failure, Integer>(Failure.class);
        assertEquals("ok", measured(1_200, 1_200, none, "").outcome(1_200));
        assertEquals(
                "only 1,200 of 2,000 requests were sent in 120 s",
                measured(1_200, 1_200, none, "").outcome(2_000));
        var failures = new EnumMap<>(Map.of(Failure.OTHER, 1, Failure.TIME_OUT, 1_000, Failure.RESET, 0));
        assertEquals(
                "1,001 of 1,200 requests failed: 1,000 time-outs, 1 other (no HTTP)",
                measured(1_200, 199, failures, "no HTTP").outcome(0));
    }

    private static LoadResult measured(int requests, int good, EnumMap<Failure, Integer> failures, String other) {
        return new LoadResult(
                1, requests, good, Latency.all(new Histogram(1)), failures, other, 0, 0, 0.1, Double.NaN, 0.2, 2);
    }

    @Test
    void a_bottleneck_is_judged_by_shares_of_the_cpus() {
        assertEquals("none", ran(0.5, 0.5, 1.2, 2, 1, 100).bottleneck());
        assertEquals("generator", ran(1.2, 0.7, 1.9, 2, 1, 100).bottleneck());
        assertEquals("generator", ran(1.8, Double.NaN, 1.8, 2, 1, 100).bottleneck());
        assertEquals("CPUs", ran(0.4, 1.5, 1.9, 2, 1, 100).bottleneck());
        assertEquals("CPUs", ran(0.4, Double.NaN, 2, 2, 1, 100).bottleneck());
        assertEquals("generator", ran(0.1, 0.1, 0.3, 2, 11, 100).bottleneck());
        assertEquals("none", ran(0.1, 0.1, 0.3, 2, 9, 100).bottleneck());
        assertEquals("none", ran(0.1, 0.1, 0.3, 2, 1.9, 1).bottleneck());
        assertEquals("none", ran(0.1, 0.1, 0.3, 2, 50, Double.NaN).bottleneck());
        assertTrue(ran(0.4, 1.5, 1.9, 2, 1, 100)
                .warning()
                .contains("(of 2 CPUs, the generator used 0.4, the server 1.5, everything else 0.0)"));
    }

    /** One second, with the CPUs of the generator, of the server (or NaN), busy in all and available; times in ms. */
    private static LoadResult ran(double own, double server, double busy, int cpus, double late, double mean) {
        var latencies = new EnumMap<>(Map.of(Latency.MEAN, mean));
        return new LoadResult(1, 1, 1, latencies, new EnumMap<>(Failure.class), "", 0, late, own, server, busy, cpus);
    }
}
