package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
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
    void samples_rise_with_time_and_follow_the_value() throws Exception {
        var value = new AtomicInteger();
        var samples = Sampler.every(Duration.ofMillis(5))
                .watch("value", value::get)
                .during(() -> {
                    Thread.sleep(200);
                    value.set(7);
                    Thread.sleep(200);
                });

        assertEquals(List.of("seconds", "value"), samples.columnNames());
        assertTrue(samples.rowCount() > 10, samples.rowCount() + " samples in 400 ms");
        assertEquals(0, samples.doubleColumn("value").get(0));
        assertEquals(7, samples.doubleColumn("value").get(samples.rowCount() - 1));
        assertTrue(samples.doubleColumn("seconds").difference().min() >= 0);
        assertSamplerEnds();
    }

    @Test
    void the_kind_of_the_block_stands_in_each_sample() throws Exception {
        var samples = Sampler.every(Duration.ofMillis(5))
                .kind(Kind.VIRTUAL)
                .watch("value", () -> 1)
                .during(() -> Thread.sleep(50));

        assertEquals(List.of("virtual"), samples.stringColumn("kind").unique().asList());
        assertEquals(samples.rowCount(), samples.stringColumn("kind").size());
    }

    @Test
    void a_value_that_is_slow_to_read_leaves_half_of_the_time_to_the_block() throws Exception {
        var samples = Sampler.every(Duration.ofMillis(1))
                .watch("slow", () -> {
                    long end = System.nanoTime() + 20_000_000;
                    while (System.nanoTime() < end) Thread.onSpinWait();
                    return 1;
                })
                .during(() -> Thread.sleep(400));
        double seconds = samples.doubleColumn("seconds").max();
        assertTrue(samples.rowCount() <= seconds / 0.040 + 2, samples.rowCount() + " samples in " + seconds + " s");
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
        assertThrows(ArithmeticException.class, () -> Sampler.every(Duration.ofMillis(1))
                .watch("value", () -> 1 / Integer.parseInt("0"))
                .during(() -> Thread.sleep(50)));
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
