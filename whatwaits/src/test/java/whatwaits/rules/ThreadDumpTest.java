package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.rules.Written.LOCK;
import static whatwaits.rules.Written.PARK;
import static whatwaits.rules.Written.READ;
import static whatwaits.rules.Written.SEMAPHORE;
import static whatwaits.rules.Written.UNSAFE;
import static whatwaits.rules.Written.carrier;
import static whatwaits.rules.Written.container;
import static whatwaits.rules.Written.platform;
import static whatwaits.rules.Written.virtual;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What is counted of the threads of one moment. */
class ThreadDumpTest {

    private static final String PAY = "shop.Till.pay(Till.java:4)";
    private static final String CLINIT = "shop.Rates.<clinit>(Rates.java:2)";

    private static final ThreadDump SHOP = Written.of(
            virtual(1, "RUNNABLE", 7, "shop.Seals.seal(Seals.java:3)"),
            virtual(2, "RUNNABLE", 0, "shop.Shop.sell(Shop.java:1)"),
            virtual(3, "WAITING", 0, PARK, SEMAPHORE, PAY),
            virtual(4, "WAITING", 0, PARK, SEMAPHORE, PAY),
            virtual(5, "WAITING", 0, PARK, SEMAPHORE, "shop.Till.close(Till.java:9)"),
            carrier(7),
            platform(
                    8,
                    "main",
                    "TIMED_WAITING",
                    "java.base/java.lang.Thread.sleep0(Native Method)",
                    "shop.Shop.main(S.java:1)"),
            platform(9, "Reference Handler", "RUNNABLE", "java.base/java.lang.ref.Reference.wait(Native Method)"),
            platform(10, "Attach Listener", "RUNNABLE"));

    @Test
    void virtual_threads_are_counted_by_state() {
        assertEquals(5, SHOP.virtualThreads());
        assertEquals(1, SHOP.mounted());
        assertEquals(3, SHOP.parked());
        assertEquals(1, SHOP.count(WaitReason.CARRIER));
        assertEquals(3, SHOP.count(WaitReason.PERMIT));
        assertEquals(9, SHOP.threads().size());
        assertEquals(25, SHOP.java());
        assertEquals(List.of(1L), SHOP.computing().stream().map(ThreadState::id).toList());
        assertEquals(3, SHOP.waitingFor(WaitReason.PERMIT).size());
    }

    @Test
    void as_text_it_has_the_numbers_and_a_stack_of_each_group() {
        assertEquals("""
                A dump of Java 25.0.3: 9 threads.
                5 virtual: 1 on a carrier, 1 waiting for one, 3 parked.
                4 platform: 1 of the program, 1 carriers, 2 of the JVM and of this observation.

                2 virtual wait for a permit (Semaphore):
                    … 2 frames of the JDK
                    shop.Till.pay(Till.java:4)""", SHOP.toString().lines().limit(7).collect(Collectors.joining("\n")));
    }

    @Test
    void of_many_groups_the_smaller_ones_are_counted() {
        var threads = new String[18];
        for (int i = 0; i < threads.length; i++) {
            var take = "java.base/java.util.concurrent.LinkedBlockingQueue.take(L.java:1)";
            threads[i] = platform(i + 1, "till", "WAITING", UNSAFE, take, "shop.Job" + i + ".run(Job.java:1)");
        }
        var text = Written.of(threads).toString();
        assertTrue(text.endsWith("\nAnd 2 smaller groups with 2 threads."), text);
        assertEquals(
                16,
                text.lines().filter(line -> line.contains("waits for a queue")).count());
        var few = Written.of(Arrays.copyOf(threads, 16)).toString();
        assertFalse(few.contains("smaller groups"), few);
    }

    @Test
    void a_carrier_is_one_by_what_it_runs_not_by_its_name_alone() {
        var own = platform(1, "ForkJoinPool-1-worker-1", "RUNNABLE", PAY);
        assertEquals(1, Written.of(own).groups().size(), "the program's own pool of that name");
        var run = "java.base/java.lang.VirtualThread.run(VirtualThread.java:1)";
        assertEquals(
                0,
                Written.of(platform(1, "ForkJoinPool-1-worker-1", "RUNNABLE", PAY, run))
                        .groups()
                        .size());
        var idle = "java.base/java.util.concurrent.ForkJoinPool.awaitWork(ForkJoinPool.java:1)";
        assertEquals(
                0,
                Written.of(platform(1, "ForkJoinPool-1-worker-1", "WAITING", UNSAFE, idle))
                        .groups()
                        .size());
        assertEquals(0, Written.of(carrier(1)).groups().size());
        assertEquals(
                1,
                Written.of(platform(1, "another", "WAITING", UNSAFE, idle))
                        .groups()
                        .size());
    }

    @Test
    void a_tree_has_the_container_of_a_thread_and_all_below() {
        var dump = Written.dump(
                "25",
                container("<root>", null, platform(1, "main", "RUNNABLE", PAY)),
                container("outer", "<root>", platform(2, "worker", "RUNNABLE", PAY)),
                container("inner", "outer", virtual(3, "WAITING", 0, PARK)),
                container("innermost", "inner", virtual(4, "WAITING", 0, PARK)),
                container("other", "<root>", virtual(5, "WAITING", 0, PARK)));
        assertEquals(
                List.of("outer", "inner", "innermost"),
                dump.tree("worker").stream().map(Container::name).toList());
        assertEquals(5, dump.tree("main").size());
        assertEquals(List.of(), dump.tree("nobody"));
        assertEquals(5, dump.containers().size());
    }

    @Test
    void who_only_seems_to_compute_waits_if_its_carrier_is_still() {
        var dump = Written.of(
                virtual(1, "RUNNABLE", 7, PAY),
                virtual(2, "RUNNABLE", 8, PAY),
                virtual(3, "RUNNABLE", 9, READ),
                carrier(7));
        assertSame(dump, dump.withStill(Set.of()));
        var still = dump.withStill(Set.of(7L, 9L));
        assertEquals(
                List.of("WAITING", "RUNNABLE", "RUNNABLE", "WAITING"),
                still.threads().stream().map(ThreadState::state).toList());
        assertEquals(WaitReason.UNSEEN, still.threads().getFirst().waits());
        assertEquals(2, still.computing().size(), "who waits for something unseen is still looked at");
    }

    @Test
    void who_waits_for_a_class_seems_to_compute_only_where_one_is_initialized() {
        var uses = platform(2, "till-1", "RUNNABLE", PAY);
        assertEquals(List.of(), Written.of(uses).initializing());
        var busy = Written.of(platform(1, "first", "RUNNABLE", READ, CLINIT), uses);
        assertEquals(
                List.of(2L), busy.initializing().stream().map(ThreadState::id).toList());
        assertTrue(busy.suspectsCircle(), "who waits for a class cannot be told yet from who computes");
        assertFalse(Written.of(uses).suspectsCircle());
        assertFalse(Written.of(platform(1, "first", "RUNNABLE", READ, CLINIT)).suspectsCircle());
        var mounted = Written.of(platform(1, "first", "RUNNABLE", READ, CLINIT), virtual(2, "RUNNABLE", 7, PAY));
        assertTrue(mounted.suspectsCircle());
        var still = busy.withStill(Set.of(2L));
        assertEquals(WaitReason.LOCK, still.threads().getLast().waits());
    }

    @Test
    void a_poller_that_waits_for_a_carrier_is_late() {
        var polls = "java.base/sun.nio.ch.Poller.subPollerLoop(Poller.java:1)";
        assertTrue(Written.of(virtual(1, "RUNNABLE", 0, PARK, polls)).isPollerLate());
        assertFalse(Written.of(virtual(1, "WAITING", 0, PARK, polls)).isPollerLate());
        assertFalse(Written.of(virtual(1, "RUNNABLE", 0, PARK, PAY)).isPollerLate());
    }

    @Test
    void whoever_runs_a_statement_holds_a_connection_unless_it_asks_for_another() {
        var proxy = "com.zaxxer.hikari.pool.ProxyConnection.prepareStatement(P.java:1)";
        var asks = "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)";
        var dump = Written.of(
                virtual(1, "WAITING", 0, PARK, LOCK, proxy, PAY),
                virtual(2, "WAITING", 0, PARK, LOCK, PAY),
                virtual(3, "WAITING", 0, PARK, asks, "shop.Audit.note(A.java:1)", proxy, PAY));
        assertEquals(
                List.of(1L),
                dump.connectionHolders().stream().map(ThreadState::id).toList());
    }
}
