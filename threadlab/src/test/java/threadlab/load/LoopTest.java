package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.io.IOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.Collections;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tech.tablesaw.api.DoubleColumn;

/** What the loops measure, and how often they ask, where the time of every answer is given. */
@Timeout(60)
class LoopTest {

    private static final long MS = 1_000_000;
    private static final int TRIAL = 1;

    private final InheritableThreadLocal<Long> now = new InheritableThreadLocal<>();

    /** Each thread has a time of its own, which begins at that of the thread that started it. */
    private final class OwnTime extends Tally {
        OwnTime() {
            super(0);
        }

        @Override
        long nanos() {
            return now.get();
        }

        @Override
        void sleepUntil(long moment) {
            now.set(Math.max(moment, nanos()));
            Thread.yield();
        }
    }

    @BeforeEach
    void fromZero() {
        now.set(0L);
    }

    /** Answers the request of a number with a status, and lets the time of its thread pass. */
    private interface Server {
        int answer(int number) throws IOException;
    }

    private final AtomicInteger asked = new AtomicInteger();

    private Requester client(Server server) {
        return deadline -> {
            int number = asked.getAndIncrement();
            // of clients that ask without end, the time is over
            return number < 10_000 ? server.answer(number) : after(1_000_000);
        };
    }

    private int after(long ms) {
        now.set(now.get() + ms * MS);
        Thread.yield();
        return 200;
    }

    private LoadResult closed(int clients, int requests, double seconds, Server server) throws InterruptedException {
        fromZero();
        var tally = new OwnTime();
        var plan = Plan.closed(null, clients, requests, Duration.ofMillis((long) (seconds * 1_000)));
        ClosedLoop.run(plan, Collections.nCopies(clients, client(server)), tally);
        return tally.result();
    }

    private LoadResult open(double seconds, Server server) throws InterruptedException {
        fromZero();
        var tally = new OwnTime();
        var plan = Plan.open(null, 200, TRIAL, 0, Duration.ofMillis((long) (seconds * 1_000)));
        OpenLoop.run(plan, new ConcurrentLinkedDeque<>(), () -> client(server), tally);
        return tally.result();
    }

    private static void near(double expected, LoadResult run, Latency latency) {
        // a histogram keeps three digits
        assertEquals(expected, run.latencies().get(latency), 0.002 * expected, latency + " of " + run);
    }

    @Test
    void latencies_are_those_of_the_answers() throws Exception {
        // one in ten is slow: the slow tenth begins between p50 and p95
        var run = closed(40, 1_000, 120, number -> after(number % 10 == 0 ? 200 : 40));
        near(40, run, Latency.MIN);
        near(40, run, Latency.P50);
        near(0.9 * 40 + 0.1 * 200, run, Latency.MEAN);
        near(200, run, Latency.P95);
        near(200, run, Latency.P99);
        near(200, run, Latency.MAX);
        assertEquals(1_000, run.good());
        assertEquals(1_000, asked.get(), "neither more nor fewer were sent");
    }

    @Test
    void clients_of_a_closed_loop_ask_one_request_after_the_other_until_the_time_is_over() throws Exception {
        assertEquals(20 * 30, closed(20, 0, 1.5, number -> after(50)).requests());
    }

    @Test
    void clients_of_a_server_that_has_gone_ask_again_after_a_pause() throws Exception {
        var run = closed(10, 0, 1.5, number -> {
            if (now.get() >= 500 * MS) {
                throw new ConnectException("Connection refused");
            }
            return after(100);
        });
        assertEquals(10 * 5, run.good());
        // from 0.5 s to 1.5 s, when the last pause ends
        assertEquals(10 * (1 + 1_000 / ClosedLoop.AFTER_FAILURE_MS), run.failed(Failure.REFUSED));
    }

    @Test
    void failures_do_not_hide_among_good_answers_nor_improve_their_latency() throws Exception {
        var run = closed(4, 200, 120, number -> number % 4 == 0 ? 503 : after(20));
        assertEquals(50, run.failed(Failure.NOT_200));
        assertEquals(150, run.good());
        assertEquals("50 of 200 requests failed: 50 not 200", run.outcome(200));
        near(20, run, Latency.MIN);
    }

    @Test
    void a_stall_is_charged_to_every_request_that_was_due_in_it_and_to_one_of_a_closed_loop() throws Exception {
        Server stalling = number -> {
            long since = now.get() / MS;
            return after(since >= 500 && since < 1_500 ? 1_500 - since : 2);
        };
        var open = open(2.5, stalling);
        var waits = LongStream.generate(new OpenLoop.Arrivals(200, TRIAL)::next)
                .takeWhile(due -> due < 2_500 * MS)
                .mapToDouble(due -> due >= 500 * MS && due < 1_500 * MS ? 1_500 - due / 1e6 : 2)
                .sorted()
                .toArray();
        assertEquals(waits.length, open.requests());
        assertEquals(
                DoubleStream.of(waits).average().orElseThrow(), open.latencies().get(Latency.MEAN), 1);
        assertEquals(waits[waits.length * 95 / 100], open.latencies().get(Latency.P95), 15);
        assertEquals(waits[waits.length - 1], open.latencies().get(Latency.MAX), 1.5);
        var closed = closed(1, 0, 2.5, stalling);
        near(1_000, closed, Latency.MAX);
        near(2, closed, Latency.P99);
    }

    @Test
    void latency_counts_from_when_a_request_was_due_and_only_while_the_clock_runs() {
        var tally = new OwnTime();
        after(1_000);
        tally.take(client(number -> after(20)), now.get(), MS);
        tally.begin();
        tally.take(client(number -> after(20)), now.get() - 480 * MS, MS);
        tally.end();
        tally.take(client(number -> after(20)), now.get(), MS);
        assertEquals(1, tally.result().requests());
        near(500, tally.result(), Latency.MEAN);
    }

    @Test
    void a_moment_says_who_waits_and_who_has_been_answered() {
        var tally = new OwnTime();
        assertNull(tally.moment(), "the clock does not run");
        tally.begin();
        var inside = new Moment[1];
        for (int status : new int[] {200, 503, 200}) {
            tally.take(
                    client(number -> {
                        inside[0] = tally.moment();
                        return status;
                    }),
                    now.get(),
                    MS);
        }
        assertEquals(new Moment(0, 1, 1, 2), inside[0]);
        after(1_500);
        assertEquals(new Moment(1.5, 0, 2, 3), tally.moment());
    }

    @Test
    void arrivals_of_an_open_loop_are_a_poisson_process_which_each_trial_has_for_itself() {
        LongUnaryOperator first = trial -> new OpenLoop.Arrivals(400, trial).next();
        assertEquals(first.applyAsLong(2), first.applyAsLong(2), "whatever the server");
        assertEquals(3, LongStream.of(1, 2, 3).map(first).distinct().count());
        // of exponentially distributed gaps, a share of 1/e is longer than the mean, which is their standard deviation
        var times = LongStream.generate(new OpenLoop.Arrivals(400, TRIAL)::next)
                .limit(20_000)
                .toArray();
        var gaps = DoubleColumn.create("due", times).difference().removeMissing();
        assertEquals(1 / Math.E, gaps.isGreaterThan(gaps.mean()).size() / (double) gaps.size(), 0.01);
        assertEquals(1e9 / 400, gaps.mean(), 0.03e9 / 400);
        assertEquals(1e9 / 400, gaps.standardDeviation(), 0.03e9 / 400);
    }
}
