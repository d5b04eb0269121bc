package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static whatwaits.rules.Threads.virtual;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the checklist says of given threads. */
class ChecklistTest {

    /** Ten requests a second, each within 0.1 s. */
    private static final Requests TEN = new Requests(10, 1, 0.1, "a test", List.of());

    private static final Requests NONE = new Requests(0, 1, Double.NaN, "a test", List.of());
    private static final Requests UNKNOWN = Requests.unknown("nobody counted them");

    /** The verdict on a virtual thread in two copies, both parked, with these frames; innermost first. */
    private static String verdict(String line, String frames) {
        return verdict(line, frames, TEN, 0.1);
    }

    private static String verdict(String line, String frames, Requests requests, double cpus) {
        var thread = virtual(1, "WAITING", "Lock@1", frames.split(" "));
        var sample = new Sample(0, 9, 0, 0, 2, 2, cpus, Map.of(), Map.of());
        var dump = Threads.dump(List.of(thread, thread));
        var seen = new Observation(List.of(sample), dump, List.of(), 2, 0.1, requests);
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

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Requests run on virtual threads",
                "No virtual thread waits for a carrier",
                "No lock is hot",
                "Virtual threads are not kept in a pool",
                "Requests wait more than they compute"
            })
    void what_only_a_load_can_refute_is_open_without_one(String line) {
        var frames = PARKED + "shop.Till.pay(T.java:1)";
        assertEquals("ok", verdict(line, frames));
        assertEquals("open", verdict(line, frames, NONE, 0.1));
        assertEquals("open", verdict(line, frames, UNKNOWN, 0.1));
    }

    @Test
    void what_a_load_has_refuted_already_is_said_without_one() {
        var queue =
                PARKED + "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:1) shop.Till.pay(T.java:1)";
        assertEquals("change", verdict("No lock is hot", queue, UNKNOWN, 0.1));
    }

    @ParameterizedTest
    @CsvSource({"0.1, ok", "0.6, change", "1.9, change"})
    void a_request_waits_if_its_cpu_time_is_less_than_half_of_its_latency(double cpus, String verdict) {
        // 10, 60 and 190 ms of CPU time for a request of 100 ms
        assertEquals(verdict, verdict("Requests wait more than they compute", PARKED, TEN, cpus));
    }

    @Test
    void on_full_cpus_the_latency_contains_the_wait_for_them() {
        var slow = new Requests(10, 1, 2, "a test", List.of());
        assertEquals("ok", verdict("Requests wait more than they compute", PARKED, slow, 1));
        assertEquals("change", verdict("Requests wait more than they compute", PARKED, slow, 1.9));
    }
}
