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
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Limit.Kind;

/** Little's law on threads and samples that are given; threadlab's ServiceTest looks at a real service. */
class VerdictTest {

    private static final String PARK = "java.lang.VirtualThread.park(VirtualThread.java:1)";
    private static final Requests TEN = new Requests(10, 1, 0.1, "a test", List.of());

    private static Verdict observed(double cpus, double machine) {
        return observed(cpus, machine, List.of(virtual(7, null, "shop.Shop.sum(Shop.java:7)")));
    }

    private static Verdict observed(double cpus, double machine, List<ThreadState> threads) {
        return Verdict.of(round(cpus, machine, threads, TEN));
    }

    private static Observation round(double cpus, double machine, List<ThreadState> threads, Requests requests) {
        var sample = new Sample(0, 9, 2, 5, 2, 2, cpus, Map.of(), Map.of());
        var dump = Threads.dump(threads);
        return new Observation(List.of(sample), dump, List.of(), 2, machine, requests);
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
        var pool = List.of(new PoolFigures(Kind.CONNECTIONS, "HikariPool-1", 2, 10, 0));
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
        assertTrue(text.contains("It comes first because most threads wait for it: 30, and 5 for CPUs."), text);
        var compute = busy(waits, "shop.Price.of(Price.java:1)", template);
        text = compute.toString();
        assertEquals("CPUs", first(compute), text);
        var why = "It comes before connections: 5 of the 5 threads seen with one of these wait for it.";
        assertTrue(text.contains(why), text);
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

    private static final String TRANSACTION =
            "org.springframework.transaction.interceptor.TransactionInterceptor.invoke(T.java:1)";
    private static final String POOL = "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)";
    private static final String[] READS = {
        PARK, "sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1)", "shop.Till.pay(Till.java:9)", TRANSACTION
    };
    private static final String[] ASKS = {PARK, POOL, "shop.Shop.order(Shop.java:5)"};

    private static List<ThreadState> some(int threads, String state, long carrier, String... frames) {
        return Collections.nCopies(threads, "").stream()
                .map(name -> new ThreadState(
                        NUMBERS.incrementAndGet(), name, true, state, carrier, null, 0, List.of(), stack(frames)))
                .toList();
    }

    private static final AtomicLong NUMBERS = new AtomicLong(1_000);

    /** A platform thread whose work sleeps. */
    private static ThreadState sleeper(long number, String name, String... frames) {
        return new ThreadState(number, name, false, "TIMED_WAITING", 0, null, 0, List.of(), stack(frames));
    }

    /** The JDK's virtual thread that wakes those that wait for a socket. */
    private static ThreadState poller(String state) {
        var at = state.equals("RUNNABLE") ? "java.lang.VirtualThread.tryYield(VirtualThread.java:1)" : PARK;
        return new ThreadState(
                7,
                "SubPoller-0",
                true,
                state,
                0,
                null,
                0,
                List.of(),
                stack(at, "sun.nio.ch.Poller.subPollerLoop(Poller.java:1)"));
    }

    /**
     * A shop that has 3 of 4 connections in use, for which 22 requests wait: of those that have one, one waits for a
     * carrier, and two for the bank's answer.
     */
    private static Verdict shop(ThreadState poller, double cpus, double queued, List<ThreadState> onCarriers) {
        var threads = new ArrayList<>(some(22, "WAITING", 0, ASKS));
        threads.addAll(some(2, "WAITING", 0, READS));
        threads.addAll(some(1, "RUNNABLE", 0, PARK, "shop.Till.pay(Till.java:9)", TRANSACTION));
        threads.addAll(some(5, "RUNNABLE", 0, PARK, "shop.Shop.order(Shop.java:5)"));
        threads.add(poller);
        threads.addAll(onCarriers);
        var sample = new Sample(0, 9, 2, queued, 2, 2, cpus, Map.of(), Map.of());
        var pool = new PoolFigures(Kind.CONNECTIONS, "HikariPool-1", 3, 4, 22);
        var dump = Threads.dump(threads);
        return Verdict.of(new Observation(List.of(sample), dump, List.of(pool), 2, cpus / 2, TEN));
    }

    @Test
    void carriers_held_by_slow_files_come_before_the_connections_of_those_that_cannot_go_on_without_one() {
        var files = some(
                2, "RUNNABLE", 99, "java.io.FileInputStream.read0(Native Method)", "shop.Texts.read(Texts.java:3)");
        var text = shop(poller("RUNNABLE"), 0.2, 7, files).toString();
        assertTrue(text.contains("The limit that is met: carriers."), text);
        assertTrue(text.contains("at shop.Texts.read(Texts.java:3)"), text);
        var why = "It comes before connections: 1 of the 3 threads seen with one of these waits for it, and 2 more"
                + " wait for a socket, and whoever would wake them waits for a carrier.";
        assertTrue(text.contains(why), text);
        var slowBank = shop(poller("WAITING"), 0.2, 7, files);
        assertEquals("connections", first(slowBank), "nothing keeps the bank's answer from those that wait for it");
        assertEquals("connections", first(shop(poller("RUNNABLE"), 0.2, 1, files)), "its turn comes soon");
    }

    @Test
    void who_has_a_connection_is_where_its_transaction_calls_others() {
        var threads = new ArrayList<>(some(22, "WAITING", 0, ASKS));
        threads.addAll(some(4, "WAITING", 0, READS[0], READS[1], "shop.Bank.ask(Bank.java:3)", READS[2], TRANSACTION));
        var finding = looked(Threads.dump(threads)).findings().getFirst();
        assertEquals("shop.Shop.order(Shop.java:5)", finding.line());
        assertEquals(READS[2], finding.holders().getFirst().line(), finding.toString());
    }

    @Test
    void full_cpus_come_before_the_connections_of_those_that_cannot_go_on_without_one() {
        var seals = some(2, "RUNNABLE", 99, "shop.Seals.seal(Seals.java:3)");
        var text = shop(poller("RUNNABLE"), 1.82, 12, seals).toString();
        assertTrue(text.contains("The limit that is met: CPUs. On them: 2 virtual compute"), text);
        assertTrue(text.contains("at shop.Seals.seal(Seals.java:3)"), text);
    }

    /** Carriers that are in use all the time, whose holders one dump has caught between two of them. */
    private static Observation between(double cpus, List<ThreadState> threads, List<ThreadState> later) {
        var sample = new Sample(0, 9, 2, 19, 2, 2, cpus, Map.of(), Map.of());
        var moments = List.of(Threads.dump(later), Threads.dump(later));
        return new Observation(
                List.of(sample), Threads.dump(threads), List.of(), 2, 0.3, TEN, moments, Outside.UNKNOWN);
    }

    private static final String[] DIVIDES = {
        "shop.Offers.offer(Offers.java:4)",
        "java.util.concurrent.ForkJoinTask.invoke(ForkJoinTask.java:1)",
        "shop.Offers.all(Offers.java:2)"
    };

    /** Waits below a native frame for a result that has nothing to do with the stream of the same class. */
    private static final String[] PINNED = {
        "java.lang.VirtualThread.parkOnCarrierThread(VirtualThread.java:1)",
        "java.util.concurrent.CompletableFuture.join(CompletableFuture.java:1)",
        "shop.Rates.of(Rates.java:8)",
        "shop.Offers.compare(Offers.java:9)",
        "shop.Offers.cheapest(Offers.java:7)"
    };

    /** A shop whose prices come from a parallel stream, and are compared in native code. */
    private static List<ThreadState> streaming(List<ThreadState> onCarriers) {
        var threads = new ArrayList<>(onCarriers);
        var parked = new ArrayList<>(List.of(DIVIDES));
        parked.addFirst(PARK);
        threads.addAll(some(5, "WAITING", 0, parked.toArray(String[]::new)));
        threads.addAll(some(19, "RUNNABLE", 0, PARK, "shop.Shop.order(Shop.java:5)"));
        threads.add(sleeper(
                1,
                "ForkJoinPool.commonPool-worker-1",
                "java.lang.Thread.sleep(Thread.java:1)",
                "shop.Offers.offer(Offers.java:4)",
                "shop.Offers.lambda$all$0(Offers.java:2)",
                "java.util.concurrent.CountedCompleter.exec(CountedCompleter.java:1)",
                "java.util.concurrent.ForkJoinWorkerThread.run(ForkJoinWorkerThread.java:1)"));
        return threads;
    }

    private static Limit common(Verdict verdict) {
        return limit(verdict, Kind.THREADS);
    }

    @Test
    void who_waits_for_another_result_in_the_class_of_a_parallel_stream_does_not_wait_for_its_pool() {
        var pinned = some(2, "WAITING", 99, PINNED);
        var limits = Verdict.of(between(0.1, streaming(pinned), pinned));
        assertEquals(4, common(limits).waiting(), "5 callers, and 1 worker is busy for them");
        assertEquals("carriers", first(limits), limits.toString());
    }

    @Test
    void a_thread_that_passes_over_a_carrier_does_not_hide_those_that_hold_both() {
        var passing = some(1, "RUNNABLE", 99, DIVIDES);
        var limits = Verdict.of(between(0.1, streaming(passing), some(2, "WAITING", 99, PINNED)));
        var text = limits.toString();
        var on = "The limit that is met: carriers. On them, in 3 looks together: 4 virtual wait for a result"
                + " (CompletableFuture), 4 on a carrier, at shop.Rates.of(Rates.java:8).";
        assertTrue(text.contains(on), text);
        assertTrue(limits.met().contains(common(limits)), text);
    }

    @Test
    void one_thread_on_a_carrier_does_not_speak_for_those_that_the_dump_has_missed() {
        var threads = new ArrayList<>(some(12, "WAITING", 0, ASKS));
        threads.addAll(
                some(1, "WAITING", 99, "jdk.internal.misc.Unsafe.park(Unsafe.java:1)", POOL, "shop.A.b(A.java:1)"));
        var limits = Verdict.of(between(0.1, threads, List.of()));
        assertEquals("carriers", first(limits), limits.toString());
        assertTrue(limits.met().contains(limit(limits, Kind.CONNECTIONS)), limits.toString());
    }

    @Test
    void full_cpus_come_before_the_common_pool_whose_callers_compute_their_own_part() {
        var limits = Verdict.of(between(1.9, streaming(some(2, "RUNNABLE", 99, DIVIDES)), List.of()));
        assertEquals("CPUs", first(limits), limits.toString());
        assertTrue(limits.met().contains(common(limits)), limits.toString());
    }

    @Test
    void the_line_that_computes_is_the_one_of_most_looks_and_not_of_one() {
        var passing = some(1, "RUNNABLE", 99, "org.springframework.core.ResolvableType.of(ResolvableType.java:1)");
        var drawing = some(2, "RUNNABLE", 99, "shop.Receipts.drawn(Receipts.java:6)");
        var text = Verdict.of(between(1.8, passing, drawing)).toString();
        var on = "The limit that is met: CPUs. On them, in 3 looks together: 4 virtual compute, 4 on a carrier, at"
                + " shop.Receipts.drawn(Receipts.java:6).";
        assertTrue(text.contains(on), text);
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
        var most = observed(1.3, 0.98);
        assertEquals("CPUs", first(most), most.toString());
        assertTrue(most.toString().contains("CPUs. Other programs use 0.66 of them. On them: "), most.toString());
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
        var circle = dump.circles().getFirst();
        assertEquals(1, circle.behind());
        var text = dump.toString();
        assertTrue(text.contains("A circle (proven: the JVM names each holder): 2 threads wait for each other"), text);
        assertTrue(text.contains("- a waits for a lock (Object@1), held by b, at shop.Shop.sell(Shop.java:9)."), text);
        assertEquals(List.of(), Threads.dump(List.of(waits, a)).circles());
    }

    /** What the rules say of a recorded dump of a program that 10 requests a second enter and leave. */
    private static Verdict recorded(String dump, double queued, Map<Long, Double> threads) {
        var sample = new Sample(0, 9, 2, queued, 2, 2, 0.005, Map.of(), threads);
        return Verdict.of(new Observation(List.of(sample), Threads.recorded(dump), List.of(), 2, 0.1, TEN));
    }

    @Test
    void two_pools_are_judged_each_by_itself() {
        var pools = List.of(
                new PoolFigures(Kind.CONNECTIONS, "orders", 5, 5, 20),
                new PoolFigures(Kind.CONNECTIONS, "audit", 1, 50, 0));
        var requests = new Requests(50, 1, 0.5, "a test", pools);
        var limits = Verdict.of(round(0.1, 0.3, waiting(1, "Object@1f"), requests));
        var text = limits.toString();
        assertEquals("connections of orders", first(limits), text);
        assertFalse(limits.met().contains(limits.limits().get(2)), text);
        assertTrue(text.contains("keeps one for 5 ÷ X = 5 ÷ 50 = 100 ms"), text);
        assertTrue(text.contains("- connections of audit: 1 of 50 in use, 0 wait\n"), text);
    }

    @Test
    void a_pool_with_free_connections_is_not_accused_of_one_thread_that_gets_one() {
        var pools = List.of(new PoolFigures(Kind.CONNECTIONS, "orders", 3, 5, 1));
        var passing = Verdict.of(round(0.1, 0.3, waiting(1, "Object@1f"), new Requests(50, 1, 0.1, "a test", pools)));
        assertFalse(passing.met().contains(limit(passing, Kind.CONNECTIONS)), passing.toString());
    }

    @Test
    void whoever_is_seen_waiting_is_not_called_nobody() {
        var one = virtual(3, "BLOCKED", "Object@1", "shop.Shop.sell(Shop.java:9)");
        var sample = new Sample(0, 9, 2, 0, 2, 2, 0.005, Map.of(), Map.of());
        var dump = Threads.dump(List.of(one));
        var text = Verdict.of(new Observation(List.of(sample), dump, List.of(), 2, 0.1, TEN))
                .toString();
        assertTrue(text.contains("Undecided: The few that wait may just have come: there is one look at them."), text);
    }

    @Test
    void acceptors_selectors_consumers_and_cached_pools_are_not_accused() {
        var idle = recorded("idle", 0, Map.of());
        var text = idle.toString();
        assertEquals(List.of(), idle.met(), text);
        assertTrue(text.contains("None of these limits is met: nobody is seen waiting for one."), text);
        assertTrue(text.contains("- threads of acceptor: 0 in use, of how many is unknown, 0 wait\n"), text);
        assertTrue(text.contains("- threads of consumer: 0 in use, of how many is unknown"), text);
        assertTrue(text.contains("- threads of cached: 4 in use, of how many is unknown, 0 wait\n"), text);
        assertTrue(text.contains("Most threads: 4 platform sleep, at Situations.pause(Situations.java:"), text);
    }

    @Test
    void requests_that_take_from_a_queue_are_where_most_threads_are_though_no_limit_is_known() {
        var threads = new ArrayList<>(some(
                28,
                "WAITING",
                0,
                PARK,
                "java.util.concurrent.ArrayBlockingQueue.take(ArrayBlockingQueue.java:1)",
                "shop.Desks.take(Desks.java:3)"));
        threads.addAll(
                some(3, "TIMED_WAITING", 0, "java.lang.Thread.sleep(Thread.java:1)", "shop.Desks.use(D.java:4)"));
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.1, Map.of(), Map.of());
        var limits = Verdict.of(new Observation(List.of(sample), Threads.dump(threads), List.of(), 2, 0.3, TEN));
        assertEquals(List.of(), limits.met());
        var most = "Most threads: 28 virtual wait for a queue (ArrayBlockingQueue, for an element), at"
                + " shop.Desks.take(Desks.java:3).";
        assertTrue(limits.toString().endsWith(most), limits.toString());
    }

    @Test
    void an_executor_of_one_thread_is_named_and_not_a_busy_one_that_nobody_waits_for() {
        var single = recorded("single", 0, Map.of());
        var text = single.toString();
        assertEquals(
                List.of("threads of pool-1-thread"),
                single.met().stream().map(Limit::name).toList(),
                text);
        assertEquals(5, single.met().getFirst().waiting(), "6 have handed over a page, and one is printed");
        assertTrue(text.contains("- threads of pool-2-thread: 2 in use, of how many is unknown, 0 wait\n"), text);
        assertTrue(text.contains("at Situations$Printer.order(Situations.java:"), text);
    }

    @Test
    void a_pool_of_virtual_threads_is_judged_like_another() {
        String[] works = {
            "java.lang.Thread.sleep(Thread.java:1)",
            "shop.Till.lambda$pay$0(Till.java:3)",
            "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)"
        };
        String[] waits = {PARK, "java.util.concurrent.FutureTask.get(FutureTask.java:1)", "shop.Till.pay(Till.java:4)"};
        var pool = new Container(
                "java.util.concurrent.ThreadPoolExecutor@1f", "<root>", List.of(virtual(1, "TIMED_WAITING", works)));
        var callers = IntStream.range(2, 6)
                .mapToObj(id -> virtual(id, "WAITING", "java.util.concurrent.FutureTask@" + id, waits));
        var dump = new ThreadDump(List.of(pool, new Container("<root>", null, callers.toList())), 25, "a test");
        var limits = Verdict.of(new Observation(List.of(), dump, List.of(), 2, 0.1, TEN));
        assertEquals("threads of ThreadPoolExecutor@1f", first(limits), limits.toString());
        assertEquals(3, limits.met().getFirst().waiting());
    }

    @Test
    void the_pool_that_all_parallel_streams_share_is_named() {
        var common = recorded("common", 0, Map.of());
        assertEquals("threads of ForkJoinPool.commonPool-worker", first(common), common.toString());
        assertEquals(4, common.met().getFirst().waiting(), "6 callers, and 2 workers are busy for them");
    }

    @Test
    void class_initializers_that_wait_for_each_other_hold_their_carriers_and_do_not_compute() {
        var still = recorded("initializers", 6, carriers("initializers", 0.002));
        var text = still.toString();
        assertEquals(0, still.dump().count(WaitReason.NOTHING), text);
        assertEquals(2, still.dump().pinned().size(), text);
        assertEquals(
                "a class is being initialized", still.dump().pinned().getFirst().reason());
        assertEquals("carriers", first(still), text);
        for (String type : List.of("Prices", "Taxes")) {
            var held = "1 virtual waits for something unseen (a class being initialized), 1 on a carrier, at"
                    + " Situations$%s.<clinit>(";
            assertTrue(text.contains(held.formatted(type)), text);
        }
        var busy = recorded("initializers", 6, carriers("initializers", 0.9));
        assertEquals(2, busy.dump().count(WaitReason.NOTHING), "an initializer may compute");
    }

    @Test
    void native_code_that_waits_is_told_from_code_that_computes() {
        var still = recorded("native", 6, carriers("native", 0.002));
        var text = still.toString();
        assertEquals("carriers", first(still), text);
        var held = "On them: 2 virtual wait for something unseen (native code, or a class being initialized), "
                + "2 on a carrier, at Situations$Native.wait(Situations.java:";
        assertTrue(text.contains(held), text);
    }

    @Test
    void carriers_held_by_threads_that_wait_are_the_limit_on_a_full_machine_too() {
        var sample = new Sample(0, 9, 2, 6, 2, 2, 0.05, Map.of(), carriers("native", 0.001));
        var seen = new Observation(List.of(sample), Threads.recorded("native"), List.of(), 2, 1, TEN);
        assertEquals("carriers", first(Verdict.of(seen)), Verdict.of(seen).toString());
    }

    @Test
    void a_socket_s_wait_that_parks_on_its_carrier_holds_it_and_a_call_to_the_system_may_only_wait_for_a_cpu() {
        var sample = new Sample(0, 9, 2, 6, 2, 2, 0.3, Map.of("tax", new Sample.Use(2, 0.3)), Map.of());
        for (var inner : List.of(
                "java.lang.VirtualThread.parkOnCarrierThread(V.java:1)",
                "sun.nio.ch.SocketDispatcher.read0(Native Method)")) {
            var threads = new ArrayList<>(some(
                    2, "WAITING", 7, inner, "sun.nio.ch.NioSocketImpl.read(N.java:1)", "shop.Tax.load(Tax.java:4)"));
            threads.addAll(some(6, "RUNNABLE", 0, "shop.Tax.quote(Tax.java:9)"));
            var seen = new Observation(List.of(sample), Threads.dump(threads), List.of(), 2, 0.99, TEN);
            var first = first(Verdict.of(seen));
            assertEquals(
                    inner.contains("park") ? "carriers" : "the machine's CPUs",
                    first,
                    Verdict.of(seen).toString());
        }
    }

    /** The CPUs that each carrier of a recorded dump used. */
    private static Map<Long, Double> carriers(String dump, double each) {
        return Threads.recorded(dump).computing().stream()
                .collect(Collectors.toMap(ThreadState::carrier, thread -> each));
    }

    @Test
    void a_thread_that_only_passes_is_not_taken_for_one_that_holds_its_carrier() {
        assertEquals(2, computing(0.1, 0.02, 0.1), "carriers were mounted a tenth of the time");
        assertEquals(0, computing(2, 0.02, 0.1));
        assertEquals(2, computing(2, 0.02, 1), "on a full machine they may get no more");
        assertEquals(0, computing(2, 0.001, 1));
    }

    /** How many of two threads are said to compute whose carriers are mounted and use CPUs as given. */
    private static int computing(double mounted, double cpus, double machine) {
        var sample = new Sample(0, 9, mounted, 0, 2, 2, 0.05, Map.of(), carriers("native", cpus));
        var dump = Threads.recorded("native");
        return new Observation(List.of(sample), dump, List.of(), 2, machine, TEN)
                .dump()
                .count(WaitReason.NOTHING);
    }

    @Test
    void the_machine_s_cpus_are_not_accused_where_nobody_waits_for_one() {
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.1, Map.of(), Map.of());
        var dump = Threads.dump(waiting(4, "Object@1f"));
        var limits = Verdict.of(new Observation(List.of(sample), dump, List.of(), 2, 0.97, TEN));
        assertEquals("the lock Object@1f", first(limits), limits.toString());
        var text = limits.toString();
        assertTrue(text.contains("- the machine's CPUs: 1.94 of 2 in use: all busy, nobody seen waiting"), text);
        assertTrue(text.contains("Most threads: 4 virtual wait for a lock (Object@1f)"), text);
        assertTrue(text.endsWith(", at shop.Shop.sell(Shop.java:9)."), text);
    }

    @Test
    void requests_that_find_no_thread_of_a_server_wait_outside() {
        var worker = sleeper(
                1,
                "http-nio-8080-exec-1",
                "java.lang.Thread.sleep(Thread.java:1)",
                "shop.Shop.sell(Shop.java:9)",
                "org.apache.tomcat.util.threads.ThreadPoolExecutor.runWorker(T.java:1)");
        var two = List.of(
                worker,
                new ThreadState(
                        2, "http-nio-8080-exec-2", false, "TIMED_WAITING", 0, null, 0, List.of(), worker.stack()));
        var pools = List.of(new PoolFigures(Kind.THREADS, "http-nio-8080", 2, 2, Double.NaN));
        var twelve = Verdict.of(round(0.1, 0.3, two, new Requests(20, 1, 0.6, "a load's own figures", pools)));
        assertEquals("threads of http-nio-8080-exec", first(twelve), twelve.toString());
        assertEquals(10, twelve.met().getFirst().waiting(), 1e-9, "12 are inside");
        var inside = Verdict.of(round(0.1, 0.3, two, new Requests(20, 1, 0.1, "a log", pools)));
        assertEquals(List.of(), inside.met(), inside.toString());
    }

    @Test
    void what_nobody_counted_leaves_the_limits() {
        var unknown = Requests.unknown("the metrics at /actuator/prometheus did not answer within 3 s");
        var limits = Verdict.of(round(0.1, 0.3, waiting(8, "Object@1f"), unknown));
        assertEquals("the lock Object@1f", first(limits));
        var text = limits.toString();
        assertTrue(text.startsWith("X, W and L are unknown (the metrics at /actuator/prometheus did not answer"), text);
        assertFalse(text.contains("NaN"), text);
    }

    /** What the rules say of a dump that each of several looks repeats. */
    private static Verdict looked(ThreadDump dump, ThreadDump... others) {
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.005, Map.of(), Map.of());
        return Verdict.of(
                new Observation(List.of(sample), dump, List.of(), 2, 0.1, TEN, List.of(others), Outside.UNKNOWN));
    }

    private static String open(Verdict verdict) {
        return verdict.undecided().map(Undecided::kind).orElse("nothing");
    }

    @Test
    void a_full_queue_is_named_with_who_takes_from_it_and_a_roomy_one_is_not() {
        var full = looked(Threads.recorded("full"));
        assertEquals("room in ArrayBlockingQueue", first(full), full.toString());
        assertEquals(10, full.met().getFirst().waiting());
        var taker = "Who may take from it: writes, at Situations.pause(Situations.java:23), called at"
                + " Situations$Exports.store(Situations.java:";
        assertTrue(full.sentence().contains(taker), full.sentence());
        var roomy = looked(Threads.recorded("roomy"));
        assertEquals(List.of(), roomy.met(), roomy.toString());
        assertEquals("nothing", open(roomy));
    }

    @Test
    void an_answer_that_does_not_come_during_the_whole_look_is_a_limit_and_one_that_comes_is_none() {
        var asks = Threads.dump(Threads.recorded("jdk-http").threads().stream()
                .map(one -> new ThreadState(
                        one.id(), one.name(), false, one.state(), 0, one.blocker(), 0, List.of(), one.stack()))
                .toList());
        var still = looked(asks, asks, asks);
        assertEquals("the other side (an HTTP answer, the JDK's HttpClient)", first(still), still.toString());
        var comes = looked(asks, asks, Threads.recorded("idle"));
        assertEquals(List.of(), comes.met(), comes.toString());
        assertEquals(List.of(), looked(asks).met(), "they may just have come");
        var used = asks.threads().stream().collect(Collectors.toMap(ThreadState::id, one -> 0.01));
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.1, Map.of(), used);
        var again = Verdict.of(
                new Observation(List.of(sample), asks, List.of(), 2, 0.1, TEN, List.of(asks, asks), Outside.UNKNOWN));
        assertEquals(List.of(), again.met(), "whoever uses CPU has got its answer, and asks again");
    }

    @Test
    void one_that_waits_for_a_lock_at_each_look_has_not_just_come() {
        var one = Threads.dump(List.of(new ThreadState(
                1, "sells", false, "BLOCKED", 0, "Object@1f", 0, List.of(), stack("shop.Shop.sell(Shop.java:9)"))));
        assertEquals("the lock Object@1f", first(looked(one, one, one)));
        var gone = looked(one, one, Threads.dump(List.of()));
        assertEquals(List.of(), gone.met());
        assertTrue(gone.sentence().endsWith("whoever waits for one gets it before the next look."), gone.sentence());
        assertEquals("once", open(looked(one)));
    }

    @Test
    void permits_that_nobody_is_seen_to_have_accuse_nobody() {
        var leak = Threads.recorded("circles/leak").confirmedBy(Threads.recorded("circles/leak-2"));
        assertEquals(List.of(), looked(leak, leak, leak).met());
        assertEquals("unknown", open(looked(leak, leak, leak)));
        assertTrue(Threads.recorded("circles/leak").suspectsCircle(), "a second dump says more");
        assertEquals("permits of Semaphore", Finding.Thing.stable(first(looked(Threads.recorded("semaphore")))));
    }

    @Test
    void other_programs_are_no_limit_of_one_that_has_nothing_to_do() {
        var outside = new Outside(0.4, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        for (double used : new double[] {0.02, 0.4}) {
            var sample = new Sample(0, 9, 0, 2, 2, 2, used, Map.of(), Map.of());
            var rests = Threads.dump(List.of(sleeper(1, "rests", "java.lang.Thread.sleep(Thread.java:1)")));
            var verdict = Verdict.of(new Observation(List.of(sample), rests, List.of(), 2, 1, TEN, List.of(), outside));
            assertEquals(used > 0.1 ? 1 : 0, verdict.met().size(), verdict.toString());
        }
    }

    @Test
    void one_thread_that_computes_all_the_time_is_named_with_its_share_and_line() {
        var counts = Threads.dump(List.of(new ThreadState(
                7, "counts", false, "RUNNABLE", 0, null, 0, List.of(), stack("shop.Stock.count(Stock.java:5)"))));
        for (double share : new double[] {0.97, 0.5}) {
            var sample = new Sample(0, 9, 0, 0, 2, 2, share, Map.of(), Map.of(7L, share));
            var verdict = Verdict.of(new Observation(List.of(sample), counts, List.of(), 2, 0.5, TEN));
            assertEquals(share > 0.9 ? 1 : 0, verdict.met().size(), verdict.toString());
            assertEquals(
                    share > 0.9, verdict.sentence().contains("counts. It uses 0.97 of a CPU, at shop.Stock.count("));
        }
    }
}
