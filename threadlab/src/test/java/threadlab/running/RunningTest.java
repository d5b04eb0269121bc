package threadlab.running;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** What a run counts, and how it ends. {@code tests/notebooks/test_running.py} has the kernel and the page. */
class RunningTest {

    private static final double EXACT = 1e-12;

    @Test
    void little_s_law_is_exact_while_a_box_is_as_empty_at_the_end_as_at_the_beginning() {
        var box = new Box();
        var empty = box.count(0);
        box.enter(1);
        box.enter(2);
        box.leave(1, 4);
        box.leave(2, 8);
        var law = box.count(10).since(empty);
        assertEquals(0.9, law.inside(), EXACT); // one or two inside for 3 + 6 of 10 s
        assertEquals(0.2, law.perSecond(), EXACT);
        assertEquals(4.5, law.seconds(), EXACT);
        assertEquals(law.inside(), law.product(), EXACT);
    }

    @Test
    void each_number_is_measured_so_a_box_that_fills_shows_that_they_disagree() {
        var box = new Box();
        var empty = box.count(0);
        box.enter(0);
        box.enter(0);
        box.leave(0, 1);
        var law = box.count(2).since(empty);
        assertEquals(1.5, law.inside(), EXACT);
        assertEquals(0.5, law.product(), EXACT);
        var still = box.count(3).since(box.count(2));
        assertEquals(1, still.inside(), EXACT);
        assertEquals(0, still.product(), EXACT);
        assertTrue(Double.isNaN(still.seconds()), "nobody left");
    }

    @Test
    void who_comes_late_is_counted_from_when_the_visit_was_due() {
        var box = new Box();
        var empty = box.count(0);
        var before = box.count(3);
        box.enter(2); // told at 3
        assertEquals(1, box.count(4).since(empty).inside() * 4 - before.spent() - 1, EXACT);
    }

    @Test
    void a_visit_is_in_the_whole_box_from_its_arrival_and_served_from_its_beginning() {
        var visitors = new Visitors();
        var visit = visitors.arrives(System.nanoTime());
        visitors.arrives(System.nanoTime()).ends(); // without service
        visit.begins();
        visit.begins();
        visit.ends();
        visit.ends();
        double now = visitors.now();
        assertEquals(2, visitors.arrived());
        assertEquals(2, visitors.whole().count(now).left());
        assertEquals(1, visitors.service().count(now).left());
        assertEquals(
                visitors.whole().count(now).spent(), visitors.whole().count(now).stayed(), EXACT);
    }

    @Test
    void sliders_and_buttons_keep_to_their_range_and_time() {
        var threads = Slider.of("threads", 1, 50, 8);
        threads.set(50);
        assertEquals(50, threads.value());
        assertTrue(assertThrows(IllegalArgumentException.class, () -> threads.set(51))
                .getMessage()
                .contains("threads(51)"));
        assertThrows(IllegalArgumentException.class, () -> Slider.of("threads", 5, 5, 5));
        assertEquals(1, threads.step());
        assertEquals(10, Slider.of("arrivals", 10, 400, 100).step());
        assertEquals(5, Slider.of("ms", 5, 200, 50).step());
        assertEquals(100, Slider.of("n", 0, 5_000, 50).step());
        var freeze = Button.of("freeze", Duration.ofSeconds(10));
        assertEquals(Duration.ZERO, freeze.left());
        assertTrue(freeze.press());
        assertFalse(freeze.press(), "it is down");
        assertTrue(freeze.left().isPositive());
    }

    private static final Slider ANY = Slider.of("any", 0, 1, 0);

    /** A run that has ended, and what was alive of it when it said so. */
    private static LiveRun ended(Running experiment, LiveRun.End by) throws InterruptedException {
        var heard = new LinkedBlockingQueue<LiveRun>();
        var run = experiment.begin(_ -> {}, heard::add);
        if (by != null) {
            run.end(by);
        }
        assertEquals(run, heard.take());
        run.end(LiveRun.End.CELL); // changes nothing
        assertTrue(heard.isEmpty());
        return run;
    }

    @Test
    void it_ends_by_itself_with_all_that_its_code_has_started() throws InterruptedException {
        var worker = new AtomicReference<Thread>();
        var working = new CountDownLatch(1);
        var pool = Running.with(ANY).doing(visitors -> {
            try (var one = Executors.newSingleThreadExecutor()) {
                one.submit(() -> {
                    worker.set(Thread.currentThread());
                    working.countDown();
                    Thread.sleep(Duration.ofDays(1));
                    return null;
                });
                while (working.getCount() > 0) {
                    Thread.onSpinWait(); // whatever interrupts
                }
                while (true) {
                    visitors.arrives(System.nanoTime());
                    Thread.sleep(10);
                }
            }
        });
        // the one interrupt ends the loop, the next one the pool's closing
        var run = ended(pool.lasting(Duration.ofMillis(1)), null);
        assertEquals(LiveRun.End.TIME, run.ended());
        worker.get().join();
    }

    @Test
    void it_counts_until_somebody_ends_it_and_says_why() throws InterruptedException {
        var counted = new CountDownLatch(3);
        var forever = Running.with(ANY).doing(visitors -> {
            var visit = visitors.arrives(System.nanoTime());
            visit.begins();
            Thread.sleep(Duration.ofDays(1));
        });
        var run = forever.begin(
                it -> {
                    if (!it.moments().isEmpty()) {
                        counted.countDown();
                    }
                },
                _ -> {});
        counted.await();
        run.end(LiveRun.End.INTERRUPT);
        run.end(LiveRun.End.CELL);
        assertEquals(LiveRun.End.INTERRUPT, run.ended());
        var last = run.moments().getLast();
        assertEquals(1, last.whole().inside(), 1e-9);
        assertEquals(1, last.service().inside(), 1e-9);
        assertEquals(0, last.whole().product());
        assertEquals(LiveRun.End.CELL, ended(forever, LiveRun.End.CELL).ended());
    }

    @Test
    void it_ends_with_its_code_and_reports_what_that_throws() throws InterruptedException {
        assertEquals(
                LiveRun.End.CODE, ended(Running.with(ANY).doing(_ -> {}), null).ended());
        var thrown = new LinkedBlockingQueue<Throwable>();
        var before = Thread.getDefaultUncaughtExceptionHandler();
        Thread.setDefaultUncaughtExceptionHandler((_, e) -> thrown.add(e));
        try {
            var failing = Running.with(ANY).doing(_ -> {
                throw new IllegalStateException("closed on Mondays");
            });
            assertEquals(LiveRun.End.CODE, ended(failing, null).ended());
            assertEquals("closed on Mondays", thrown.take().getMessage());
        } finally {
            Thread.setDefaultUncaughtExceptionHandler(before);
        }
    }

    @Test
    void it_says_with_which_values_it_runs_where_nobody_can_change_them() {
        var threads = Slider.of("threads", 1, 50, 8);
        var freeze = Button.of("freeze", Duration.ofMillis(500));
        var words = Running.with(threads, freeze).doing(_ -> {}).toString();
        assertTrue(words.startsWith("A running experiment: threads 8. Where no sliders are shown"), words);
        assertThrows(IllegalArgumentException.class, Running::with);
        assertThrows(NullPointerException.class, () -> Running.with(threads).doing(null));
    }
}
