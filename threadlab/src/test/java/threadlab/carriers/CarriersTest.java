package threadlab.carriers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import threadlab.Expect;

@SuppressWarnings("try") // a resource that is only closed
class CarriersTest {

    private static int parallelism() {
        return Carriers.scheduler().getParallelism();
    }

    @Test
    void the_former_parallelism_comes_back() {
        int before = parallelism();
        try (var three = Carriers.parallelism(3)) {
            assertEquals(3, parallelism());
            try (var one = Carriers.parallelism(1)) {
                assertEquals(1, parallelism());
            }
            assertEquals(3, parallelism());
        }
        assertEquals(before, parallelism());
    }

    @Test
    void it_comes_back_after_an_interrupt() throws Exception {
        int before = parallelism();
        var thread = Thread.ofPlatform().start(() -> {
            try (var five = Carriers.parallelism(5)) {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Expect.await("five carriers", () -> parallelism() == 5);
        thread.interrupt();
        thread.join();
        assertEquals(before, parallelism());
    }

    /** By the name of a group of threads that is the JDK's own. */
    @Test
    void a_carrier_that_runs_a_thread_is_active() throws Exception {
        var end = new AtomicBoolean();
        try (var two = Carriers.parallelism(2);
                var executor = Executors.newVirtualThreadPerTaskExecutor();
                AutoCloseable ends = () -> end.set(true)) {
            IntStream.range(0, 2)
                    .forEach(_ -> executor.submit(() -> {
                        while (!end.get()) {
                            Thread.onSpinWait();
                        }
                    }));
            Expect.await("two active carriers", () -> Carriers.active() == 2);
        }
        Expect.await("no active carrier", () -> Carriers.active() == 0);
    }

    @Test
    @Tag("release")
    void a_lowered_parallelism_holds_for_the_first_threads_already() throws Exception {
        int rounds = 200;
        int together = 0;
        for (int i = 0; i < rounds; i++) {
            try (var two = Carriers.parallelism(2);
                    var executor = Executors.newVirtualThreadPerTaskExecutor()) {
                IntStream.range(0, 4).forEach(_ -> executor.submit(() -> compute(300_000)));
            }
            try (var one = Carriers.parallelism(1);
                    var executor = Executors.newVirtualThreadPerTaskExecutor()) {
                var first = executor.submit(() -> compute(3_000_000));
                together += executor.submit(first::isDone).get() ? 0 : 1;
            }
        }
        // one in seven if the carriers that are still active are not waited for
        assertTrue(together <= rounds / 50, together + " of " + rounds);
    }

    private static void compute(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void a_second_close_changes_nothing() {
        int before = parallelism();
        var outer = Carriers.parallelism(3);
        outer.close();
        try (var four = Carriers.parallelism(4)) {
            outer.close();
            assertEquals(4, parallelism());
        }
        assertEquals(before, parallelism());
    }

    @Test
    void what_the_pool_cannot_hold_is_refused() {
        int before = parallelism();
        for (int n : new int[] {0, -1, 100_000}) {
            var e = assertThrows(IllegalArgumentException.class, () -> Carriers.parallelism(n));
            assertTrue(e.getMessage().contains("it must be from 1 to "), e.getMessage());
            assertFalse(e.getMessage().contains("\n"));
        }
        assertEquals(before, parallelism());
    }
}
