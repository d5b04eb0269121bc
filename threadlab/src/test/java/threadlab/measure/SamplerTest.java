package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SamplerTest {

    /** An executor may end a moment before its thread. */
    private static void assertSamplerEnds() throws InterruptedException {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            assertTrue(!thread.getName().equals("sampler") || thread.join(Duration.ofSeconds(10)));
        }
    }

    @Test
    void samples_rise_with_time_follow_the_value_and_have_the_kind_of_the_block() throws Exception {
        var value = new AtomicInteger();
        var read = new Semaphore(0);
        var samples = Sampler.every(Duration.ofMillis(1))
                .kind(Kind.VIRTUAL)
                .watch("value", () -> {
                    read.release();
                    return value.get();
                })
                .during(() -> {
                    read.acquire(5);
                    value.set(7);
                    read.drainPermits();
                    read.acquire(5);
                });

        assertEquals(List.of("seconds", "value", "kind"), samples.columnNames());
        assertEquals(0, samples.doubleColumn("value").get(0));
        assertEquals(7, samples.doubleColumn("value").get(samples.rowCount() - 1));
        assertTrue(samples.doubleColumn("seconds").difference().min() >= 0);
        assertEquals(List.of("virtual"), samples.stringColumn("kind").unique().asList());
        assertSamplerEnds();
    }

    @Test
    void a_value_that_is_slow_to_read_leaves_half_of_the_time_to_the_block() {
        assertEquals(15, Sampler.next(10, 5, 10, 11), "a quick one is read at its planned time");
        assertEquals(30, Sampler.next(10, 5, 10, 20));
        assertEquals(31, Sampler.next(10, 5, 29, 30), "after a late one");
    }

    @Test
    void what_the_block_throws_reaches_the_caller_and_the_sampler_ends() throws Exception {
        var error = assertThrows(IllegalStateException.class, () -> Sampler.every(Duration.ofMillis(1))
                .watch("value", () -> 1)
                .during(() -> {
                    throw new IllegalStateException("broken");
                }));

        assertEquals("broken", error.getMessage());
        assertSamplerEnds();
    }

    @Test
    void a_value_that_cannot_be_read_is_reported() {
        var read = new Semaphore(0);
        assertThrows(ArithmeticException.class, () -> Sampler.every(Duration.ofMillis(1))
                .watch("value", () -> {
                    read.release();
                    return 1 / Integer.parseInt("0");
                })
                .during(read::acquire));
    }

    @Test
    void an_error_of_a_value_is_reported_as_what_it_is() {
        var read = new Semaphore(0);
        var error = assertThrows(StackOverflowError.class, () -> Sampler.every(Duration.ofMillis(1))
                .watch("value", () -> {
                    read.release();
                    throw new StackOverflowError("too deep");
                })
                .during(read::acquire));
        assertEquals("too deep", error.getMessage());
    }

    @Test
    void a_sampler_that_makes_no_sense_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> Sampler.every(Duration.ofNanos(10)));
        assertThrows(IllegalStateException.class, () -> Sampler.every(Duration.ofMillis(1))
                .during(() -> {}));
        assertThrows(
                IllegalArgumentException.class,
                () -> Sampler.every(Duration.ofMillis(1)).watch("a", () -> 1).watch("a", () -> 2));
    }
}
