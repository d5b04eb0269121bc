package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.rules.Threads.stack;
import static whatwaits.rules.Threads.virtual;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Limit.Kind;

/** Little's law on threads and samples that are given; threadlab's ServiceTest looks at a real service. */
class VerdictTest {

    private static final String PARK = "java.lang.VirtualThread.park(VirtualThread.java:1)";
    private static final Requests TEN = new Requests(10, 1, 0.1, "a test", Map.of());

    private static Verdict observed(double cpus, double machine) {
        return observed(cpus, machine, List.of(virtual(7, null, "shop.Shop.sum(Shop.java:7)")));
    }

    private static Verdict observed(double cpus, double machine, List<ThreadState> threads) {
        return Verdict.of(round(cpus, machine, threads, TEN));
    }

    private static Observation round(double cpus, double machine, List<ThreadState> threads, Requests requests) {
        var sample = new Sample(0, 9, 2, 5, 2, 2, cpus, 0, Map.of());
        var dump = Threads.dump(threads);
        return new Observation(List.of(sample), dump, Map.of(), 2, machine, requests);
    }

    /** Threads that wait for locks on one line, in turn. */
    private static List<ThreadState> waiting(int threads, String... locks) {
        String[] line = {"shop.Shop.sell(Shop.java:9)"};
        return IntStream.range(0, threads)
                .mapToObj(id -> virtual(id, "BLOCKED", locks[id % locks.length], line))
                .toList();
    }

    private static Limit limit(Verdict verdict, Kind kind) {
        return verdict.limits().stream()
                .filter(limit -> limit.kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    /** The limit that is named. */
    private static String first(Verdict verdict) {
        return verdict.met().getFirst().name();
    }

    @Test
    void the_limit_is_named_with_its_arithmetic_beside_those_that_are_not_met() {
        var pool = Map.of(Gauge.CONNECTIONS, 10.0, Gauge.CONNECTIONS_IN_USE, 2.0, Gauge.CONNECTIONS_WAITING, 0.0);
        var requests = new Requests(50, 0.5, 0.25, "a test", pool);
        var limits = Verdict.of(round(0.1, 0.3, waiting(8, "Object@1f"), requests));
        var text = limits.toString();
        assertEquals(25, limits.inside(), 1e-9);
        assertTrue(text.contains("L = X · W = 100 · 0.25 = 25"), text);
        assertEquals("the lock Object@1f", first(limits));
        assertEquals(8, limits.met().getFirst().waiting(), text);
        assertFalse(limits.met().contains(limit(limits, Kind.CONNECTIONS)), text);
        assertFalse(limits.met().contains(limit(limits, Kind.CPUS)), text);
        assertEquals(2, limit(limits, Kind.CONNECTIONS).inUse(), text);
        assertEquals(10, limit(limits, Kind.CONNECTIONS).of(), text);
    }

    @Test
    void without_figures_of_the_pool_its_size_is_that_of_the_holders_and_what_they_do_says_which_limit_comes_first() {
        var transaction = "org.springframework.transaction.interceptor.TransactionInterceptor.invoke(T.java:1)";
        var template = "org.springframework.transaction.support.TransactionTemplate.execute(T.java:1)";
        var waits = "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)";
        var wait = busy(waits, PARK, "sun.nio.ch.NioSocketImpl.park(NioSocketImpl.java:1)", transaction);
        var text = wait.toString();
        assertEquals("connections", first(wait), text);
        assertTrue(text.contains("connections: 5 of 5 in use, 30 wait: met"), text);
        assertTrue(text.endsWith("Connections come first: only 0 of the 5 threads seen with one want a CPU."), text);
        var compute = busy(waits, "shop.Price.of(Price.java:1)", template);
        text = compute.toString();
        assertEquals("CPUs", first(compute), text);
        assertTrue(text.endsWith("The CPUs come first: 5 of the 5 threads seen with a connection want a CPU."), text);
    }

    @Test
    void threads_that_wait_for_a_client_s_connection_say_nothing_about_those_to_the_database() {
        var limits = busy("org.apache.hc.core5.pool.StrictConnPool.lease(StrictConnPool.java:1)", PARK);
        assertEquals("connections of a client", first(limits), limits.toString());
        assertTrue(limits.limits().stream().noneMatch(limit -> limit.kind() == Kind.CONNECTIONS), limits.toString());
    }

    /** A service whose CPUs are busy: 30 threads wait for a connection, and five hold one. */
    private static Verdict busy(String waits, String... holds) {
        boolean parks = holds[0].equals(PARK);
        var state = parks ? "WAITING" : "RUNNABLE";
        var holding = new ThreadState(2, "", true, state, parks ? 0 : 99, null, 0, List.of(), stack(holds));
        var threads = new ArrayList<>(Collections.nCopies(30, virtual(1, "WAITING", PARK, waits)));
        threads.addAll(Collections.nCopies(5, holding));
        return observed(2, 1, threads);
    }

    @Test
    void carriers_of_a_machine_whose_cpus_others_use_are_not_met() {
        assertEquals("carriers", first(observed(0.1, 0.3)));
        assertEquals("carriers", first(observed(0.1, Double.NaN)));
        assertEquals("CPUs", first(observed(1.9, 1)));
        var starved = observed(0.4, 0.97);
        assertEquals("the machine's CPUs", first(starved), starved.toString());
        assertTrue(starved.toString().contains("Other programs keep the machine's CPUs busy"), starved.toString());
        assertFalse(starved.met().contains(limit(starved, Kind.CARRIERS)), starved.toString());
    }

    @Test
    void full_cpus_come_before_a_lock_if_more_threads_wait_for_them() {
        var limits = observed(1.9, 1, waiting(4, "Object@1f"));
        assertEquals("CPUs", first(limits), limits.toString());
        assertTrue(limits.toString().contains("Also met: the lock Object@1f"), limits.toString());
        assertEquals("the machine's CPUs", first(observed(0.4, 0.97, waiting(4, "Object@1f"))));
        var more = first(observed(1.9, 1, waiting(6, "Object@1f")));
        assertEquals("the lock Object@1f", more, "6 wait for it, and 5 for a CPU");
    }

    @Test
    void locks_of_the_same_line_count_together() {
        var limits = observed(0.1, 0.3, waiting(12, "Lock@1", "Lock@2", "Lock@3"));
        var text = limits.toString();
        assertTrue(first(limits).startsWith("3 locks of one line, such as Lock@"), text);
        assertTrue(text.contains("one of these 3 locks, it keeps one for 3 ÷ X = 3 ÷ 10 = 300 ms"), text);
    }

    @Test
    void threads_that_wait_for_each_other_are_a_deadlock() {
        String[] line = {"shop.Shop.sell(Shop.java:9)"};
        var a = new ThreadState(1, "a", true, "BLOCKED", 0, "Object@1", 0, List.of("Object@2"), stack(line));
        var b = new ThreadState(2, "b", true, "BLOCKED", 0, "Object@2", 0, List.of("Object@1"), stack(line));
        var waits = virtual(3, "BLOCKED", "Object@1", line);
        var dump = Threads.dump(List.of(waits, a, b));
        assertEquals(1, dump.circles().size());
        assertTrue(dump.toString().contains("A deadlock: b waits for a waits for b."), dump.toString());
        assertEquals(List.of(), Threads.dump(List.of(waits, a)).circles());
    }
}
