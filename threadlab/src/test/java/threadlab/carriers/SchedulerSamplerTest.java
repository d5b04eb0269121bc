package threadlab.carriers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tech.tablesaw.api.Table;
import threadlab.measure.Sampler;

@SuppressWarnings("try") // a resource that is only closed
@Timeout(120)
class SchedulerSamplerTest {

    /** Counts the samples, so that a block can wait until it has been seen. */
    private final Semaphore seen = new Semaphore(0);

    private Sampler sampler() {
        return SchedulerSampler.every(Duration.ofMillis(1)).watch("seen", () -> {
            seen.release();
            return 0;
        });
    }

    private void beSeen() throws InterruptedException {
        seen.drainPermits();
        seen.acquire(3);
    }

    private Table waiting(ThreadFactory factory) throws Exception {
        return sampler().during(() -> {
            beSeen();
            var all = new CountDownLatch(200);
            var end = new CountDownLatch(1);
            try (var executor = Executors.newThreadPerTaskExecutor(factory)) {
                for (int i = 0; i < 200; i++) {
                    executor.submit(() -> {
                        all.countDown();
                        end.await();
                        return null;
                    });
                }
                all.await();
                beSeen();
                end.countDown();
            }
        });
    }

    @Test
    void two_hundred_platform_threads_that_wait_are_all_counted() throws Exception {
        // a few of this JVM's own threads may end meanwhile
        assertTrue(added(waiting(Thread.ofPlatform().factory())) >= 190);
    }

    private static double added(Table samples) {
        var threads = samples.doubleColumn("platform threads");
        return threads.max() - threads.get(0);
    }

    @Test
    void two_hundred_virtual_threads_that_wait_add_fewer_than_twenty() throws Exception {
        try (var one = Carriers.parallelism(1)) {
            var samples = waiting(Thread.ofVirtual().factory());
            assertTrue(added(samples) < 20, "added " + added(samples));
            assertEquals(
                    List.of("seconds", "platform threads", "mounted", "queued", "parallelism", "pool size", "seen"),
                    samples.columnNames());
            assertTrue(samples.doubleColumn("mounted").max() <= 1);
            assertEquals(1, samples.doubleColumn("parallelism").max());
        }
    }

    @Test
    void a_busy_carrier_does_not_hold_the_sampler_up() throws Exception {
        try (var one = Carriers.parallelism(1)) {
            var samples = sampler().during(() -> {
                var end = new AtomicBoolean();
                var spinner = Thread.ofVirtual().start(() -> {
                    while (!end.get()) {
                        Thread.onSpinWait();
                    }
                });
                var waiting = Thread.ofVirtual().start(() -> {});
                beSeen();
                end.set(true);
                spinner.join();
                waiting.join();
            });
            assertEquals(1, samples.doubleColumn("mounted").max());
            assertTrue(samples.doubleColumn("queued").max() >= 1);
        }
    }
}
