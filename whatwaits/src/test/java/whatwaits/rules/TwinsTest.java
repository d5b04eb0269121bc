package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.rules.Threads.stack;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Limit.Kind;

/** Programs with one fault beside twins without: what is named of the one is not named of the other. */
class TwinsTest {

    private static final String PARK = "jdk.internal.misc.Unsafe.park(Native Method)";
    private static final String SLEEP = "java.lang.Thread.sleep(Thread.java:1)";
    private static final String TAKE = "java.util.concurrent.ArrayBlockingQueue.take(ArrayBlockingQueue.java:1)";
    private static final String ACQUIRE = "java.util.concurrent.Semaphore.acquire(Semaphore.java:1)";
    private static final String WORKER = "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)";
    private static final Requests NOBODY = Requests.unknown("nobody counted them");

    private static ThreadState waits(long id, String name, String object, String... frames) {
        return new ThreadState(id, name, false, "WAITING", 0, object, 0, List.of(), stack(frames));
    }

    private static ThreadState sleeps(long id, String name, String... frames) {
        var all = Stream.concat(Stream.of(SLEEP), Stream.of(frames)).toArray(String[]::new);
        return new ThreadState(id, name, false, "TIMED_WAITING", 0, null, 0, List.of(), stack(all));
    }

    /** The same threads on the same lines, from a number on. */
    private static Stream<ThreadState> some(int from, int to, String object, String... frames) {
        return IntStream.range(from, to).mapToObj(id -> waits(id, "user-" + id, object, frames));
    }

    @SafeVarargs
    private static ThreadDump dump(Stream<ThreadState>... threads) {
        var all = new ArrayList<ThreadState>();
        for (var some : threads) {
            all.addAll(some.toList());
        }
        return Threads.dump(all);
    }

    private static Verdict looked(ThreadDump dump, ThreadDump... others) {
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.005, Map.of(), Map.of());
        return Verdict.of(
                new Observation(List.of(sample), dump, List.of(), 2, 0.1, NOBODY, List.of(others), Outside.UNKNOWN));
    }

    private static List<Kind> met(Verdict verdict) {
        return verdict.met().stream().map(Limit::kind).toList();
    }

    private static String open(Verdict verdict) {
        return verdict.undecided().map(Undecided::kind).orElse("nothing");
    }

    @Test
    void a_file_that_another_process_has_locked_is_a_lock_if_it_lasts() {
        var asks = Threads.dump(List.of(new ThreadState(
                1,
                "saves",
                false,
                "RUNNABLE",
                0,
                null,
                0,
                List.of(),
                stack(
                        "sun.nio.ch.UnixFileDispatcherImpl.lock0(Native Method)",
                        "sun.nio.ch.FileChannelImpl.lock(FileChannelImpl.java:1)",
                        "shop.Journal.save(Journal.java:7)"))));
        var named = looked(asks, asks, asks);
        assertEquals("the lock FileChannel", named.met().getFirst().name(), named.toString());
        assertTrue(Advice.on(named.met().getFirst()).todo().contains("lslocks"));
        assertEquals(List.of(), met(looked(asks, asks, Threads.dump(List.of()))));
    }

    /** Threads that have an element of a pool that is a queue, and want another; and those that want their first. */
    private static ThreadDump desk(int nested, int first, Stream<ThreadState> others) {
        var gives = "shop.Pool.borrow(Pool.java:5)";
        return dump(
                some(
                        0,
                        nested,
                        "Condition@1",
                        PARK,
                        TAKE,
                        gives,
                        "shop.Desk.note(Desk.java:30)",
                        "shop.Desk.sell(Desk.java:22)"),
                some(nested, nested + first, "Condition@1", PARK, TAKE, gives, "shop.Desk.sell(Desk.java:20)"),
                others);
    }

    @Test
    void who_wants_a_second_one_of_a_pool_made_of_a_queue_is_in_a_circle_unless_somebody_may_give_one_back() {
        var circles = desk(3, 4, Stream.of()).circles();
        assertEquals(1, circles.size(), circles.toString());
        assertEquals(
                "3 and 4",
                circles.getFirst().members().size() + " and "
                        + circles.getFirst().behind());
        var one = desk(3, 4, Stream.of(sleeps(9, "user-9", "shop.Desk.sell(Desk.java:23)")));
        assertEquals(List.of(), one.circles(), "one goes on");
        assertEquals(List.of(), desk(0, 7, Stream.of()).circles(), "nobody is seen to have one");
    }

    @Test
    void a_pool_made_of_a_queue_is_a_limit_where_some_have_one_and_others_wait_at_each_look() {
        var has = sleeps(9, "user-9", "shop.Desk.sell(Desk.java:23)");
        var busy = desk(0, 4, Stream.of(has));
        var verdict = looked(busy, busy, busy);
        assertEquals(List.of(Kind.PERMITS), met(verdict), verdict.toString());
        assertEquals("permits of ArrayBlockingQueue", verdict.met().getFirst().name());
        assertEquals(List.of(), met(looked(busy, busy, dump(Stream.of(has)))), "those that waited had just come");
        var idle = desk(0, 4, Stream.of());
        assertEquals(List.of(), met(looked(idle, idle, idle)), "they may wait for work");
        assertEquals("unknown", open(looked(idle, idle, idle)));
        var line = looked(idle, idle, idle).undecided().orElseThrow().line();
        assertEquals("shop.Pool.borrow(Pool.java:5)", line);
    }

    /** Four threads that want a permit by a helper, and what others do. */
    private static ThreadDump helper(Stream<ThreadState> others) {
        return dump(
                some(
                        0,
                        4,
                        "Sync@1",
                        PARK,
                        ACQUIRE,
                        "shop.Allowance.take(Allowance.java:5)",
                        "shop.Calls.call(Calls.java:9)"),
                others);
    }

    @Test
    void who_has_a_permit_that_a_helper_has_taken_is_in_the_caller_of_the_helper() {
        var calls = helper(Stream.of(sleeps(9, "user-9", "shop.Calls.call(Calls.java:10)")));
        assertEquals(List.of(Kind.PERMITS), met(looked(calls, calls, calls)));
        var none = helper(Stream.of(sleeps(9, "user-9", "shop.Calls.call(Calls.java:8)")));
        assertEquals(List.of(), met(looked(none, none, none)));
        assertEquals(List.of(), met(looked(calls, calls, helper(Stream.of()))), "at each look");
    }

    @Test
    void consumers_that_a_semaphore_tells_to_work_are_not_accused_though_one_works_now_and_then() {
        var consume = "shop.Mail.consume(Mail.java:5)";
        var works = dump(
                some(0, 3, "Sync@1", PARK, ACQUIRE, consume),
                Stream.of(sleeps(9, "m", "shop.Mail.consume(Mail.java:6)")));
        var rests = dump(some(0, 4, "Sync@1", PARK, ACQUIRE, consume));
        assertEquals(List.of(), met(looked(works, works, rests)));
        assertEquals(List.of(Kind.PERMITS), met(looked(works, works, works)));
    }

    /** Threads that are blocked at the same line. */
    private static ThreadDump blocked(int threads) {
        return dump(IntStream.range(0, threads)
                .mapToObj(id -> new ThreadState(
                        id, "t", false, "BLOCKED", 0, "Object@1", 0, List.of(), stack("shop.Shop.sell(Shop.java:9)"))));
    }

    @Test
    void a_lock_for_which_threads_wait_at_one_look_only_is_none() {
        var crowd = blocked(3);
        var nobody = dump(Stream.of());
        assertEquals(List.of(Kind.LOCK), met(looked(crowd, crowd, crowd)));
        for (var looks : List.of(looked(crowd, nobody, nobody), looked(nobody, crowd, nobody))) {
            assertEquals(List.of(), met(looks));
            assertEquals("nothing", open(looks));
            assertTrue(looks.sentence().contains("whoever waits for one gets it before the next look"), "one is seen");
        }
        assertTrue(looked(nobody, nobody, nobody).sentence().contains("nobody is seen waiting for one"));
        assertEquals(List.of(Kind.LOCK), met(looked(crowd)), "nobody looked again");
    }

    @Test
    void a_lock_at_which_a_crowd_waits_at_most_looks_is_open_and_one_for_which_a_few_wait_is_none() {
        var crowd = blocked(3);
        var nobody = dump(Stream.of());
        for (var looks : List.of(looked(crowd, crowd, nobody), looked(nobody, crowd, crowd))) {
            assertEquals(List.of(), met(looks));
            assertEquals("crowd", open(looks));
            var sentence = looks.sentence();
            assertTrue(
                    sentence.contains("At 2 of 3 looks threads crowd at a lock, such as: 3 platform wait for a lock"),
                    sentence);
        }
        assertEquals("nothing", open(looked(blocked(2), blocked(2), nobody)));
    }

    @Test
    void who_waits_for_a_process_at_each_look_is_told_how_to_see_what_that_does_and_one_that_ends_is_none() {
        var waits = waits(
                1,
                "converts",
                "ProcessImpl@1",
                "java.lang.Object.wait0(Native Method)",
                "java.lang.ProcessImpl.waitFor(ProcessImpl.java:1)",
                "shop.Pictures.convert(Pictures.java:8)");
        var all = dump(Stream.of(waits));
        var sentence = looked(all, all, all).sentence();
        assertTrue(sentence.contains("At each look 1 platform waits for another process, at shop.Pictures"), sentence);
        assertTrue(sentence.contains("pipe_write"), sentence);
        assertEquals("nothing", open(looked(all, all, dump(Stream.of()))));
    }

    /** Two threads that initialize a class each, and others. */
    private static ThreadDump initializers(Stream<ThreadState> others) {
        return dump(
                Stream.of(
                        waits(1, "a", null, "shop.Tax.<clinit>(Tax.java:3)", "shop.Till.sell(Till.java:8)"),
                        waits(2, "b", null, "shop.Price.<clinit>(Price.java:3)", "shop.Till.sell(Till.java:9)")),
                others);
    }

    @Test
    void who_waits_for_a_class_behind_a_circle_waits_for_no_lock_that_is_held_too_long() {
        var behind = IntStream.range(3, 6).mapToObj(id -> waits(id, "c", null, "shop.Till.sell(Till.java:9)"));
        var circle = initializers(behind);
        assertEquals(3, circle.circles().getFirst().behind(), circle.toString());
        assertEquals(List.of(), met(looked(circle, circle, circle)));
        var both = initializers(blocked(3).threads().stream()
                .map(one -> new ThreadState(
                        one.id() + 9, "t", false, "BLOCKED", 0, "Object@1", 0, List.of(), one.stack())));
        assertEquals(1, both.circles().size());
        assertEquals(List.of(Kind.LOCK), met(looked(both, both, both)), "a monitor is another matter");
    }

    @Test
    void a_timer_that_stands_in_a_task_is_named_and_one_that_rests_is_not() {
        var loop = "java.util.TimerThread.mainLoop(Timer.java:1)";
        var stands = dump(Stream.of(waits(
                1,
                "nightly",
                "Process@1",
                "java.lang.Object.wait0(Native Method)",
                "java.lang.ProcessImpl.waitFor(P.java:1)",
                "shop.Sums.run(Sums.java:8)",
                loop)));
        var verdict = looked(stands, stands, stands);
        assertEquals("the thread of the timer nightly", verdict.met().getFirst().name());
        assertTrue(verdict.sentence().contains("It stands in one task: 1 platform"), verdict.sentence());
        var rests = dump(Stream.of(waits(1, "nightly", "TaskQueue@1", "java.lang.Object.wait0(Native Method)", loop)));
        assertEquals(List.of(), met(looked(stands, stands, rests)));
        assertEquals(List.of(), met(looked(rests, rests, rests)));
    }

    /** What a task that is run again and again does, on a thread of a scheduler, and what the scheduler's others do. */
    private static ThreadDump scheduler(Stream<ThreadState> others, String... task) {
        var again = Stream.of(
                "java.util.concurrent.FutureTask.runAndReset(FutureTask.java:1)",
                "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)");
        var frames = Stream.concat(Stream.of(task), again).toArray(String[]::new);
        return dump(Stream.of(waits(1, "nightly-1", null, frames)), others);
    }

    @Test
    void a_scheduler_that_stands_in_one_task_is_pointed_at_unless_another_of_its_threads_is_free() {
        String[] waits = {
            PARK, "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:1)", "shop.Sums.close(Sums.java:8)"
        };
        var free = waits(
                2,
                "nightly-2",
                "Condition@1",
                PARK,
                "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)",
                WORKER);
        var alone = scheduler(Stream.of(), waits);
        var stands = "in a task that is run again and again: the other tasks of that thread stand meanwhile";
        assertTrue(looked(alone, alone, alone).sentence().contains(stands));
        var two = scheduler(Stream.of(free), waits);
        assertTrue(!looked(two, two, two).sentence().contains(stands));

        String[] join = {
            PARK, "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:1)", "shop.Till.pay(Till.java:4)"
        };
        String[] read = {"sun.nio.ch.NioSocketImpl.read(NioSocketImpl.java:1)", "shop.Rates.ask(Rates.java:5)"};
        var meanwhile =
                "; meanwhile nightly-1, whose tasks run one after the other, waits at each look in one of them, at"
                        + " shop.Rates.ask(Rates.java:5)";
        var behind = scheduler(some(5, 9, "CompletableFuture$Signaller@1", join), read);
        var sentence = looked(behind, behind, behind).sentence();
        assertTrue(
                sentence.contains("At each look 4 platform wait for a result") && sentence.contains(meanwhile),
                sentence);
        var works = scheduler(some(5, 9, "CompletableFuture$Signaller@1", join), "shop.Rates.count(Rates.java:5)");
        assertTrue(!looked(behind, behind, works).sentence().contains("meanwhile"));
    }

    @Test
    void threads_that_wait_in_turn_for_a_condition_leave_it_open_unless_they_fetch_work() {
        var await = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(A.java:1)";
        for (var method : List.of("append", "fetch", "takeNext", "awaitWork")) {
            String[] frames = {PARK, await, "shop.Audit." + method + "(Audit.java:53)"};
            var one =
                    dump(some(1, 4, "Condition@1", frames), Stream.of(sleeps(4, "d", "shop.Desk.serve(Desk.java:3)")));
            var other =
                    dump(some(3, 5, "Condition@1", frames), Stream.of(sleeps(1, "d", "shop.Desk.serve(Desk.java:3)")));
            var third =
                    dump(some(1, 3, "Condition@1", frames), Stream.of(sleeps(3, "d", "shop.Desk.serve(Desk.java:3)")));
            assertEquals(method.equals("append") ? "unknown" : "nothing", open(looked(one, other, third)), method);
            var few = dump(some(1, 2, "Condition@1", frames));
            assertEquals("nothing", open(looked(one, other, few)), "one may have just come");
        }
    }

    @Test
    void of_a_pool_that_is_busy_at_each_look_its_queue_is_open() {
        var works = List.of(
                sleeps(1, "sends-1", "shop.Mail.send(Mail.java:3)", WORKER),
                sleeps(2, "sends-2", "shop.Mail.send(Mail.java:4)", WORKER));
        var busy = dump(works.stream());
        var verdict = looked(busy, busy, busy);
        assertEquals(List.of(), met(verdict));
        assertEquals("queue", open(verdict));
        assertTrue(verdict.sentence().contains("no thread of sends is idle"), verdict.sentence());
        for (var by : List.of(
                "ThreadPoolExecutor$Worker.run(T.java:1)",
                "ScheduledThreadPoolExecutor$ScheduledFutureTask.run(S.java:1)")) {
            var frames = new String[] {
                "shop.Mail.send(Mail.java:3)",
                "java.util.concurrent.FutureTask.run(F.java:1)",
                "java.util.concurrent." + by,
                WORKER
            };
            var submitted = dump(Stream.of(sleeps(1, "sends-1", frames), sleeps(2, "sends-2", frames)));
            assertEquals(
                    by.startsWith("Scheduled") ? "queue" : "nothing",
                    open(looked(submitted, submitted, submitted)),
                    "whoever waits for their results would be seen, and of a schedule nobody does");
        }
        var get = "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)";
        var idle = dump(Stream.of(works.getFirst(), waits(2, "sends-2", "Condition@1", PARK, TAKE, get, WORKER)));
        assertEquals("nothing", open(looked(busy, busy, idle)));
    }

    @Test
    void a_pool_whose_library_renames_its_threads_while_they_work_has_idle_ones() {
        var run = "java.base/java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1)";
        var get = "java.base/java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)";
        var send = "shop.Mail.send(Mail.java:3)";
        var wait = "java.base/java.lang.Thread.sleep0(Native Method)";
        String[] works = {
            Written.platform(1, "to http://bank/", "TIMED_WAITING", wait, send, run),
            Written.platform(2, "to http://bank/", "TIMED_WAITING", wait, send, run)
        };
        var rests = Written.platform(3, "sender", "WAITING", Written.UNSAFE, get, run);
        var pool = Written.dump("25.0.3", Written.container("Executor@1", null, works[0], works[1], rests));
        var look = Written.of(works[0], works[1], rests);
        assertEquals("nothing", open(looked(pool, look, look)));
        var full = Written.dump("25.0.3", Written.container("Executor@1", null, works));
        assertEquals("queue", open(looked(full, Written.of(works), Written.of(works))));
    }

    @Test
    void a_future_that_a_thread_may_complete_when_it_gets_its_answer_is_no_circle() {
        var joins = List.of(
                waits(
                        1,
                        "till-1",
                        "CompletableFuture$Signaller@1",
                        PARK,
                        "java.util.concurrent.CompletableFuture.join(C.java:1)",
                        "shop.Till.pay(Till.java:2)"),
                waits(
                        2,
                        "till-2",
                        "CompletableFuture$Signaller@2",
                        PARK,
                        "java.util.concurrent.CompletableFuture.join(C.java:1)",
                        "shop.Till.pay(Till.java:2)"));
        var alone = dump(joins.stream());
        assertEquals(1, alone.after(alone).circles().size());
        var listened = dump(
                joins.stream(),
                Stream.of(waits(3, "answers", "Condition@1", PARK, TAKE, "shop.Till.answers(Till.java:9)")));
        assertEquals(List.of(), listened.after(listened).circles());
    }

    @Test
    void a_signal_that_nobody_is_seen_to_give_is_said_so() {
        var await = "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:1)";
        var alone = dump(some(0, 3, "CountDownLatch$Sync@1", PARK, await, "shop.Start.pick(Start.java:3)"));
        assertTrue(looked(alone, alone, alone).sentence().contains("no other thread runs that could end that"));
        var accepts = "sun.nio.ch.NioSocketImpl.accept(NioSocketImpl.java:1)";
        var clock = "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take(S.java:1)";
        var getTask = WORKER.replace("runWorker", "getTask");
        for (var one : List.of(
                sleeps(9, "loads", "shop.Start.load(Start.java:9)"),
                sleeps(9, "main", "shop.Start.main(Start.java:9)"),
                waits(9, "accepts", null, accepts, "java.lang.Thread.run(Thread.java:1)"),
                sleeps(9, "clock", PARK, clock, getTask, WORKER))) {
            var other = dump(alone.threads().stream(), Stream.of(one));
            var sentence = looked(other, other, other).sentence();
            assertTrue(sentence.contains("no stack says whether they are idle"), one.name() + sentence);
        }
        var joins = waits(9, "main", "Thread@1", "java.lang.Thread.join(T.java:1)", "shop.Start.main(Start.java:9)");
        var condition = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(A.java:1)";
        var rests = dump(some(0, 3, "Condition@1", PARK, condition, "shop.Start.pick(Start.java:3)"), Stream.of(joins));
        var rest = looked(rests, rests, rests).sentence();
        assertTrue(rest.contains("no other thread runs that could end that"), rest);
        var timed = dump(IntStream.range(0, 3)
                .mapToObj(id -> new ThreadState(
                        id,
                        "poll-" + id,
                        false,
                        "TIMED_WAITING",
                        0,
                        "Condition@1",
                        0,
                        List.of(),
                        stack(PARK, condition, "shop.Start.pick(Start.java:3)"))));
        var sentence = looked(timed, timed, timed).sentence();
        assertTrue(sentence.contains("no stack says whether they are idle"), "its time limit ends it: " + sentence);
    }

    /** Threads that wait for what nobody is left to bring, and whoever else is there. */
    private static String stillness(int waiters, String call, Stream<ThreadState> others) {
        var all = dump(some(0, waiters, "Sync@1", PARK, call, "shop.Till.pay(Till.java:3)"), others);
        return looked(all, all, all).met().stream().map(Limit::name).findFirst().orElse("");
    }

    @Test
    void several_for_whom_nobody_is_left_are_held_up_unless_anybody_may_still_come() {
        var concurrent = "java.util.concurrent.";
        var join = concurrent + "CompletableFuture.join(C.java:1)";
        var latch = concurrent + "CountDownLatch.await(C.java:1)";
        var phaser = concurrent + "Phaser.arriveAndAwaitAdvance(P.java:1)";
        var arrived = concurrent + "Phaser.awaitAdvance(P.java:1)";
        for (var call : List.of(join, latch, phaser, arrived)) {
            var listens = waits(9, "answers", "Condition@1", PARK, TAKE, "shop.Till.answers(Till.java:9)");
            var main = waits(
                    8, "main", "Thread@1", "java.lang.Thread.join(Thread.java:1)", "shop.Till.main(Till.java:20)");
            var idle = waits(7, "pool-1", "Condition@2", PARK, TAKE, WORKER.replace("runWorker", "getTask"), WORKER);
            var named = stillness(3, call, Stream.of(listens, main, idle));
            assertTrue(named.startsWith("whoever ends the wait for "), named);
            assertEquals("", stillness(1, call, Stream.of(listens, main, idle)), "it may wait for the end of all");
            var clock = "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take(S.java:1)";
            var getTask = WORKER.replace("runWorker", "getTask");
            var accepts = "sun.nio.ch.NioSocketImpl.accept(NioSocketImpl.java:1)";
            var reads = "java.io.FileInputStream.read(FileInputStream.java:1)";
            var async = concurrent + "CompletableFuture$AsyncRun.run(C.java:1)";
            for (var other : List.of(
                    sleeps(9, "works", "shop.Till.work(Till.java:9)"),
                    sleeps(9, "main", "shop.Till.main(Till.java:20)"),
                    sleeps(
                            9,
                            "ForkJoinPool-1-delayScheduler",
                            PARK,
                            "java.util.concurrent.DelayScheduler.loop(D.java:1)"),
                    sleeps(9, "clock-1", PARK, clock, getTask, WORKER),
                    waits(9, "accepts", null, accepts, "shop.Till.listen(Till.java:9)"),
                    waits(9, "main", null, reads, "shop.Till.main(Till.java:20)"),
                    waits(9, "process reaper (pid 7)", null, "java.lang.ProcessHandleImpl.waitFor(P.java:1)"),
                    waits(9, "task", "Condition@1", PARK, TAKE, "shop.Till.consume(Till.java:9)", async))) {
                assertEquals("", stillness(3, call, Stream.of(other)), other.name());
            }
        }
        var timed = IntStream.range(0, 3).mapToObj(id -> sleeps(id, "user", latch, "shop.Till.pay(Till.java:3)"));
        var polls = dump(timed);
        assertEquals(List.of(), met(looked(polls, polls, polls)), "they come back by themselves");
        var waits = dump(some(0, 3, "Sync@1", PARK, latch, "shop.Till.pay(Till.java:3)"));
        assertEquals(List.of(), met(looked(waits, waits, dump(Stream.of()))), "they have gone on");
        var work = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(A.java:1)";
        assertEquals("", stillness(3, work, Stream.of()), "a condition may be that of new work");
    }

    @Test
    void who_connects_or_writes_during_the_whole_look_waits_for_the_other_side_and_who_reads_may_wait_for_work() {
        var connects = "sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:1)";
        var reads = "sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1)";
        var writes = "java.io.FileOutputStream.writeBytes(Native Method)";
        for (var frame : Map.of(connects, "the other side (to connect)", writes, "the other side (to write)", reads, "")
                .entrySet()) {
            var asks = dump(Stream.of(new ThreadState(
                    1,
                    "asks",
                    false,
                    "RUNNABLE",
                    0,
                    null,
                    0,
                    List.of(),
                    stack(frame.getKey(), "shop.Bank.ask(Bank.java:3)"))));
            var named = looked(asks, asks, asks).met().stream().map(Limit::name).toList();
            assertEquals(frame.getValue().isEmpty() ? List.of() : List.of(frame.getValue()), named);
            assertEquals(List.of(), met(looked(asks, asks, dump(Stream.of()))), "it goes on");
        }
    }

    @Test
    void one_writer_among_many_whose_peer_does_not_read_holds_nobody_up() {
        var writes = "sun.nio.ch.NioSocketImpl.implWrite(NioSocketImpl.java:1)";
        var run = "shop.Feed.lambda$open$0(Feed.java:9)";
        for (int others : new int[] {0, 1, 7}) {
            var stands = new ThreadState(
                    1,
                    "feed-1",
                    false,
                    "RUNNABLE",
                    0,
                    null,
                    0,
                    List.of(),
                    stack(writes, "shop.Feed.send(Feed.java:3)", run));
            var goOn = IntStream.range(2, 2 + others)
                    .mapToObj(id ->
                            waits(id, "feed-" + id, "Condition@1", PARK, TAKE, "shop.Feed.send(Feed.java:2)", run));
            var all = dump(Stream.concat(Stream.of(stands), goOn));
            var verdict = looked(all, all, all);
            assertEquals(others > 1 ? List.of() : List.of(Kind.REMOTE), met(verdict), verdict.toString());
            if (others == 0) {
                assertTrue(Advice.on(verdict.met().getFirst()).todo().contains("does not read what is sent"));
            }
        }
    }

    @Test
    void a_publisher_whose_buffer_is_full_is_a_queue_and_not_its_own_lock() {
        var publisher = "java.util.concurrent.SubmissionPublisher";
        var submit = publisher + ".submit(S.java:504)";
        String[] locks = {
            PARK,
            "java.util.concurrent.locks.ReentrantLock.lock(R.java:1)",
            publisher + ".doOffer(S.java:1)",
            submit,
            "shop.Lorry.run(Lorry.java:4)"
        };
        var lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync@1";
        var has = new ThreadState(
                9,
                "lorry-9",
                false,
                "WAITING",
                0,
                publisher + "$BufferedSubscription@2",
                0,
                List.of(lock),
                stack(
                        PARK,
                        publisher + "$BufferedSubscription.block(S.java:1)",
                        submit,
                        "shop.Lorry.run(Lorry.java:4)"));
        var sleeps = sleeps(10, "lorry-10", "shop.Lorry.run(Lorry.java:3)");
        var saves = sleeps(11, "saver", "shop.Store.save(Store.java:2)", publisher + "$ConsumerTask.exec(S.java:1)");
        var full = dump(some(1, 5, lock, locks), Stream.of(has, sleeps, saves));
        var verdict = looked(full, full, full);
        assertEquals(
                List.of("room in SubmissionPublisher"),
                verdict.met().stream().map(Limit::name).toList());
        assertEquals(5, verdict.met().getFirst().waiting());
        assertTrue(verdict.sentence().contains("Who may take from it: saver, at shop.Store.save"), verdict.sentence());
    }

    @Test
    void who_is_alone_in_the_class_of_a_lock_probably_has_it_unless_it_is_main() {
        var lock = "java.util.concurrent.locks.ReentrantReadWriteLock";
        var readers = IntStream.range(1, 4)
                .mapToObj(id -> waits(
                        id,
                        "r",
                        lock + "$NonfairSync@1",
                        PARK,
                        lock + "$ReadLock.lock(L.java:1)",
                        "shop.Rates.of(Rates.java:5)"))
                .toList();
        var writes = sleeps(
                8,
                "refreshes",
                "shop.Web.load(Web.java:3)",
                "shop.Rates.refresh(Rates.java:9)",
                "shop.Job.run(J.java:1)");
        var alone = dump(readers.stream(), Stream.of(writes));
        var said = looked(alone, alone, alone).sentence();
        assertTrue(said.contains("It is probably held by refreshes, which sleeps, at shop.Web.load"), said);
        var also = sleeps(9, "also", "shop.Rates.size(Rates.java:2)", "shop.Job.run(J.java:1)");
        for (var other :
                List.of(Stream.of(writes, also), Stream.of(sleeps(8, "main", "shop.Rates.main(Rates.java:99)")))) {
            var open = dump(readers.stream(), other);
            assertTrue(!looked(open, open, open).sentence().contains("probably held by"));
        }
    }

    @Test
    void an_exit_waits_for_its_hooks_and_in_a_circle_with_one_it_is_said_how_to_end_it() {
        String[] exits = {
            "java.lang.Object.wait0(Native Method)",
            "java.lang.Thread.join(Thread.java:1)",
            "java.lang.ApplicationShutdownHooks.runHooks(A.java:1)",
            "java.lang.Shutdown.exit(Shutdown.java:1)",
            "java.lang.Runtime.exit(Runtime.java:1)",
            "shop.Day.close(Day.java:20)"
        };
        var drains = dump(Stream.of(
                waits(1, "settle-1", "Thread@1", exits), sleeps(2, "settle-2", "shop.Day.settle(Day.java:3)")));
        assertTrue(!looked(drains, drains, drains).sentence().contains("shop.Day.close"));
        var stuck = new Circle(
                List.of(new Circle.Member(waits(1, "settle-1", "Thread@1", exits), "Thread", List.of(), false)),
                false,
                2,
                1);
        assertTrue(Advice.on(stuck).todo().contains("kill -9 ends it"));
    }

    @Test
    void of_a_helper_that_a_whole_circle_waits_in_its_callers_are_shown() {
        var circle = desk(3, 4, Stream.of()).circles().getFirst().toString();
        assertTrue(circle.contains("at shop.Pool.borrow(Pool.java:5), called at shop.Desk.note(Desk.java:30)"), circle);
    }

    @Test
    void who_reads_the_input_of_the_program_waits_for_work_and_who_reads_a_file_may_be_held_up() {
        for (var by : List.of("java.lang.System$In.read(System.java:1)", "java.io.FileReader.read(F.java:1)")) {
            var reads = dump(Stream.of(new ThreadState(
                    1,
                    "reads",
                    false,
                    "RUNNABLE",
                    0,
                    null,
                    0,
                    List.of(),
                    stack("java.io.FileInputStream.readBytes(Native Method)", by, "shop.Till.ask(Till.java:5)"))));
            assertEquals(by.contains("$In") ? "nothing" : "unknown", open(looked(reads, reads, reads)));
        }
    }

    @Test
    void one_dump_leaves_open_for_how_long_its_threads_wait() {
        var reads = dump(
                asks(0, 5, "sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1)", "shop.Bank.ask(Bank.java:3)"));
        var once = Verdict.of(new Observation(List.of(), reads, List.of(), 0, Double.NaN, NOBODY));
        assertEquals("once", open(once));
        assertTrue(
                once.sentence().contains("5 platform wait for a socket (to read), at shop.Bank.ask"), once.sentence());
        var idle = dump(some(0, 5, "Condition@1", PARK, TAKE, "shop.Mail.next(Mail.java:3)"));
        assertEquals("nothing", open(Verdict.of(new Observation(List.of(), idle, List.of(), 0, Double.NaN, NOBODY))));
    }

    @Test
    void a_dump_alone_shows_carriers_that_are_held_if_many_want_one_and_none_of_theirs_computes() {
        var waits = Threads.virtual(
                1,
                "TIMED_WAITING",
                PARK,
                "java.lang.VirtualThread.parkOnCarrierThread(V.java:1)",
                "shop.Tax.<clinit>(Tax.java:1)");
        var queued = IntStream.range(2, 9).mapToObj(id -> Threads.virtual(id, "RUNNABLE"));
        var held = dump(Stream.concat(Stream.of(waits), queued));
        assertEquals(
                List.of(Kind.CARRIERS),
                met(Verdict.of(new Observation(List.of(), held, List.of(), 0, Double.NaN, NOBODY))));
        var few = dump(Stream.of(waits, Threads.virtual(2, "RUNNABLE")));
        var once = Verdict.of(new Observation(List.of(), few, List.of(), 0, Double.NaN, NOBODY));
        assertEquals(List.of(), met(once));
        assertEquals("once", open(once));
    }

    @Test
    void who_serves_one_request_after_the_other_is_at_the_same_line_by_chance() {
        var ask = "shop.Bank.ask(Bank.java:3)";
        var connects = "sun.nio.ch.NioSocketImpl.connect(NioSocketImpl.java:1)";
        var all = dump(asks(0, 5, connects, ask));
        assertEquals(List.of(Kind.REMOTE), met(looked(all, all, all)));
        var few = dump(asks(0, 2, connects, ask), some(2, 5, "Sync@1", PARK, "shop.Bank.rest(Bank.java:9)"));
        assertEquals(List.of(), met(looked(all, all, few)), "most have their answer");
        // writes and reads are one line of the program
        var reads = "sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1)";
        assertEquals(List.of(), met(looked(all, dump(asks(0, 5, reads, ask)), all)), "it is connected now");
    }

    private static Stream<ThreadState> asks(int from, int to, String... frames) {
        return IntStream.range(from, to)
                .mapToObj(id ->
                        new ThreadState(id, "user-" + id, false, "RUNNABLE", 0, null, 0, List.of(), stack(frames)));
    }

    @Test
    void what_the_holder_of_a_lock_does_is_said() {
        var wants = new ThreadState(
                1, "wants", false, "BLOCKED", 0, "shop.Till@1", 0, List.of(), stack("shop.Till.sell(Till.java:9)"));
        var has = new ThreadState(
                2,
                "has",
                false,
                "TIMED_WAITING",
                0,
                null,
                0,
                List.of("shop.Till@1"),
                stack(SLEEP, "shop.Till.count(Till.java:5)"));
        var both = dump(Stream.of(wants, has));
        var said = looked(both, both, both).sentence();
        assertEquals(
                "The limit that is met: the lock shop.Till@1. It is held by has, which sleeps, at shop.Till.count(Till.java:5).",
                said);
    }

    @Test
    void where_the_holder_is_not_seen_it_is_said_how_to_see_it() {
        var wants = List.of(
                new ThreadState(
                        1, "a", false, "BLOCKED", 0, "shop.Till@1", 0, List.of(), stack("shop.Till.sell(T.java:9)")),
                new ThreadState(
                        2, "b", false, "BLOCKED", 0, "shop.Till@1", 0, List.of(), stack("shop.Till.sell(T.java:9)")));
        var hiding = new ThreadDump(
                List.of(new Container("<root>", null, wants)),
                25,
                "a print",
                new ThreadDump.Besides(true, false, false, Map.of(), false));
        var said = looked(hiding, hiding, hiding).sentence();
        assertTrue(said.contains("Who holds it is not seen: probably a virtual thread"), said);
        var lock = "java.util.concurrent.locks.ReentrantLock";
        var locks = new ThreadDump(
                List.of(new Container(
                        "<root>",
                        null,
                        some(1, 4, lock + "$NonfairSync@1", PARK, lock + ".lock(L.java:1)", "shop.Till.sell(T.java:9)")
                                .toList())),
                25,
                "a print",
                hiding.besides());
        said = looked(locks, locks, locks).sentence();
        assertTrue(said.contains("Thread.print -l") && !said.contains("probably"), said);
        var all = Threads.dump(wants);
        assertTrue(!looked(all, all, all).sentence().contains("not seen"));
    }

    /** Three that wait to write, and a main. */
    private static ThreadDump writers(ThreadState main) {
        var write = "java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock.lock(R.java:1)";
        var lock = "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync@1";
        return dump(some(1, 4, lock, PARK, write, "shop.Book.note(Book.java:5)"), Stream.of(main));
    }

    @Test
    void a_lock_that_main_may_have_is_no_circle_and_one_that_only_its_waiters_may_have_is() {
        var may = writers(sleeps(9, "main", "shop.Book.main(Book.java:9)"));
        assertEquals(List.of(), may.confirmedBy(may).circles());
        assertEquals(List.of(Kind.LOCK), met(looked(may, may, may)));
        var joins = writers(
                waits(9, "main", "Thread@1", "java.lang.Thread.join(Thread.java:1)", "shop.Book.main(Book.java:9)"));
        assertEquals(1, joins.confirmedBy(joins).circles().size(), "it waits for one of them");
        var elsewhere = writers(sleeps(9, "main", "shop.Start.main(Start.java:9)"));
        var circle = elsewhere.confirmedBy(elsewhere).circles();
        assertEquals(1, circle.size());
        assertTrue(Advice.on(circle.getFirst()).todo().contains("the same order"));
        var one = Threads.dump(
                List.of(elsewhere.threads().getFirst(), elsewhere.threads().getLast()));
        var upgrade = Advice.on(one.confirmedBy(one).circles().getFirst()).todo();
        assertTrue(upgrade.contains("release the lock to read before you ask for the one to write"), upgrade);
    }

    @Test
    void how_many_hold_a_lock_to_read_is_not_known_and_of_other_locks_one_does() {
        for (var type : List.of("ReentrantReadWriteLock", "ReentrantLock")) {
            var lock = "java.util.concurrent.locks." + type;
            var waits = dump(
                    some(1, 4, lock + "$NonfairSync@1", PARK, lock + ".lock(L.java:1)", "shop.Book.read(Book.java:5)"));
            var limit = looked(waits, waits, waits).met().getFirst();
            assertEquals(type.equals("ReentrantLock") ? 1 : Double.NaN, limit.inUse());
            assertTrue(looked(waits, waits, waits).sentence().contains("jcmd PID Thread.print -l"));
        }
    }

    @Test
    void the_machine_s_cpus_are_no_limit_of_a_program_whose_own_threads_use_hardly_any() {
        var rests = dump(Stream.of(sleeps(1, "rests", "shop.Shop.rest(Shop.java:1)")));
        var outside = new Outside(0.4, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        for (double used : new double[] {0.02, 0.3}) {
            var pools = Map.of("works", new Sample.Use(4, used));
            // attaching and recording use CPUs, too
            var sample = new Sample(0, 9, 0, 0, 2, 2, 0.35, pools, Map.of());
            var seen = new Observation(List.of(sample), rests, List.of(), 2, 1, NOBODY, List.of(), outside);
            assertEquals(used > 0.1 ? List.of(Kind.MACHINE) : List.of(), met(Verdict.of(seen)));
        }
    }

    @Test
    void full_collections_that_take_some_of_the_time_leave_it_open() {
        var rests = dump(Stream.of(sleeps(1, "rests", "shop.Shop.rest(Shop.java:1)")));
        for (double share : new double[] {0.04, 0.1, 0.3}) {
            var sample = new Sample(0, 9, 0, 0, 2, 2, 0.1, Map.of(), Map.of());
            var outside = Outside.UNKNOWN.withCollecting(share);
            var verdict = Verdict.of(
                    new Observation(List.of(sample), rests, List.of(), 2, 1, NOBODY, List.of(rests, rests), outside));
            assertEquals(share > 0.2 ? List.of(Kind.MEMORY) : List.of(), met(verdict));
            assertEquals(share == 0.1 ? "heap" : "nothing", open(verdict));
        }
    }

    @Test
    void objects_that_are_not_named_are_not_counted_as_different_ones() {
        var wait = "java.lang.Object.wait0(Native Method)";
        var waits = dump(
                some(1, 4, null, wait, "shop.Pool.hand(Pool.java:5)"),
                some(4, 6, "shop.Pool@1", wait, "shop.Pool.hand(Pool.java:5)"));
        assertEquals(
                "5 platform wait for a condition (shop.Pool@1)",
                waits.groups().getFirst().sentence());
    }

    @Test
    void threads_of_a_phaser_wait_for_one_thing_in_nodes_of_their_own() {
        var arrive = "java.util.concurrent.Phaser.arriveAndAwaitAdvance(Phaser.java:1)";
        var waits = IntStream.range(0, 3)
                .mapToObj(id -> waits(
                        id, "d", "java.util.concurrent.Phaser$QNode@" + id, PARK, arrive, "shop.Map.run(Map.java:1)"));
        assertEquals(
                "3 platform wait for a condition (Phaser)",
                dump(waits).groups().getFirst().sentence());
    }

    /** Handlers of requests that wait for another program's answers, each for its own: two dumps show them there. */
    @Test
    void who_waits_for_another_answer_at_the_next_dump_has_gone_on() {
        String[] frames = {
            PARK,
            "java.util.concurrent.CompletableFuture.get(CompletableFuture.java:1)",
            "jdk.internal.net.http.HttpClientImpl.send(HttpClientImpl.java:1)",
            "shop.Prices.ask(Prices.java:22)",
            "io.helidon.webserver.http1.Http1Connection.handle(H.java:1)"
        };
        IntFunction<ThreadDump> answers = first -> Threads.dump(IntStream.range(0, 9)
                .mapToObj(
                        id -> Threads.virtual(id + 1, "WAITING", "CompletableFuture$Signaller@" + (first + id), frames))
                .toList());
        var slow = looked(answers.apply(10).confirmedBy(answers.apply(10)));
        assertEquals(List.of(Kind.REMOTE), met(slow), slow.toString());
        assertEquals("nothing", open(looked(answers.apply(10).confirmedBy(answers.apply(20)))));
        assertEquals(List.of(), met(looked(answers.apply(10).confirmedBy(answers.apply(20)))));
    }

    @Test
    void of_answers_that_no_dump_names_the_cpu_time_says_whether_they_came() {
        String[] frames = {
            PARK,
            "sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1)",
            "shop.Bank.ask(Bank.java:3)",
            "io.helidon.webserver.H.run(H.java:1)"
        };
        var waits = Threads.dump(IntStream.range(1, 9)
                .mapToObj(id -> Threads.virtual(id, "WAITING", frames))
                .toList());
        for (double cpus : List.of(0.002, 0.06)) {
            var sample = new Sample(
                    0, 9, 0, 0, 2, 2, cpus, Map.of("ForkJoinPool-1-worker", new Sample.Use(2, cpus)), Map.of());
            var verdict = Verdict.of(new Observation(
                    List.of(sample), waits.confirmedBy(waits), List.of(), 2, 0.1, NOBODY, List.of(), Outside.UNKNOWN));
            assertEquals(cpus < 0.01 ? List.of(Kind.REMOTE) : List.of(), met(verdict), verdict.toString());
            assertEquals(cpus < 0.01 ? "nothing" : "unknown", open(verdict));
        }
    }

    @Test
    void a_servers_own_permits_are_for_requests_though_no_frame_is_the_programs() {
        for (var server : List.of(
                "io.helidon.webserver.http1.Http1Connection.handle(H.java:1)", "net.tool.Pool.next(P.java:1)")) {
            String[] frames = {
                PARK, ACQUIRE, "io.helidon.common.concurrency.limits.FixedLimit.tryAcquire(F.java:1)", server
            };
            var door = Threads.dump(IntStream.range(1, 9)
                    .mapToObj(id -> Threads.virtual(id, "TIMED_WAITING", "Semaphore$NonfairSync@1", frames))
                    .toList());
            var met = met(looked(door.confirmedBy(door)));
            assertEquals(server.startsWith("io.helidon") ? List.of(Kind.PERMITS) : List.of(), met, server);
        }
    }

    @Test
    void a_main_that_awaits_the_end_of_its_server_is_not_held_up() {
        var latch = "java.util.concurrent.CountDownLatch.await(CountDownLatch.java:1)";
        var main = waits(
                1,
                "main",
                "CountDownLatch$Sync@1",
                PARK,
                latch,
                "shop.Shop.stay(S.java:9)",
                "shop.Shop.main(S.java:3)");
        var accepts = new ThreadState(
                2,
                "http",
                false,
                "RUNNABLE",
                0,
                null,
                0,
                List.of(),
                stack("sun.nio.ch.Net.accept(Native Method)", "java.net.ServerSocket.accept(S.java:1)"));
        for (var beside : List.of(accepts, sleeps(3, "cleans", "shop.Shop.clean(S.java:20)"))) {
            var stays = dump(Stream.of(main, beside));
            assertEquals(beside == accepts ? "nothing" : "unknown", open(looked(stays, stays, stays)));
        }
    }

    @Test
    void who_awaits_a_condition_wants_no_lock_whatever_its_class_is_called() {
        var await = "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await(A.java:1)";
        for (var by :
                List.of("tool.AutoLock$WithCondition.await(AutoLock.java:99)", "tool.AutoLock.lock(AutoLock.java:9)")) {
            var joins = dump(some(
                    1, 2, "Condition@1", PARK, await, by, "tool.Pool.join(Pool.java:5)", "shop.Shop.run(S.java:1)"));
            var met = met(looked(joins, joins, joins));
            assertEquals(by.contains("await") ? List.of() : List.of(Kind.LOCK), met, by);
        }
    }
}
