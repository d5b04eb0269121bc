package threadlab.carriers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;
import threadlab.Expect;

@SuppressWarnings("try") // a resource that is only closed
@Timeout(120)
class MountTraceTest {

    private static final int THREADS = 6;
    private static final int ROUNDS = 3;
    private static final int CARRIERS = 2;
    private static final Duration BUSY = Duration.ofMillis(2);

    private static void spin(Duration duration) {
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static Table run(ThreadFactory factory) {
        var trace = new MountTrace();
        try (var two = Carriers.parallelism(CARRIERS);
                var executor = Executors.newThreadPerTaskExecutor(factory)) {
            for (int i = 0; i < THREADS; i++) {
                executor.submit(() -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        try (var busy = trace.mounted()) {
                            spin(BUSY);
                        }
                        Thread.sleep(5);
                    }
                    return null;
                });
            }
        }
        return trace.table();
    }

    @Test
    void a_known_schedule_is_traced_as_it_was() {
        var nanos = new AtomicLong(7_000_000);
        var trace = new MountTrace(nanos::get);
        for (int round = 0; round < 2; round++) {
            nanos.addAndGet(10_000_000);
            try (var busy = trace.mounted()) {
                nanos.addAndGet(30_000_000);
            }
        }
        var table = trace.table();
        assertEquals(List.of(10.0, 50.0), table.doubleColumn("from (ms)").asList());
        assertEquals(List.of(40.0, 80.0), table.doubleColumn("until (ms)").asList());
    }

    @Test
    void virtual_threads_share_the_lanes_of_their_carriers() {
        var table = run(Thread.ofVirtual().name("v", 1).factory());
        assertEquals(THREADS * ROUNDS, table.rowCount());
        assertEquals(THREADS, table.stringColumn("thread").countUnique());
        assertTrue(table.stringColumn("carrier").countUnique() <= CARRIERS, "more lanes than carriers");
        var free = new HashMap<String, Double>();
        for (Row row : table) {
            double from = row.getDouble("from (ms)");
            assertTrue(free.getOrDefault(row.getString("carrier"), 0.0) <= from, "stretches overlap on a carrier");
            free.put(row.getString("carrier"), row.getDouble("until (ms)"));
        }
    }

    @Test
    void platform_threads_are_their_own_lanes() {
        var table = run(Thread.ofPlatform().name("platform-", 1).factory());
        assertEquals(THREADS * ROUNDS, table.rowCount());
        for (Row row : table) {
            assertEquals(row.getString("thread"), row.getString("carrier"));
        }
    }

    @Test
    void threads_without_a_name_are_told_apart_by_their_number() throws Exception {
        var trace = new MountTrace();
        var thread = Thread.ofVirtual().start(() -> trace.mounted().close());
        thread.join();
        var row = trace.table().row(0);
        assertEquals("#" + thread.threadId(), row.getString("thread"));
        assertTrue(row.getString("carrier").startsWith("ForkJoinPool-"));
    }

    @Test
    void a_trace_is_not_read_while_a_thread_is_inside() throws Exception {
        var trace = new MountTrace();
        var inside = new CountDownLatch(1);
        var thread = Thread.ofVirtual().name("v1").start(() -> {
            try (var busy = trace.mounted()) {
                inside.countDown();
                LockSupport.park();
            }
        });
        inside.await();
        var e = assertThrows(IllegalStateException.class, trace::table);
        assertEquals(
                "1 thread is still inside a stretch (v1): read the trace after the tasks have ended", e.getMessage());
        LockSupport.unpark(thread);
        thread.join();
    }

    @Test
    void a_stretch_in_which_another_thread_had_the_carrier_is_refused() throws Exception {
        var trace = new MountTrace();
        var token = new Semaphore(0);
        try (var one = Carriers.parallelism(1);
                var executor = Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("v", 1).factory())) {
            executor.submit(() -> {
                try (var busy = trace.mounted()) {
                    token.acquire();
                }
                return null;
            });
            Expect.await("a blocked thread", token::hasQueuedThreads);
            executor.submit(() -> {
                try (var busy = trace.mounted()) {
                    spin(Duration.ofMillis(1));
                }
                token.release();
            });
        }
        var e = assertThrows(IllegalStateException.class, trace::table);
        assertTrue(e.getMessage().contains("blocked inside a stretch"), e.getMessage());
        assertTrue(e.getMessage().contains("v1") && e.getMessage().contains("v2"), e.getMessage());
    }

    @Test
    void a_stretch_is_ended_by_the_thread_that_began_it() throws Exception {
        var trace = new MountTrace();
        var stretch = trace.mounted();
        var failure = new Throwable[1];
        Runnable close = () -> failure[0] = assertThrows(IllegalStateException.class, stretch::close);
        Thread.ofVirtual().name("v1").start(close).join();
        assertTrue(failure[0].getMessage().startsWith("v1 cannot end a stretch that "), failure[0].getMessage());
        stretch.close();
        stretch.close();
        assertEquals(1, trace.table().rowCount());
    }

    @Test
    void stretches_do_not_nest() {
        var trace = new MountTrace();
        try (var outer = trace.mounted()) {
            refused("already inside a stretch", trace::mounted);
        }
        assertEquals(1, trace.table().rowCount());
    }
}
