package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines that only some forms of dumps have, each in a few threads. */
class TextReaderTest {

    private static List<Moment> all(String text) throws IOException {
        return new Log(new DumpReader(Owner::byName)).read(new StringReader(text));
    }

    private static TextDump only(String text) throws IOException {
        var all = all(text);
        assertEquals(1, all.size(), all.toString());
        return all.getFirst().print();
    }

    /** A thread of a print, with its lines. */
    private static String print(int id, String name, String state, String... lines) {
        var head = "\"%s\" #%d [7] prio=5 os_prio=0 cpu=1.50ms elapsed=9.99s tid=0x00007f00 nid=7 runnable\n";
        return head.formatted(name, id) + "   java.lang.Thread.State: " + state + "\n\t" + String.join("\n\t", lines)
                + "\n\n";
    }

    private static String line(ThreadState thread) {
        return "%s %s %s holds %s wants %s of %d"
                .formatted(
                        thread.name(),
                        thread.state(),
                        thread.stack().where(),
                        thread.holds(),
                        thread.blocker(),
                        thread.owner());
    }

    private static List<String> lines(TextDump dump) {
        return dump.threads().stream().map(TextReaderTest::line).toList();
    }

    @Test
    void a_print_of_java_7_has_no_numbers_but_addresses() throws IOException {
        var dump = only("""
                Full thread dump Java HotSpot(TM) 64-Bit Server VM (24.80-b11 mixed mode):

                "desk" daemon prio=10 tid=0x00007f001 nid=0x1a03 waiting for monitor entry [0x00007f0]
                   java.lang.Thread.State: BLOCKED (on object monitor)
                \tat shop.Till.sell(Till.java:5)
                \t- waiting to lock <0x00000000ab> (a shop.Till)

                "far" prio=10 tid=0x12345678901234567 nid=0x1a04 runnable [0x00007f0]
                   java.lang.Thread.State: RUNNABLE
                \tat shop.Till.count(Till.java:9)
                """);
        assertEquals(
                List.of(
                        "desk BLOCKED shop.Till.sell(Till.java:5) holds [] wants shop.Till@ab of 0",
                        "far RUNNABLE shop.Till.count(Till.java:9) holds [] wants null of 0"),
                lines(dump));
        assertEquals(0x7f001, dump.threads().getFirst().id());
        assertEquals("12345678901234567".hashCode(), dump.threads().getLast().id());
        assertEquals("24.80-b11", dump.version());
    }

    @Test
    void a_javacore_names_states_owners_locks_virtual_threads_its_time_and_its_java() throws IOException {
        var dump = only("""
                0SECTION       TITLE subcomponent dump routine
                1TIDATETIME    Date: 2026/11/20 at 09:14:03:511
                1CIJAVAVERSION JRE 25 Linux amd64-64 (build 25.0.3+9-LTS)
                3XMTHREADINFO      "mail-1" J9VMThread:0x00000000001A, omrthread_t:0x01, java/lang/Thread:0x02, state:B, prio=5
                3XMJAVALTHREAD            (java/lang/Thread getId:0x20, isDaemon:true)
                3XMTHREADBLOCK     Blocked on: shop/Till@0x000000AB Owned by: "mail-2" (J9VMThread:0x00000000001B, java/lang/Thread:0x03)
                3XMTHREADINFO3           Java callstack:
                4XESTACKTRACE                at shop/Ledger.book(Ledger.java:27)
                5XESTACKTRACE                   (entered lock: shop/Ledger@0x000000CD, entry count: 1)
                4XESTACKTRACE                at java/lang/Object.hash(Native Method)
                5XESTACKTRACE                   (something else)
                3LKWAITERQ            Waiting to enter:
                3XMTHREADINFO      "mail-2" J9VMThread:0x00000000001B, omrthread_t:0x01, java/lang/Thread:0x03, state:P, prio=5
                3XMTHREADBLOCK     Parked on: java/util/concurrent/locks/ReentrantLock$NonfairSync@0x000000EF Owned by: <unknown>
                4XESTACKTRACE                at shop/Till.sell(Till.java:9)
                3XMTHREADINFO      "naps" J9VMThread:0x00000000001C, omrthread_t:0x01, java/lang/Thread:0x04, state:S, prio=5
                4XESTACKTRACE                at shop/Till.nap(Till.java:3)
                3XMTHREADINFO      "runs" J9VMThread:0x00000000001D, omrthread_t:0x01, java/lang/Thread:0x05, state:R, prio=5
                4XESTACKTRACE                at shop/Till.run(Till.java:4)
                3XMVTHDINFO        "order-1" J9VMContinuation:0x00000000001E, java/lang/VirtualThread:0x06, state:W
                4XESTACKTRACE                at shop/Till.order(Till.java:6)
                1LKDEADLOCK    Deadlock detected !!!
                """);
        assertEquals(
                List.of(
                        "mail-1 BLOCKED shop.Ledger.book(Ledger.java:27) holds [shop.Ledger@cd] wants shop.Till@ab of 27",
                        "mail-2 WAITING shop.Till.sell(Till.java:9) holds [] wants java.util.concurrent.locks.ReentrantLock$NonfairSync@ef of 0",
                        "naps TIMED_WAITING shop.Till.nap(Till.java:3) holds [] wants null of 0",
                        "runs RUNNABLE shop.Till.run(Till.java:4) holds [] wants null of 0",
                        "order-1 WAITING shop.Till.order(Till.java:6) holds [] wants null of 0"),
                lines(dump));
        assertEquals(
                List.of(false, false, false, false, true),
                dump.threads().stream().map(ThreadState::virtual).toList());
        assertEquals("25.0.3+9-LTS at 2026-11-20 09:14:03:511", dump.version() + " at " + dump.time());
        assertTrue(dump.deadlock && dump.hasAll());
        assertEquals(2, dump.threads().getFirst().stack().frames().size());
    }

    @Test
    void lines_of_a_javacore_before_its_first_thread_are_no_part_of_one() throws IOException {
        var dump = only("""
                4XESTACKTRACE                at shop/Wrong.line(Wrong.java:1)
                3XMTHREADINFO      "runs" J9VMThread:0x0000001D, omrthread_t:0x01, java/lang/Thread:0x05, state:R, prio=5
                4XESTACKTRACE                at shop/Till.run(Till.java:4)
                """);
        assertEquals(List.of("runs RUNNABLE shop.Till.run(Till.java:4) holds [] wants null of 0"), lines(dump));
    }

    @Test
    void a_forced_dump_has_numbers_alone_and_frames_by_byte_code() throws IOException {
        var dump = only("""
                JVM version is 25.172-b11
                Thread 21: (state = BLOCKED)
                 - sun.misc.Unsafe.park(boolean, long) @bci=0 (Compiled frame; information may be imprecise)
                 - shop.Till$Inner.sell(int) @bci=11, line=5 (Interpreted frame)

                Thread 22: (state = IN_NATIVE)
                 - shop.Till.count() @bci=3, line=7 (Interpreted frame)
                """);
        assertEquals(
                List.of("thread 21", "thread 22"),
                dump.threads().stream().map(ThreadState::name).toList());
        assertEquals(
                "sun.misc.Unsafe.park(Native Method)\nshop.Till$Inner.sell(Till.java:5)",
                dump.threads().getFirst().stack().toString());
        assertEquals("25.172-b11", dump.version());
    }

    @Test
    void jhsdb_before_25_calls_that_locked_for_which_a_thread_waits() throws IOException {
        var lines = new String[] {
            "at shop.Till.sell(Till.java:5)",
            "- locked <0xab> (a shop.Till)",
            "at shop.Shop.run(Shop.java:1)",
            "- locked <0xcd> (a shop.Shop)"
        };
        assertEquals(
                List.of(
                        "waits BLOCKED shop.Till.sell(Till.java:5) holds [shop.Shop@cd] wants shop.Till@ab of 0",
                        "has RUNNABLE shop.Till.sell(Till.java:5) holds [shop.Till@ab, shop.Shop@cd] wants null of 0"),
                lines(only(print(1, "waits", "BLOCKED", lines) + print(2, "has", "RUNNABLE", lines))));
    }

    @Test
    void management_beans_and_a_debugger_name_locks_in_their_own_words() throws IOException {
        assertEquals(
                List.of("desk BLOCKED shop.Till.sell(Till.java:5) holds [shop.Shop@cd] wants shop.Till@61a04d10 of 0"),
                lines(only("""
                        "desk" - Thread t@21
                           java.lang.Thread.State: BLOCKED
                        \tat shop.Till.sell(Till.java:5)
                        \t-  blocked on shop.Till@61a04d10
                        \tat shop.Shop.run(Shop.java:1)
                        \t-  locked shop.Shop@cd
                        """)));
        assertEquals(
                List.of("desk BLOCKED shop.Till.sell(Till.java:5) holds [] wants shop.Till@2b9 of 30"),
                lines(only("""
                        "desk@21" daemon prio=5 tid=0x1c nid=NA waiting for monitor entry
                          java.lang.Thread.State: BLOCKED
                        \t waiting for mail@30 to release lock on <0x2b9> (a shop.Till)
                        \t  at shop.Till.sell(Till.java:5)
                        """)));
    }

    @Test
    void what_a_thread_waits_for_is_the_first_that_its_lines_name_with_a_class() throws IOException {
        var dump = only(print(
                1,
                "waits",
                "WAITING",
                "at java.lang.Object.wait(Native Method)",
                "- waiting on <no object reference available>",
                "at shop.Till.sell(Till.java:5)",
                "- waiting to re-lock in wait() <0xab> (a shop.Till)",
                "- waiting on <0xcd> (a shop.Other)"));
        assertEquals("shop.Till@ab", dump.threads().getFirst().blocker());
    }

    @Test
    void threads_that_begin_again_are_those_of_another_dump() throws IOException {
        var one = print(1, "main", "RUNNABLE", "at shop.Shop.main(Shop.java:1)")
                + print(2, "desk", "RUNNABLE", "at shop.Till.sell(Till.java:5)");
        assertEquals(
                List.of(2, 2),
                all(one + one).stream().map(it -> it.dump().threads().size()).toList());
        assertEquals(
                List.of(4),
                all(one + one.replace("\"main\" #1", "\"mail\" #3").replace("\"desk\" #2", "\"desk\" #4")).stream()
                        .map(it -> it.dump().threads().size())
                        .toList());
    }

    @Test
    void a_heading_ends_the_thread_before_it() throws IOException {
        var heading = "Full thread dump OpenJDK 64-Bit Server VM (25.0.3 mixed mode):\n";
        var one = print(1, "main", "RUNNABLE", "at shop.Shop.main(Shop.java:1)").strip() + "\n";
        assertEquals(
                List.of(1, 1),
                all(one + heading + one).stream()
                        .map(it -> it.dump().threads().size())
                        .toList());
        var found = all(one + "Found one Java-level deadlock:\n").getFirst();
        assertEquals(1, found.dump().threads().size());
        assertTrue(found.print().deadlock);
    }

    @Test
    void the_share_of_a_cpu_is_that_of_a_life_of_ten_seconds_at_least() throws IOException {
        var thread = print(1, "main", "RUNNABLE", "at shop.Shop.main(Shop.java:1)");
        assertTrue(only(thread).cpus.isEmpty());
        assertEquals(1.5e-4, only(thread.replace("9.99s", "10.00s")).cpus.get(1L), 1e-9);
        assertEquals(1.5, only(thread).cpuMillis().get(1L));
    }

    @Test
    void frames_after_the_end_of_a_stack_leave_its_thread_out_and_those_of_something_thrown_do_not()
            throws IOException {
        var thread = print(1, "desk", "RUNNABLE", "at shop.Till.sell(Till.java:5)");
        var thrown = "shop.NoMoneyException: 5\n\tat shop.Wrong.line(Wrong.java:1)\n";
        assertEquals(1, only(thread + thrown).threads().size());
        var mixed =
                all(thread + "\tat shop.Wrong.line(Wrong.java:1)\n").getFirst().print();
        assertEquals(List.of("desk"), mixed.shuffled, "whose frame it is cannot be told");
        assertEquals(List.of(), mixed.threads());
        var inside = all(thread.stripTrailing() + "\n" + thrown).getFirst().print();
        assertEquals(List.of("desk"), inside.shuffled, "a part of the stack may be missing");
    }

    @Test
    void a_log_may_say_when_something_was_thrown() throws IOException {
        var thread = print(1, "desk", "RUNNABLE", "at shop.Till.sell(Till.java:5)");
        for (String time : List.of("09:14:03 ", "5 ", "42 ")) {
            var thrown = time + "java.lang.IllegalStateException: no\n\tat shop.Wrong.line(Wrong.java:1)\n";
            assertEquals(1, only(thread + thrown).threads().size(), time);
            assertEquals(1, only(thrown + "\n" + thread).threads().size(), time);
        }
    }

    @Test
    void of_two_threads_that_stand_in_each_other_s_lines_neither_is_kept_nor_their_neighbours() throws IOException {
        var one = print(1, "one", "RUNNABLE", "at shop.One.run(One.java:1)");
        var two = print(
                2, "two", "RUNNABLE", "at shop.Two.run(Two.java:1)", "at jdk.internal.misc.Unsafe.park(Native Method)");
        var three = print(3, "three", "RUNNABLE", "at shop.Three.run(Three.java:1)");
        var four = print(4, "four", "RUNNABLE", "at shop.Four.run(Four.java:1)");
        var dump = only(one + two + three + four);
        assertEquals(List.of("one", "two", "three"), dump.shuffled);
        assertEquals(
                List.of("four"), dump.threads().stream().map(ThreadState::name).toList());
        assertTrue(
                dump.missing().getLast().startsWith("the stacks of one, two, three: "),
                dump.missing().toString());
    }

    @Test
    void a_stack_that_is_cut_says_after_how_many_frames() throws IOException {
        var dump = only("""
                "desk" Id=21 RUNNABLE
                \tat shop.Till.sell(Till.java:5)
                \tat shop.Till.open(Till.java:2)
                \t...

                "mail" Id=22 BLOCKED on shop.Till@ab owned by "desk" Id=21
                \tat shop.Mail.send(Mail.java:1)
                """);
        assertEquals(2, dump.cut);
        assertEquals(
                "mail BLOCKED shop.Mail.send(Mail.java:1) holds [] wants shop.Till@ab of 21",
                lines(dump).getLast());
        assertNull(dump.version());
    }
}
