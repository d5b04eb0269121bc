package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import threadlab.measure.Progress;

/** The messages between the notebook's JVM and the generator's. */
class MessageTest {

    private static final Target TARGET = Target.of("http://127.0.0.1:8080/orders?id=1");

    @Test
    void every_message_arrives_whole() {
        var cpu = new LoadResult.Cpu(0.1, Double.NaN, 1.5, 2);
        var failures = new EnumMap<Failure, Integer>(Map.of(Failure.RESET, 2, Failure.OTHER, 1));
        for (Message sent : List.of(
                new Plan(TARGET, new Loop.Closed(20), 5, 100, Plan.LONGEST, Duration.ofMillis(300), 0),
                new Plan(TARGET, new Loop.Open(50, 7), 0, 0, Duration.ofSeconds(2), Duration.ofSeconds(1), 42),
                new LoadProgressUpdate(true, 1, 20),
                new Moments(List.of(new Moments.Moment(0.05, 3, 1, 2))),
                new LoadResult(
                        1.5, 10, 7, Latency.all(new Histogram(1)), failures, "what, \"ever\"\nit said", 1, 0.3, cpu))) {
            var line = sent.line();
            assertFalse(line.contains("\n"));
            assertEquals(sent, Message.of(line));
        }
    }

    @Test
    void the_moments_of_a_long_load_are_told_in_short_lines() {
        var plan = new Plan(TARGET, new Loop.Closed(1), 0, 1, Plan.LONGEST, Duration.ofSeconds(1), 0);
        var tenMinutes = new Moments();
        for (int i = 1; i <= 6_000; i++) {
            tenMinutes.all().add(new Moments.Moment(i / 10.0, 100_000, i, i));
        }
        try (var progress = new LoadProgress("virtual", plan, told -> {}, () -> 0)) {
            for (Moments part : tenMinutes.parts()) {
                var line = part.line();
                assertTrue(line.length() < 8_000, () -> line.length() + " characters: OutputPump would cut it");
                progress.take(line);
            }
            assertEquals(tenMinutes, progress.moments());
        }
    }

    @Test
    void what_a_program_prints_besides_is_no_message() {
        assertNull(Message.of("[warning] something of the JVM"));
        assertNull(Message.of(""));
    }

    @Test
    void a_generator_that_tells_no_result_has_failed() {
        var plan = new Plan(TARGET, new Loop.Closed(1), 0, 1, Plan.LONGEST, Duration.ofSeconds(1), 0);
        try (var progress = new LoadProgress("virtual", plan, told -> {}, () -> 0)) {
            progress.take(new LoadProgressUpdate(false, 1, 1).line());
            assertEquals(
                    "the load generator failed: it ended without a result",
                    assertThrows(IllegalStateException.class, progress::measured)
                            .getMessage());
        }
    }

    @Test
    void progress_tells_the_time_left_at_the_rate_so_far() {
        var told = new ArrayList<Progress>();
        var nanos = new AtomicLong();
        var plan = new Plan(TARGET, new Loop.Closed(10), 20, 100, Plan.LONGEST, Duration.ofSeconds(1), 0);
        try (var progress = new LoadProgress("virtual", plan, told::add, nanos::get)) {
            progress.take(new LoadProgressUpdate(true, 10, 20).line());
            progress.take(new LoadProgressUpdate(false, 0, 100).line());
            nanos.set(Duration.ofSeconds(2).toNanos());
            progress.take(new LoadProgressUpdate(false, 40, 100).line());
        }
        assertEquals(
                List.of("starting the load generator", "warm-up", "load", "load", ""),
                told.stream()
                        .map(each -> each.running().replaceFirst("^virtual, 10 clients: ", ""))
                        .toList());
        assertEquals(
                List.of(0, 10, 20, 60, 60), told.stream().map(Progress::done).toList());
        assertNull(told.get(2).left());
        assertEquals(Duration.ofSeconds(3), told.get(3).left());
        assertEquals(Duration.ofSeconds(2), told.get(3).elapsed());
        assertEquals(Progress.State.INTERRUPTED, told.getLast().state());
    }

    @Test
    void a_timeline_has_the_rates_between_its_moments() {
        var table = new Moments(List.of(new Moments.Moment(0.5, 3, 10, 12), new Moments.Moment(1, 5, 15, 22))).table();
        assertEquals(List.of(3, 5), table.intColumn("waiting").asList());
        assertEquals(List.of(20.0, 10.0), table.doubleColumn("good/s").asList());
        assertEquals(List.of(4.0, 10.0), table.doubleColumn("failed/s").asList());
    }

    @Test
    void a_plan_expects_its_requests_or_what_fits_into_its_time() {
        var second = Duration.ofSeconds(1);
        var counted = new Plan(TARGET, new Loop.Closed(5), 0, 100, Plan.LONGEST, second, 0);
        assertEquals(100, counted.expected(20, 10));
        assertEquals(100, counted.most());
        var open = new Plan(TARGET, new Loop.Open(200, 1), 0, 0, Duration.ofSeconds(3), second, 0);
        assertEquals(600, open.expected(20, 10));
        assertEquals(640, open.expected(640, second.toNanos()));
        var closed = new Plan(TARGET, new Loop.Closed(5), 0, 0, Duration.ofSeconds(4), second, 0);
        assertEquals(80, closed.expected(20, second.toNanos()));
        assertEquals(20, closed.expected(20, Duration.ofSeconds(5).toNanos()));
        assertEquals(0, closed.expected(0, 0));
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
        var cpu = new LoadResult.Cpu(0.1, Double.NaN, 0.2, 2);
        return new LoadResult(1, requests, good, Latency.all(new Histogram(1)), failures, other, 0, 0, cpu);
    }
}
