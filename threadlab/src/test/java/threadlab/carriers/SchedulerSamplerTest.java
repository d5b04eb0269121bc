package threadlab.carriers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.Table;

@SuppressWarnings("try") // a resource that is only closed
@Tag("deep")
class SchedulerSamplerTest {

    private static Table sleepers(ThreadFactory factory) throws Exception {
        return SchedulerSampler.every(Duration.ofMillis(5)).during(() -> {
            Thread.sleep(50);
            var all = new CountDownLatch(200);
            try (var executor = Executors.newThreadPerTaskExecutor(factory)) {
                for (int i = 0; i < 200; i++) {
                    executor.submit(() -> {
                        all.countDown();
                        all.await();
                        Thread.sleep(300);
                        return null;
                    });
                }
            }
        });
    }

    private static double added(Table samples) {
        var threads = samples.doubleColumn("platform threads");
        return threads.max() - threads.get(0);
    }

    @Test
    void two_hundred_platform_sleepers_are_two_hundred_platform_threads() throws Exception {
        double added = added(sleepers(Thread.ofPlatform().factory()));
        // a few of this JVM's own threads may end meanwhile
        assertTrue(added >= 190, "added " + added);
    }

    @Test
    void two_hundred_virtual_sleepers_add_fewer_than_twenty() throws Exception {
        try (var one = Carriers.parallelism(1)) {
            var samples = sleepers(Thread.ofVirtual().factory());
            assertTrue(added(samples) < 20, "added " + added(samples));
            assertEquals(
                    List.of("seconds", "platform threads", "mounted", "queued", "parallelism", "pool size"),
                    samples.columnNames());
            assertTrue(samples.doubleColumn("mounted").max() <= 1);
            assertEquals(1, samples.doubleColumn("parallelism").max());
        }
    }

    @Test
    void a_busy_carrier_does_not_hold_the_sampler_up() throws Exception {
        try (var one = Carriers.parallelism(1)) {
            var samples = SchedulerSampler.every(Duration.ofMillis(5)).during(() -> {
                var spinner = Thread.ofVirtual().start(() -> {
                    long end = System.nanoTime() + 300_000_000L;
                    while (System.nanoTime() < end) {
                        Thread.onSpinWait();
                    }
                });
                var waiting = Thread.ofVirtual().start(() -> {});
                spinner.join();
                waiting.join();
            });
            assertTrue(samples.rowCount() >= 10, samples.rowCount() + " samples");
            assertEquals(1, samples.doubleColumn("mounted").max());
            assertTrue(samples.doubleColumn("queued").max() >= 1);
        }
    }

    @Test
    void a_period_below_a_millisecond_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> SchedulerSampler.every(Duration.ofNanos(1)));
    }
}
