package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.rules.Threads.virtual;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import whatwaits.rules.Limit.Kind;

/** Servers, databases and brokers that are not ours, in extracts of their dumps: see {@code foreign}. */
class ServersTest {

    private static final Requests NOBODY = Requests.unknown("nobody counted the requests");

    private static Verdict verdict(ThreadDump dump, double machine, Outside outside, ThreadDump... moments) {
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.2, Map.of(), Map.of());
        return Verdict.of(
                new Observation(List.of(sample), dump, List.of(), 2, machine, NOBODY, List.of(moments), outside));
    }

    private static Verdict verdict(String dump, Outside outside) {
        var recorded = Threads.recorded(dump);
        return verdict(recorded, 0.1, outside, recorded, recorded);
    }

    private static Outside unread(int connections, int unread) {
        return new Outside(0, connections, unread, 0, 0);
    }

    private static String name(Verdict verdict) {
        assertEquals(1, verdict.met().size(), verdict.toString());
        return verdict.met().getFirst().name();
    }

    @ParameterizedTest
    @CsvSource({
        "servers/h2-row, the lock H2's Transaction",
        "servers/h2-table, the lock H2's MVTable",
        "servers/derby-row, the lock Derby's ActiveLock",
        "servers/activemq, permits of ActiveMQ's MemoryUsage"
    })
    void rows_tables_and_memory_that_a_database_or_a_broker_gives_out_are_named(String dump, String limit) {
        var verdict = verdict(dump, Outside.UNKNOWN);
        assertEquals(limit, name(verdict), verdict.toString());
        assertEquals(4, verdict.met().getFirst().waiting());
        assertEquals(List.of(), verdict.dump().circles(), "who holds it, no stack shows");
    }

    @Test
    void several_threads_in_an_unknown_method_that_gives_out_permits_wait_for_them() {
        String[] waits = {
            "java.lang.VirtualThread.park(VirtualThread.java:1)",
            "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(AQS.java:1)",
            "org.apache.thing.Credits.acquireCredits(Credits.java:7)",
            "shop.Shop.send(Shop.java:9)"
        };
        var threads = IntStream.range(0, 3)
                .mapToObj(id -> virtual(id, "WAITING", "Condition@1", waits))
                .toList();
        assertEquals("permits of Credits", name(verdict(Threads.dump(threads), 0.1, Outside.UNKNOWN)));
        waits[2] = "org.apache.thing.Consumer.receive(Consumer.java:7)";
        var consumers = IntStream.range(0, 3)
                .mapToObj(id -> virtual(id, "WAITING", "Condition@1", waits))
                .toList();
        var verdict = verdict(Threads.dump(consumers), 0.1, Outside.UNKNOWN);
        assertEquals(List.of(), verdict.met(), "they may wait for work");
    }

    @ParameterizedTest
    @CsvSource({
        "servers/tomcat-sockets, permits of Tomcat's limit on connections",
        "servers/helidon-sockets, permits of Helidon's limit on connections"
    })
    void an_acceptor_that_waits_for_a_permit_stops_all_who_connect(String dump, String limit) {
        var verdict = verdict(dump, new Outside(0, 4, 0, 26, 0));
        assertEquals(limit, name(verdict), verdict.toString());
        assertEquals(1 + 26, verdict.met().getFirst().waiting());
        assertEquals(List.of(), verdict(dump, unread(4, 0)).met(), "nobody else wants to connect");
    }

    @ParameterizedTest
    @CsvSource({
        "servers/jetty-full, threads of qtp1243171897, 7",
        "servers/derby-full, threads of DRDAConnThread_, 4",
        "servers/tomcat-full, threads of http-nio-127.0.0.1-37845-exec, 5"
    })
    void requests_that_nobody_has_read_wait_for_a_full_pool(String dump, String limit, int threads) {
        var verdict = verdict(dump, unread(40, 31));
        assertEquals(limit, name(verdict), verdict.toString());
        var pool = verdict.met().getFirst();
        assertEquals(31, pool.waiting());
        assertEquals(threads + " of " + threads, Math.round(pool.inUse()) + " of " + Math.round(pool.of()));
        assertTrue(verdict.sentence().contains("Its threads: " + threads + " platform "), verdict.sentence());
        assertFalse(names(verdict(dump, unread(40, 0))).contains(limit), "every request has a thread");
    }

    @ParameterizedTest
    @CsvSource({
        "servers/vertx-loop, threads of vert.x-eventloop-thread",
        "servers/jdk-dispatcher, threads of HTTP-Dispatcher"
    })
    void a_thread_that_should_read_and_answers_a_request_itself_holds_up_those_who_are_not_read(
            String dump, String limit) {
        var verdict = verdict(dump, unread(18, 17));
        assertEquals(limit, name(verdict));
        assertEquals(17, verdict.met().getFirst().waiting());
        assertFalse(names(verdict(dump, unread(18, 0))).contains(limit), "all are read");
        var once = verdict(Threads.recorded(dump), 0.1, unread(18, 17), Threads.recorded("netty"));
        assertEquals(List.of(), once.met(), "it reads at another look");
    }

    private static List<String> names(Verdict verdict) {
        return verdict.met().stream().map(Limit::name).toList();
    }

    @Test
    void a_pool_with_an_idle_thread_is_not_full_whatever_is_unread() {
        assertEquals(List.of(), verdict("jetty", unread(40, 31)).met());
        assertEquals(List.of(), verdict("undertow", unread(40, 0)).met());
    }

    @Test
    void where_other_threads_read_ahead_connections_beyond_the_threads_of_a_pool_that_is_full_at_each_look_count() {
        var verdict = verdict("servers/undertow-full", unread(25, 0));
        assertEquals("threads of XNIO-1 task", name(verdict));
        assertEquals(20, verdict.met().getFirst().waiting());
        var workers = verdict("servers/vertx-workers", unread(30, 0));
        assertEquals("threads of vert.x-worker-thread", name(workers));
        var stack = Threads.stack(
                "jdk.internal.misc.Unsafe.park(Unsafe.java:1)",
                "org.jboss.threads.EnhancedQueueExecutor$ThreadBody.run(EnhancedQueueExecutor.java:1)");
        var idle = Threads.dump(
                List.of(new ThreadState(7, "XNIO-1 task-9", false, "WAITING", 0, "Thread@1", 0, List.of(), stack)));
        var sometimes = verdict(Threads.recorded("servers/undertow-full"), 0.1, unread(25, 0), idle, idle);
        assertEquals(List.of(), sometimes.met(), sometimes.toString());
    }

    @Test
    void connections_are_a_circle_though_another_request_of_the_class_goes_on() {
        var circles = Threads.recorded("servers/tomcat-circle").circles();
        assertEquals(1, circles.size(), circles.toString());
        assertEquals(5, circles.getFirst().members().size(), circles.toString());
    }

    @Test
    void permits_that_come_with_time_or_with_freed_memory_are_no_circle() {
        for (String dump : List.of("servers/helidon-rate", "servers/activemq")) {
            var threads = Threads.recorded(dump);
            assertEquals(List.of(), threads.after(threads).circles(), dump);
        }
    }

    @Test
    void a_lock_whose_holder_waits_for_a_carrier_is_not_the_first_limit() {
        var sample = new Sample(0, 9, 1, 3, 1, 1, 1, Map.of(), Map.of());
        var dump = Threads.recorded("servers/one-carrier");
        var verdict = Verdict.of(new Observation(List.of(sample), dump, List.of(), 2, 0.6, NOBODY));
        var met = verdict.met().stream().map(Limit::kind).toList();
        assertEquals(List.of(Kind.CARRIERS, Kind.LOCK), met, verdict.toString());
    }

    @Test
    void threads_that_wait_longer_for_a_cpu_than_they_have_it_show_that_the_machine_is_full() {
        var idle = Threads.recorded("jetty");
        var starved = verdict(idle, 1, new Outside(0.6, 8, 0, 0, 0));
        assertEquals("the machine's CPUs", name(starved));
        assertEquals(List.of(), verdict(idle, 1, new Outside(0.1, 8, 0, 0, 0)).met(), "hardly any is needed");
        assertEquals(List.of(), verdict(idle, 0.5, new Outside(0.6, 8, 0, 0, 0)).met());
    }

    @Test
    void carriers_that_all_carry_what_computes_are_no_limit_beside_the_cpus() {
        var threads = IntStream.range(0, 2)
                .mapToObj(id -> new ThreadState(
                        id,
                        "",
                        true,
                        "RUNNABLE",
                        90 + id,
                        null,
                        0,
                        List.of(),
                        Threads.stack("shop.Shop.sum(S.java:1)")))
                .toList();
        var sample = new Sample(0, 9, 2, 9, 2, 2, 1.6, Map.of(), Map.of(90L, 0.8, 91L, 0.8));
        var verdict = Verdict.of(new Observation(List.of(sample), Threads.dump(threads), List.of(), 2, 0.85, NOBODY));
        assertEquals("CPUs", name(verdict));
    }

    @Test
    void a_heap_whose_full_collections_stop_all_threads_is_named() {
        var idle = Threads.recorded("jetty");
        assertEquals("the heap", name(verdict(idle, 0.5, Outside.UNKNOWN.withCollecting(0.39))));
        assertEquals(
                List.of(),
                verdict(idle, 0.5, Outside.UNKNOWN.withCollecting(0.05)).met());
    }
}
