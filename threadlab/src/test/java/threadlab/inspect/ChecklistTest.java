package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.MemoryUsage;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.tablesaw.api.Table;

/** What the checklist says of recorded threads, and of this JVM. */
class ChecklistTest {

    private static final Table DEFECTS = Table.read().csv("../data/defects/hangs.csv");

    /** The verdict on a virtual thread in two copies, both parked, with these frames; innermost first. */
    private static String verdict(String line, String frames) {
        var stack = List.of(frames.split(" "));
        var threads = List.of(
                new ThreadState(1, "", true, "WAITING", 0, "Lock@1", 0, List.of(), stack),
                new ThreadState(2, "", true, "WAITING", 0, "Lock@1", 0, List.of(), stack));
        var dump = new ThreadDump(threads, "25", "threads of a test");
        var heap = new MemoryUsage(0, 1 << 20, 1 << 20, 1 << 20);
        return verdict(
                line,
                Checklist.table(
                        new Checklist.Seen(
                                Runtime.Version.parse("25.0.3"), 2, 2, 0.1, 0, 0, heap, dump, Pins.none(), Map.of()),
                        DEFECTS));
    }

    private static String verdict(String line, Table list) {
        return list.where(list.stringColumn("line").startsWith(line)).getString(0, "verdict");
    }

    private static final String PARKED = "java.lang.VirtualThread.park(VirtualThread.java:1) ";
    private static final String WORKER = "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1) "
            + "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)";

    @Test
    void a_hot_lock_is_to_be_changed() {
        var queue =
                PARKED + "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:1) shop.Till.pay(T.java:1)";
        assertEquals("change", verdict("No lock is hot", queue));
        assertEquals("ok", verdict("No lock is hot", PARKED + WORKER));
    }

    @ParameterizedTest
    @CsvSource({"implRead, change", "timedRead, open"})
    void a_read_from_a_socket_without_a_time_limit_is_seen(String method, String verdict) {
        var frames = PARKED + "sun.nio.ch.NioSocketImpl.park(NioSocketImpl.java:1) "
                + (method.equals("implRead") ? "" : "sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:1) ")
                + "sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1) shop.Shop.read(Shop.java:1)";
        assertEquals(verdict, verdict("Each call to another system has a time limit", frames));
    }

    @Test
    void a_scheduler_of_virtual_threads_is_no_pool_of_them() {
        var line = "Virtual threads are not kept in a pool";
        assertEquals("change", verdict(line, PARKED + WORKER));
        var due = "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take(S.java:1) ";
        assertEquals("ok", verdict(line, PARKED + due + WORKER));
    }

    @Test
    @Tag("deep")
    void of_this_jvm_it_says_what_it_saw_and_leaves_the_rest_open() throws Exception {
        var idle = new CountDownLatch(2);
        try (var pool =
                Executors.newFixedThreadPool(2, Thread.ofVirtual().name("v", 1).factory())) {
            for (int i = 0; i < 2; i++) {
                pool.submit(idle::countDown);
            }
            idle.await();
            var list = Checklist.run(ProcessHandle.current().pid(), DEFECTS);
            assertEquals("change", verdict("Virtual threads are not kept in a pool", list), list.print());
            assertEquals("ok", verdict("It runs on Java 24 or newer", list), list.print());
            assertTrue(list.stringColumn("verdict").contains("open"), list.print());
            assertTrue(list.rowCount() >= 12, list.print());
        }
    }
}
