package model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import model.Step.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every simulation, whatever its settings. */
class SimulationTest {

    private static final double FOR_EVER = Double.POSITIVE_INFINITY;

    private static Scenario mixed(int seed) {
        return Scenario.of(
                        Step.compute(2),
                        Step.enter(0),
                        Step.waits(10),
                        Step.leave(0),
                        Step.waits(Kind.HOLD, 1),
                        Step.enter(1),
                        Step.compute(0.5),
                        Step.leave(1))
                .place(new Place(5, 20, false))
                .place(Place.of(1))
                .open(500, 4_000, true, seed);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void the_mean_number_inside_is_throughput_times_latency(int seed) {
        for (Scenario scenario :
                new Scenario[] {mixed(seed).virtual(2), mixed(seed).pool(20, 30)}) {
            var seen = scenario.run();
            // refused requests are inside, too, as long as they wait for a permit
            double latencies =
                    seen.latencies(0).stream().mapToDouble(one -> one).sum();
            assertTrue(seen.refused() > 0, "the limit refuses some");
            assertTrue(seen.inside() * seen.lasted() >= latencies - 1e-6, "L · T = Σ W, and the refused beside it");
            assertEquals(0, seen.stuck());
        }
        var nobodyRefused = Scenario.of(Step.compute(2), Step.waits(10))
                .open(500, 2_000, true, seed)
                .run();
        double sum = nobodyRefused.latencies(0).stream().mapToDouble(one -> one).sum();
        assertEquals(sum, nobodyRefused.inside() * nobodyRefused.lasted(), 1e-6 * sum);
    }

    @Test
    void the_same_seed_gives_the_same_numbers_and_another_one_others() {
        var one = mixed(7).virtual(2).run();
        var same = mixed(7).virtual(2).run();
        assertEquals(one.latencies(0), same.latencies(0));
        assertTrue(!one.latencies(0).equals(mixed(8).virtual(2).run().latencies(0)));
    }

    @Test
    void cpus_are_never_busier_than_they_are_many() {
        var seen = Scenario.of(Step.compute(10))
                .pool(100, 1_000)
                .cpus(2)
                .closed(100, 3, FOR_EVER)
                .run();
        assertEquals(100 * 3 * 10 / 2, seen.lasted(), 1e-6);
    }

    @Test
    void threads_of_a_pool_take_turns_on_a_cpu_and_virtual_ones_do_not() {
        var pool = Scenario.of()
                .pool(2, 0)
                .cpus(1)
                .also(0, Step.compute(1_000))
                .also(0, Step.compute(10))
                .run();
        var virtual = Scenario.of()
                .virtual(1)
                .cpus(1)
                .also(0, Step.compute(1_000))
                .also(0, Step.compute(10))
                .run();
        assertTrue(pool.latencies(0).getLast() < 25, pool.latencies(0).toString());
        assertEquals(1_010, virtual.latencies(0).getLast(), 1e-9);
    }

    @Test
    void many_who_leave_their_carrier_at_once_are_no_deep_recursion() {
        var waiting = Scenario.of(Step.waits(1_000))
                .virtual(1)
                .closed(200_000, 1, FOR_EVER)
                .run();
        assertEquals(1_000, waiting.lasted(), 1e-9);
        var refused = Scenario.of(Step.enter(0), Step.waits(10), Step.leave(0))
                .place(Place.limit(1))
                .pool(2, Integer.MAX_VALUE)
                .closed(200_000, 1, FOR_EVER)
                .run();
        assertEquals(199_999, refused.refused());
    }

    @Test
    void a_compensated_wait_adds_a_carrier_and_a_held_one_does_not() {
        assertEquals(0, RecordedTest.newcomer(Kind.COMPENSATED, 2).lastWaits());
        assertEquals(400, RecordedTest.newcomer(Kind.HOLD, 2).lastWaits());
    }

    @Test
    void what_is_told_of_a_run_is_what_has_happened() {
        // on one thread: two clients, two rounds of 10 ms each
        var seen =
                Scenario.of(Step.waits(10)).pool(1, 10).closed(2, 2, FOR_EVER).run();
        assertEquals(List.of(10.0, 20.0, 20.0, 20.0), seen.latencies(0));
        assertEquals(List.of(20.0, 20.0), seen.latencies(1), "without the first of each client");
        assertEquals(17.5, seen.mean(0));
        assertEquals(20, seen.mean(1));
        assertEquals(40, seen.lasted());
        assertEquals(2, seen.mostInside());
        assertEquals(1.75, seen.inside(), 1e-9, "two, but one in the last of four turns");
        assertEquals(4, seen.answered());
        assertEquals(4, seen.begun());
        assertEquals(20, seen.ended(1));
        // answers at 10, 20, 30, 40 ms: both ends of the time count, and the patience itself
        assertEquals(1_000 * 4 / 30.0, seen.good(10, 40, 20), 1e-9);
        assertEquals(1_000 * 1 / 30.0, seen.good(10, 40, 19.9), 1e-9);
        assertEquals(1_000 * 2 / 19.0, seen.good(11, 30, 20), 1e-9);
    }

    @Test
    void a_percentile_is_of_the_answers_in_order_for_which_the_client_has_waited() {
        // 10, 20, …, 100 ms, those that came last first
        var all = Scenario.of().virtual(1);
        for (int i = 10; i > 0; i--) {
            all.also(0, Step.waits(10 * i));
        }
        var seen = all.run();
        assertEquals(10, seen.percentile(0, FOR_EVER));
        assertEquals(60, seen.percentile(50, FOR_EVER));
        assertEquals(100, seen.percentile(99, FOR_EVER));
        assertEquals(100, seen.percentile(100, FOR_EVER));
        assertEquals(50, seen.percentile(99, 50));
        assertEquals(Double.NaN, seen.percentile(99, 5));
    }

    @Test
    void of_threads_that_compute_all_but_the_carriers_wait() {
        var seen =
                Scenario.of(Step.compute(10)).virtual(2).closed(5, 1, FOR_EVER).run();
        assertEquals(2, seen.mostMounted());
        assertEquals(3, seen.mostQueued());
        assertEquals(10, seen.lastWaits() - 10, "the last begins in the third turn");
        var refused =
                Scenario.of(Step.compute(10)).pool(1, 1).closed(3, 1, FOR_EVER).run();
        assertEquals(1, refused.refused());
        assertEquals(2, refused.begun());
        assertEquals(2, refused.answered());
    }

    @Test
    void two_that_wait_for_each_other_never_end() {
        var seen = Scenario.of()
                .place(Place.of(1))
                .place(Place.of(1))
                .virtual(2)
                .also(0, Step.enter(0), Step.waits(10), Step.enter(1))
                .also(0, Step.enter(1), Step.waits(10), Step.enter(0))
                .also(0, Step.waits(10))
                .run();
        assertEquals(2, seen.stuck());
        assertEquals(1, seen.answered());
    }

    @Test
    void the_dice_are_mulberry32() {
        // by its own formula in JavaScript, for the seeds 1 and -7
        int[][] known = {{1, 1346631033, 5874916, 1132683893}, {-7, 930005018, 698782089, 1168809852}};
        for (int[] row : known) {
            var dice = new Dice(row[0]);
            for (int i = 1; i < row.length; i++) {
                assertEquals(row[i] / 0x1p31, dice.uniform());
            }
        }
    }

    @Test
    void gaps_of_random_arrivals_are_exponential() {
        var dice = new Dice(1);
        double sum = 0;
        int beyond = 0;
        for (int i = 0; i < 100_000; i++) {
            double gap = dice.exponential();
            sum += gap;
            beyond += gap > 2 ? 1 : 0;
        }
        assertEquals(1, sum / 100_000, 0.01);
        assertEquals(Math.exp(-2), beyond / 1e5, 0.005);
        for (double x = 1; x > 1e-9; x *= 0.83) {
            assertEquals(Math.log(x), Dice.ln(x), 2e-15 * Math.max(1, -Math.log(x)));
        }
    }
}
