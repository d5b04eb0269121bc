package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.support.Progress;
import threadlab.support.TrialsObserver;

@Timeout(60)
class TrialsTest {

    /** A clock that only the contenders move. */
    private final AtomicLong nanos = new AtomicLong();

    private final List<Progress> told = new ArrayList<>();

    private Trials<Trial.Timed> onSimulatedClock() {
        return timed(nanos::get, told::add, Trials.FOREVER);
    }

    private static Trials<Trial.Timed> timed(LongSupplier nanoClock, TrialsObserver observer, Duration enough) {
        return new Trials<>("n steps", List.of(), nanoClock, observer, enough);
    }

    private void pass(double seconds) {
        nanos.addAndGet((long) (seconds * 1e9));
    }

    @Test
    void one_row_per_contender_size_and_trial_with_its_wall_time() {
        var trials = onSimulatedClock().contender("a", n -> pass(n)).contender("b", n -> pass(2.0 * n));
        var table = trials.sizes(1, 5).repeat(3).run();

        assertEquals(List.of("contender", "kind", "n", "trial", "seconds", "outcome"), table.columnNames());
        assertEquals(12, table.rowCount());
        for (var row : table) {
            double each = row.getString("contender").equals("a") ? 1 : 2;
            assertEquals(each * row.getInt("n"), row.getDouble("seconds"), 1e-9);
            assertEquals(Trials.OK, row.getString("outcome"));
        }
    }

    @Test
    void each_row_carries_the_kind_of_its_contender_and_threads_have_it_in_their_name() {
        var trials = onSimulatedClock().platform("pool of 4", n -> pass(1)).virtual(n -> pass(1));
        var table = once(trials.sharing("WebFlux", n -> pass(1)).contender("lock", n -> pass(1)), 1);

        assertEquals(List.of("platform, pool of 4", "virtual", "WebFlux", "lock"), Results.contenders(table));
        var kinds = table.stringColumn("kind").asList();
        assertEquals(List.of("platform", "virtual", "sharing", "other"), kinds);
    }

    @Test
    void contenders_take_turns_and_each_round_starts_with_another_one() {
        var order = new ArrayList<String>();
        var trials = onSimulatedClock().contender("a", n -> order.add("a")).contender("b", n -> order.add("b"));
        trials.repeat(2).warmUp(0).run();

        assertEquals(List.of("a", "b", "b", "a"), order);
    }

    @Test
    void the_warm_up_runs_at_the_smallest_size_and_is_not_recorded() {
        var sizes = new ArrayList<Integer>();
        var trials = onSimulatedClock().contender("a", sizes::add).sizes(9, 3);
        var table = trials.repeat(1).warmUp(2).run();

        assertEquals(List.of(3, 3, 3, 9), sizes);
        assertEquals(2, table.rowCount());
    }

    @Test
    void at_the_small_scale_no_round_begins_after_two_seconds_but_every_round_is_whole() {
        var two = timed(nanos::get, told::add, Duration.ofSeconds(2));
        two.contender("a", n -> pass(0.5)).contender("b", n -> pass(0.5)).sizes(1, 2);
        var table = two.repeat(5).warmUp(0).run();

        assertEquals(List.of(1, 1, 1, 1), table.intColumn("trial").asList(), "a second round began");
        assertEquals(4, told.getLast().planned());
        assertEquals(Progress.State.FINISHED, told.getLast().state());

        var one = timed(nanos::get, told::add, Duration.ofSeconds(2)).contender("a", n -> pass(0.3));
        var quick = one.repeat(7).warmUp(2).run();
        assertEquals(5, quick.rowCount(), "the warm-up takes 0.6 s, five rounds take 1.5 s");
        var seconds = told.stream().filter(p -> p.running().equals("a × 1, trial 2 of at most 7"));
        var second = seconds.findFirst().orElseThrow();
        assertEquals(7, second.planned(), "two rounds of warm-up and the five that will be");
        assertEquals(Duration.ofMillis(1_200), second.left());
    }

    private static Table once(Trials<?> trials, int... sizes) {
        return trials.sizes(sizes).repeat(1).warmUp(0).run();
    }

    @Test
    void named_figures_are_columns_in_their_order_and_too_few_are_a_recorded_failure() {
        var one = once(Trials.of("n", "requests/s").contender("a", n -> 20 * n), 4);
        assertEquals(80, one.doubleColumn("requests/s").get(0));
        assertEquals("requests/s", Results.figure(one));
        var three = Trials.of("n", "x", "y", "z").contender("a", n -> new double[] {n, 2 * n, 3 * n});
        assertEquals(6, once(three, 2).doubleColumn("z").get(0));
        var missing = once(Trials.of("n", "x", "y").contender("a", n -> new double[] {n}), 1);
        assertTrue(outcomeOf(missing, "a").contains("1 figures where 2 were named"), missing::printAll);
    }

    @Test
    void the_figure_of_a_table_is_its_first_column_of_numbers() {
        var rows = Table.create(
                "runs",
                StringColumn.create("contender", "a"),
                StringColumn.create("what", "a lock"),
                IntColumn.create("n", new int[] {1}));
        refused("no column of numbers; it has [contender, what, n]", () -> Results.figure(rows));
        assertThrows(IllegalArgumentException.class, () -> Results.spread(rows, "what"));

        assertEquals("seconds", Results.figure(rows.addColumns(DoubleColumn.create("seconds", 1.0))));
        assertEquals("carriers", Results.figure(rows.addColumns(IntColumn.create("carriers", new int[] {2}))));
    }

    @Test
    void a_contender_that_throws_becomes_a_row_and_the_others_go_on() {
        var trials = Trials.of("n", "x")
                .contender("bad", n -> {
                    throw new IllegalStateException("no room");
                })
                .contender("full", n -> {
                    throw new OutOfMemoryError("unable to create native thread");
                })
                .contender("good", n -> n);
        var table = once(trials, 1, 2);
        assertEquals("failed: java.lang.IllegalStateException: no room", outcomeOf(table, "bad"));
        assertEquals(2, Results.of(table, "bad").doubleColumn("x").countMissing());
        assertTrue(outcomeOf(table, "full").contains("unable to create native thread"), table::printAll);
        var good = Results.of(table, "good").doubleColumn("x");
        assertEquals(List.of(1.0, 2.0), good.asList());
    }

    @Test
    void a_trial_is_interrupted_at_its_limit() {
        var interrupted = new AtomicBoolean();
        var trials = Trials.of("n")
                .contender("slow", n -> {
                    try {
                        Thread.sleep(60_000);
                    } catch (InterruptedException e) {
                        interrupted.set(true);
                    }
                })
                .limit(Duration.ofMillis(50));
        var table = once(trials, 1);
        assertEquals("timed out after 50 ms", outcomeOf(table, "slow"));
        assertTrue(interrupted.get(), "the trial was not interrupted");
        assertTrue(table.doubleColumn("seconds").get(0) >= 0.05, table::printAll);
    }

    @Test
    void a_trial_in_which_everything_stood_still_is_repeated() {
        var stopped = new AtomicBoolean();
        var calls = new AtomicInteger();
        // who is told of the progress is the thread that watches: what stops the whole program stops it, too
        TrialsObserver stops = progress -> {
            if (calls.get() == 1 && stopped.compareAndSet(false, true)) {
                LockSupport.parkNanos(2_000_000_000);
            }
        };
        var trials = timed(System::nanoTime, stops, Trials.FOREVER)
                .contender("waits", n -> {
                    calls.incrementAndGet();
                    LockSupport.parkNanos(500_000_000);
                })
                .limit(Duration.ofMillis(1_500))
                .standstill(Duration.ofSeconds(1));
        var table = once(trials, 1);
        assertEquals(Trials.OK, outcomeOf(table, "waits"));
        assertEquals(1, table.rowCount());
        assertEquals(2, calls.get());
        assertTrue(table.doubleColumn("seconds").get(0) < 1.5, table::printAll);
    }

    @Test
    void a_trial_that_ended_after_its_limit_is_timed_out_too() {
        var trials = onSimulatedClock().contender("late", n -> pass(1.5)).limit(Duration.ofSeconds(1));
        var table = once(trials, 1);
        assertEquals("timed out after 1000 ms", outcomeOf(table, "late"));
    }

    @Test
    void a_contender_that_ignores_the_interrupt_is_left_out_from_then_on() {
        var goOn = new CountDownLatch(1);
        var calls = new AtomicInteger();
        try {
            var table = Trials.of("n")
                    .contender("deaf", n -> {
                        calls.incrementAndGet();
                        boolean open = true;
                        while (open) {
                            try {
                                goOn.await();
                                open = false;
                            } catch (InterruptedException e) {
                                // ignores the interrupt on purpose
                            }
                        }
                    })
                    .contender("quick", n -> {})
                    .limit(Duration.ofMillis(200))
                    .repeat(3)
                    .warmUp(0)
                    .run();

            assertEquals(1, calls.get());
            assertEquals(4, table.rowCount());
        } finally {
            goOn.countDown();
        }
    }

    @Test
    void an_interrupt_stops_promptly_keeps_the_trials_and_leaves_no_thread_behind() throws Exception {
        var second = new CountDownLatch(2);
        var trials = Trials.of("n")
                .contender("sleepers", n -> {
                    second.countDown();
                    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
                        for (int i = 0; i < 100; i++) {
                            executor.submit(() -> {
                                Thread.sleep(n == 1 ? 10 : 600_000);
                                return null;
                            });
                        }
                    }
                })
                .sizes(1, 2)
                .repeat(1)
                .warmUp(0);
        var running = new FutureTask<>(() -> {
            var table = trials.run();
            assertTrue(Thread.interrupted(), "the interrupt status was lost");
            return table.stringColumn("outcome").asList();
        });
        var caller = Thread.ofPlatform().start(running);
        second.await();
        caller.interrupt();
        assertEquals(List.of(Trials.OK, "interrupted"), running.get());
        var names = Thread.getAllStackTraces().keySet().stream().map(Thread::getName);
        assertFalse(names.anyMatch(name -> name.startsWith("sleepers")), "the trial's thread still runs");
    }

    @Test
    void sizes_that_do_not_fit_are_left_out() {
        var trials = onSimulatedClock().platform(n -> pass(1)).upTo(100).virtual(n -> pass(1));
        var table = once(trials, 100, 1_000);
        assertEquals(List.of(100), Results.of(table, "platform").intColumn("n").asList());
        assertEquals(3, table.rowCount());
    }

    @Test
    void progress_counts_the_turns_and_estimates_the_time_left() {
        onSimulatedClock().contender("a", n -> pass(10)).repeat(4).warmUp(0).run();

        var last = told.getLast();
        assertEquals(Progress.State.FINISHED, last.state());
        assertEquals(4, last.done());
        assertEquals(4, last.planned());
        assertEquals(Duration.ofSeconds(40), last.elapsed());
        var third = told.stream().filter(p -> p.done() == 2).findFirst().orElseThrow();
        assertEquals(Duration.ofSeconds(20), third.left());
        assertEquals("a × 1, trial 3 of 4", third.running());
    }

    @Test
    void what_is_shown_after_a_trial_is_drawn_before_the_next_begins() {
        var order = new ArrayList<String>();
        var slow = new TrialsObserver() {
            @Override
            public void told(Progress progress) {}

            @Override
            public void show(Supplier<?> value, boolean last) {
                order.add((last ? "last, " : "") + value.get());
            }
        };
        var trials = timed(nanos::get, slow, Trials.FOREVER).contender("a", n -> order.add("runs"));
        trials.repeat(3).warmUp(0).live(rows -> "draws " + rows.rowCount()).run();
        assertEquals("runs, draws 1, runs, draws 2, runs, last, draws 3", String.join(", ", order));
    }

    @Test
    void a_run_that_cannot_begin_says_why() {
        var trials = Trials.of("n");
        refused("has no contender", trials::run);
        refused("no size was given", trials::sizes);
        for (int size : new int[] {0, -1, Integer.MIN_VALUE, 10_000_001, Integer.MAX_VALUE}) {
            refused(
                    "sizes(%,d) is out of range: it must be from 1 to 10,000,000".formatted(size),
                    () -> trials.sizes(1, size));
        }
        refused("repeat(0)", () -> trials.repeat(0));
        refused("warmUp(-1)", () -> trials.warmUp(-1));
        refused("needs a name", () -> trials.contender(" ", n -> {}));
        refused("needs a name", () -> trials.virtual("", n -> {}));
        refused("add a contender first", () -> trials.upTo(5));
        refused("another column", () -> Trials.of("n", "seconds"));
        trials.virtual("one per task", n -> {}).upTo(5);
        refused("already", () -> trials.virtual("one per task", n -> {}));
        refused("no size of \"n\" fits", () -> once(trials, 10));
    }

    private static String outcomeOf(Table table, String contender) {
        return Results.of(table, contender).stringColumn("outcome").get(0);
    }
}
