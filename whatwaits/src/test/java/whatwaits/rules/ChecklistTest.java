package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static whatwaits.rules.Threads.virtual;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the checklist says of given threads. */
class ChecklistTest {

    /** The verdict on a virtual thread in two copies, both parked, with these frames; innermost first. */
    private static String verdict(String line, String frames) {
        var thread = virtual(1, "WAITING", "Lock@1", frames.split(" "));
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.1, 0, Map.of(), Map.of());
        var dump = Threads.dump(List.of(thread, thread));
        var nobody = new Requests(0, 1, Double.NaN, "a test", List.of());
        var seen = new Observation(List.of(sample), dump, List.of(), 2, 0.1, nobody);
        return Checklist.of(seen, "25.0.3", List.of(), new long[] {0, 1 << 20}, List.of()).stream()
                .filter(each -> each.should().startsWith(line))
                .findFirst()
                .orElseThrow()
                .answer()
                .toString();
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
}
