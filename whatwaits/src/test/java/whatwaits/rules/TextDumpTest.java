package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Dumps in text, as jstack and jcmd of Java 21.0.8 and 25.0.3 have written them; shortened. */
class TextDumpTest {

    private static final String PRINTED = """
            2026-11-27 20:02:33
            Full thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing):

            "m1" #30 [101] prio=5 os_prio=0 cpu=1.51ms elapsed=2.31s tid=0x00007f7b4002a810 nid=101 waiting on condition  [0x00007f7b45f1e000]
               java.lang.Thread.State: TIMED_WAITING (sleeping)
            \tat java.lang.Thread.sleepNanos0(java.base@25.0.3/Native Method)
            \tat Till.lambda$main$2(Till.java:11)
            \t- locked <0x000000069ec709c0> (a java.lang.Object)
            \tat Till$$Lambda/0x0000000042040438.run(Unknown Source)

            "m2" #31 [102] prio=5 os_prio=0 cpu=0.20ms elapsed=2.31s tid=0x00007f7b4002a811 nid=102 waiting for monitor entry  [0x00007f7b45f1e000]
               java.lang.Thread.State: BLOCKED (on object monitor)
            \tat Till.lambda$main$3(Till.java:12)
            \t- waiting to lock <0x000000069ec709c0> (a java.lang.Object)

            "ForkJoinPool-1-worker-2" #25 [103] daemon prio=5 os_prio=0 cpu=928.66ms elapsed=1.15s tid=0x00007f7c940e6320  [0x00007f7c74340000]
               Carrying virtual thread #24
            \tat jdk.internal.vm.Continuation.run(java.base@25.0.3/Continuation.java:251)
               Mounted virtual thread #24
            \tat Till.count(Till.java:4)

            "C2 CompilerThread0" #17 [104] daemon prio=9 os_prio=0 cpu=8.81ms elapsed=2.26s tid=0x00007f7b400c4830 nid=104 waiting on condition  [0x0000000000000000]
               java.lang.Thread.State: RUNNABLE
               No compile task

            "VM Thread" os_prio=0 cpu=1.35ms elapsed=2.26s tid=0x00007f7b400bb000 nid=105 runnable

            JNI global refs: 17, weak refs: 0
            """;

    private static TextDump read(String text) throws IOException {
        return TextDump.read(new StringReader(text), new DumpReader(Owner::byName));
    }

    @Test
    void what_the_jdk_makes_for_reflection_is_not_the_program_s() throws IOException {
        var text = PRINTED.replace(
                "(Till.java:12)",
                "(Till.java:12)\n\tat java.lang.invoke.LambdaForm$DMH/0x000000008306c000.invokeStatic(java.base@25.0.3/LambdaForm$DMH)");
        assertEquals(
                "Till.lambda$main$3(Till.java:12)",
                read(text).dump(25, "a print").byId().get(31L).stack().path());
    }

    @Test
    void a_print_says_who_holds_the_monitor_who_computes_on_a_carrier_and_how_much_cpu_time_each_has_used()
            throws IOException {
        var print = read(PRINTED);
        assertEquals("25.0.3+9-LTS", print.version());
        assertEquals(Map.of(24L, 25L), print.carriers());
        assertEquals(928.66, print.cpuMillis().get(25L));
        assertFalse(print.hasAll());
        var dump = print.dump(25, "a print");
        assertEquals(4, dump.threads().size(), dump.toString());
        assertTrue(
                dump.toString().contains("1 platform waits for a lock (java.lang.Object@69ec709c0), held by m1:"),
                dump.toString());
        assertTrue(
                dump.toString().contains("1 virtual computes, 1 on a carrier:\n    Till.count(Till.java:4)"),
                dump.toString());
    }

    /** Of locks-platform in whatwaits/dumps/Circles.java: only the end says who has which lock. */
    private static final String DEADLOCK = """
            "there" #21 [2698] daemon prio=5 os_prio=0 cpu=0.72ms elapsed=5.73s tid=0x00007fba2c0e17c0 nid=2698 waiting on condition  [0x00007fba0c2fe000]
               java.lang.Thread.State: WAITING (parking)
            \tat jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)
            \t- parking to wait for  <0x000000069ec226f8> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
            \tat java.util.concurrent.locks.ReentrantLock.lock(java.base@25.0.3/ReentrantLock.java:323)
            \tat Circles$Bank.transfer(Circles.java:100)

            "back" #22 [2699] daemon prio=5 os_prio=0 cpu=0.35ms elapsed=5.73s tid=0x00007fba2c0e2f10 nid=2699 waiting on condition  [0x00007fba0c1fe000]
               java.lang.Thread.State: WAITING (parking)
            \tat jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)
            \t- parking to wait for  <0x000000069ec226c8> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
            \tat java.util.concurrent.locks.ReentrantLock.lock(java.base@25.0.3/ReentrantLock.java:323)
            \tat Circles$Bank.transfer(Circles.java:100)

            JNI global refs: 24, weak refs: 3


            Found one Java-level deadlock:
            =============================
            "there":
              waiting for ownable synchronizer 0x000000069ec226f8, (a java.util.concurrent.locks.ReentrantLock$NonfairSync),
              which is held by "back"

            "back":
              waiting for ownable synchronizer 0x000000069ec226c8, (a java.util.concurrent.locks.ReentrantLock$NonfairSync),
              which is held by "there"

            Java stack information for the threads listed above:
            ===================================================
            "there":
            \tat jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)
            \t- parking to wait for  <0x000000069ec226f8> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)
            """;

    @Test
    void what_the_jvm_says_below_the_threads_proves_a_circle() throws IOException {
        var circles = read(DEADLOCK).dump(25, "a print").circles();
        assertEquals(List.of(true), circles.stream().map(Circle::proven).toList());
        assertTrue(circles.getFirst().toString().contains("held by back, at Circles$Bank.transfer"), "" + circles);
        var other = DEADLOCK.replace(
                "waiting for ownable synchronizer 0x000000069ec226f8, (a",
                "waiting to lock" + " monitor 0x00007f74a4070d60 (object 0x000000069ec226f8, a");
        assertTrue(read(other).dump(25, "a print").circles().getFirst().proven(), "the JVM's words for a monitor");
        var cut = DEADLOCK.substring(0, DEADLOCK.indexOf("Found"));
        assertFalse(read(cut).dump(25, "a print").circles().getFirst().proven(), "then only the stacks tell");
        var later = Threads.dump(read(cut).threads());
        assertTrue(read(DEADLOCK).complete(later).circles().getFirst().proven(), "a print beside another dump");
    }

    /** With {@code -l}, in a dump that calls the lock something else. */
    @Test
    void a_print_names_the_owner_of_what_another_dump_shows_threads_wait_for() throws IOException {
        var owned = """
                "keeper" #23 [5106] daemon prio=5 os_prio=0 cpu=0.86ms elapsed=6.92s tid=0x00007f1c0c3cdc30 nid=5106 waiting on condition  [0x00007f1bdeff8000]
                   java.lang.Thread.State: TIMED_WAITING (sleeping)
                \tat java.lang.Thread.sleepNanos0(java.base@25.0.3/Native Method)
                \tat Bank.keep(Bank.java:7)

                   Locked ownable synchronizers:
                \t- <0x000000069ec226f8> (a java.util.concurrent.locks.ReentrantLock$NonfairSync)

                """;
        var there = read(DEADLOCK.substring(0, DEADLOCK.indexOf("\"back\"")) + owned);
        var waits = there.threads().getFirst();
        assertTrue(there.dump(25, "a print").toString().contains("held by keeper"), "in the print itself");
        var lock = "java.util.concurrent.locks.ReentrantLock$NonfairSync@1d0a1119";
        var dump = Threads.dump(List.of(
                there.threads().get(1),
                new ThreadState(waits.id(), waits.name(), false, "WAITING", 0, lock, 0, List.of(), waits.stack()),
                new ThreadState(99, "", true, "WAITING", 0, lock, 0, List.of(), waits.stack())));
        assertTrue(there.complete(dump).groups().stream()
                .filter(group -> group.waits() == WaitReason.LOCK)
                .allMatch(group -> group.holder().equals("keeper")));
        var elsewhere = Threads.dump(List.of(
                there.threads().get(1),
                new ThreadState(
                        waits.id(),
                        waits.name(),
                        false,
                        "WAITING",
                        0,
                        lock,
                        0,
                        List.of(),
                        there.threads().get(1).stack())));
        assertTrue(there.complete(elsewhere).threads().stream().allMatch(one -> one.owner() == 0), "it went on");
        var keeper = there.threads().get(1);
        var before = Threads.dump(List.of(
                new ThreadState(keeper.id(), "keeper", false, "WAITING", 0, lock, 0, List.of(), waits.stack()),
                new ThreadState(waits.id(), waits.name(), false, "WAITING", 0, lock, 0, List.of(), waits.stack())));
        assertEquals(List.of(), there.complete(before).circles(), "it has got since what it waited for");
    }

    private static Verdict verdict(String text) throws IOException {
        var nobody = Requests.unknown("nobody counted them");
        return Verdict.of(new Observation(List.of(), read(text).dump(25, "a print"), List.of(), 0, Double.NaN, nobody));
    }

    @Test
    void virtual_threads_that_a_print_does_not_show_leave_it_undecided() throws IOException {
        assertEquals("unseen", verdict(PRINTED).undecided().orElseThrow().kind());
        var without = PRINTED.replace("ForkJoinPool-1-worker-2", "counts").replace("\"m2\"", "\"VM m2\"");
        var asked =
                "\"%s\" #%d daemon prio=9 os_prio=0 cpu=1.51ms elapsed=2.31s tid=0x00007f7b4002a810 nid=1 runnable\n";
        var look = asked.formatted("Attach Listener", 40) + asked.formatted("VirtualThread-unblocker", 41);
        assertEquals("once", verdict(without + look).undecided().orElseThrow().kind(), "m2 waits");
        var own = asked.formatted("VirtualThread-unblocker", 22) + asked.formatted("Attach Listener", 40);
        assertEquals("unseen", verdict(without + own).undecided().orElseThrow().kind());
    }

    @Test
    void a_thread_that_has_computed_most_of_its_life_is_named_by_one_print() throws IOException {
        assertFalse(verdict(PRINTED).met().stream().anyMatch(one -> one.kind() == Limit.Kind.THREAD), "it has begun");
        var old = PRINTED.replace("cpu=928.66ms elapsed=1.15s", "cpu=92866.10ms elapsed=95.10s");
        var text = verdict(old).sentence();
        assertTrue(text.contains("virtual thread #24. It uses 0.977 of a CPU, at Till.count(Till.java:4)."), text);
    }

    @Test
    void of_several_prints_in_one_log_the_last_counts() throws IOException {
        assertEquals(
                4, read("Started\n" + PRINTED + "Serving\n" + PRINTED).threads().size());
    }

    @Test
    void a_dump_of_java_21_in_text_shows_virtual_threads_by_their_outermost_frame_or_word() throws IOException {
        var dump = read("""
                27352
                2026-11-27T20:02:35.029693584Z
                21.0.8+9-LTS

                #1 "main"
                      java.base/java.lang.Thread.sleep0(Native Method)
                      Till.main(Till.java:14)

                #22 "order-1" virtual
                      java.base/java.lang.VirtualThread.park(Unknown Source)
                      java.base/java.util.concurrent.locks.ReentrantLock.lock(Unknown Source)
                      Till.sell(Till.java:5)
                      java.base/java.lang.VirtualThread.run(Unknown Source)
                """);
        assertEquals("21.0.8+9-LTS", dump.version());
        assertTrue(dump.hasAll());
        var threads = dump.dump(21, "a dump");
        assertEquals(1, threads.count(WaitReason.SLEEP), threads.toString());
        assertEquals(1, threads.count(WaitReason.LOCK), threads.toString());
        assertEquals(1, threads.virtualThreads());
    }

    @Test
    void in_a_file_of_java_25_a_virtual_thread_that_computes_does_not_wait_for_a_carrier() throws IOException {
        var file = read("""
                25060
                2026-11-27T20:01:09.077292997Z
                25.0.3+9-LTS

                #22 "busy-0" virtual RUNNABLE 2026-11-27T20:01:09.077292997Z
                    at Mounted.lambda$main$0(Mounted.java:2)
                    at java.base/java.lang.VirtualThread.run(VirtualThread.java:460)

                #26 "due" virtual RUNNABLE 2026-11-27T20:01:09.077292997Z
                    at java.base/java.lang.VirtualThread.park(VirtualThread.java:742)
                    at java.base/java.lang.VirtualThread.run(VirtualThread.java:460)
                """);
        assertEquals("25.0.3+9-LTS", file.version(), "not the time above it");
        var dump = file.dump(25, "a file");
        assertEquals(1, dump.mounted());
        assertEquals(1, dump.count(WaitReason.CARRIER), dump.toString());
    }
}
