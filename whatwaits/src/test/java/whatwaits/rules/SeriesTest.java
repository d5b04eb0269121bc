package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several prints of one small program: a desk has the ledger's monitor, others want it, one computes. */
class SeriesTest {

    private static String thread(int id, String name, double cpu, String state, String... lines) {
        var head = "\"%s\" #%d [7] prio=5 os_prio=0 cpu=%.2fms elapsed=99.00s tid=0x00007f00 nid=7 runnable\n";
        return head.formatted(name, id, cpu) + "   java.lang.Thread.State: " + state + "\n\t"
                + String.join("\n\t", lines) + "\n\n";
    }

    /** A print of a second of the minute 09:14, in which the last desk has used some CPU time, and some wait at a line. */
    private static String print(int second, double cpu, int waiting, int line) {
        var waits = IntStream.range(0, waiting)
                .mapToObj(id -> thread(
                        20 + id,
                        "desk-" + id,
                        1,
                        "BLOCKED (on object monitor)",
                        "at shop.Ledger.book(Ledger.java:%d)".formatted(line),
                        "- waiting to lock <0xab> (a shop.Ledger)"))
                .collect(Collectors.joining());
        return "2026-11-20 09:14:%02d\nFull thread dump OpenJDK 64-Bit Server VM (25.0.3 mixed mode):\n\n"
                        .formatted(second)
                + thread(
                        10,
                        "has",
                        1,
                        "RUNNABLE",
                        "at shop.Ledger.close(Ledger.java:9)",
                        "- locked <0xab> (a shop.Ledger)")
                + thread(11, "counts", cpu, "RUNNABLE", "at shop.Stock.count(Stock.java:5)")
                + waits;
    }

    private static List<Series> series(String... prints) throws IOException {
        return Series.of(new Log(new DumpReader(Owner::byName)).read(new StringReader(String.join("\n", prints))));
    }

    private static List<Series> files(String... texts) throws IOException {
        var stacks = new DumpReader(Owner::byName);
        var moments = new ArrayList<Moment>();
        for (String text : texts) {
            moments.addAll(new Log(stacks).read(new StringReader(text)));
        }
        return Series.of(moments);
    }

    private static Series one(String... prints) throws IOException {
        var all = series(prints);
        assertEquals(1, all.size());
        return all.getFirst();
    }

    @Test
    void who_has_not_moved_is_told_with_since_when_the_largest_group_first() throws IOException {
        var three = one(print(3, 100, 3, 27), print(13, 5_000, 3, 27), print(23, 9_000, 4, 27));
        assertEquals(
                List.of(
                        "3 dumps of one JVM in 20 s",
                        "Not moved: 3 platform wait for a lock (shop.Ledger@ab), held by has in all 3 dumps, since"
                                + " 2026-11-20 09:14:03, at shop.Ledger.book(Ledger.java:27)",
                        "Not moved: 1 platform computes in all 3 dumps, since 2026-11-20 09:14:03, at"
                                + " shop.Ledger.close(Ledger.java:9)",
                        "Not moved: 1 platform computes in all 3 dumps, since 2026-11-20 09:14:03, at"
                                + " shop.Stock.count(Stock.java:5)",
                        "has holds shop.Ledger@ab in each of them, at shop.Ledger.close(Ledger.java:9)",
                        "counts used 0.445 of a CPU, at shop.Stock.count(Stock.java:5)"),
                three.lines());
        assertEquals(0, three.still().getFirst().since());
        assertEquals(20, three.seconds());
        assertEquals("25.0.3", three.version());
    }

    @Test
    void who_has_moved_in_between_has_stood_since_then() throws IOException {
        var still = one(print(3, 0, 3, 24), print(13, 0, 3, 27), print(23, 0, 3, 27))
                .still()
                .getFirst();
        assertEquals(1, still.since());
        assertTrue(still.sentence(3).contains("in the last 2 dumps, since 2026-11-20 09:14:13"), still.sentence(3));
        var moved = one(print(3, 0, 2, 24), print(13, 0, 2, 27));
        assertTrue(moved.still().stream().noneMatch(one -> one.group().waits() == WaitReason.LOCK));
    }

    @Test
    void dumps_are_ordered_by_their_time_and_the_last_but_one_is_judged() throws IOException {
        var three = one(print(23, 0, 4, 27), print(3, 0, 2, 27), print(13, 0, 3, 27));
        assertEquals(20, three.seconds());
        assertEquals(3, three.dump().count(WaitReason.LOCK));
        assertEquals(
                List.of(2),
                three.others().stream().map(one -> one.count(WaitReason.LOCK)).toList());
        assertTrue(three.isStill(three.dump().threads().getFirst()));
        assertEquals(4, three.dump().later().count(WaitReason.LOCK));
    }

    @Test
    void of_one_dump_nothing_lasts() throws IOException {
        var alone = one(print(3, 0, 3, 27));
        assertEquals(List.of(), alone.lines());
        assertEquals(List.of(), alone.still());
        assertEquals(List.of(), alone.holders());
        assertEquals(List.of(), alone.others());
        assertFalse(alone.isStill(alone.dump().threads().getFirst()));
        assertEquals(3, alone.dump().count(WaitReason.LOCK));
    }

    @Test
    void a_holder_that_has_changed_does_not_hold_through_all_dumps() throws IOException {
        var other = print(13, 0, 3, 27).replace("\"has\" #10", "\"next\" #12");
        assertEquals(List.of(), one(print(3, 0, 3, 27), other).holders());
    }

    @Test
    void prints_within_a_second_say_nothing_of_cpu_time_and_hardly_any_is_left_out() throws IOException {
        assertEquals(List.of(), one(print(3, 0, 1, 27), print(4, 900, 1, 27)).uses());
        assertEquals(1, one(print(3, 0, 1, 27), print(5, 20, 1, 27)).uses().size(), "a hundredth");
        assertEquals(List.of(), one(print(3, 0, 1, 27), print(5, 19, 1, 27)).uses());
        assertEquals(0, one(print(3, 50, 1, 27), print(13, 20, 1, 27)).uses().size(), "never less than none");
    }

    @Test
    void of_several_that_use_cpus_the_busiest_comes_first() throws IOException {
        var later = print(13, 3_000, 1, 27).replaceFirst("(\"has\" .* cpu=)1.00", "$16001.00");
        var uses = one(print(3, 0, 1, 27), later).uses();
        assertEquals(
                List.of("has 0.6", "counts 0.3"),
                uses.stream().map(one -> one.thread().name() + " " + one.cpus()).toList());
    }

    @Test
    void dumps_of_other_programs_make_series_of_their_own() throws IOException {
        var other = print(13, 0, 3, 27).replaceAll("\"(\\w+)", "\"other-$1");
        assertEquals(2, series(print(3, 0, 3, 27), other).size());
    }

    @Test
    void without_a_time_the_order_is_that_of_the_text_and_of_many_groups_the_smaller_are_counted() throws IOException {
        var many = IntStream.range(0, 11)
                .mapToObj(id -> thread(id, "t" + id, 1, "RUNNABLE", "at shop.Shop.m%d(Shop.java:1)".formatted(id)))
                .collect(Collectors.joining());
        var heading = "Full thread dump OpenJDK 64-Bit Server VM (25.0.3 mixed mode):\n\n";
        var two = one(heading + many, heading + later(many));
        assertTrue(Double.isNaN(two.seconds()));
        assertEquals("2 dumps of one JVM", two.lines().getFirst());
        assertEquals("and 3 smaller groups", two.lines().getLast());
        var rests = thread(
                1,
                "idle",
                1,
                "WAITING",
                "at jdk.internal.misc.Unsafe.park(Native Method)",
                "at java.util.concurrent.ThreadPoolExecutor.getTask(T.java:1)");
        assertEquals(
                "Whoever waits has moved from dump to dump, or is idle",
                one(heading + rests, heading + later(rests)).lines().getLast());
    }

    private static String later(String threads) {
        return threads.replace("elapsed=99.00s", "elapsed=104.00s");
    }

    @Test
    void a_copy_is_no_second_look() throws IOException {
        var twice = one(print(3, 0, 3, 27), print(13, 0, 3, 27), print(13, 0, 3, 27));
        assertEquals(2, twice.moments().size());
        assertEquals(
                "a second look: a dump of 2026-11-20 09:14:13 is there twice, and a copy is none",
                twice.missing().getLast());
        // as Java 8 prints it, and in JSON
        var old = print(3, 0, 3, 27).replaceAll("cpu=\\S+ elapsed=\\S+ ", "");
        assertEquals(1, one(old, old).moments().size());
        assertEquals(
                2,
                one(old, old.replace("Ledger.java:27", "Ledger.java:28"))
                        .moments()
                        .size());
        var bean = """
                [{"threadId": 1, "threadName": "has", "threadState": "RUNNABLE", "waitedCount": 7, "stackTrace": []}]
                """;
        assertEquals(1, one(bean, bean).moments().size());
        assertEquals(2, one(bean, bean.replace("7", "8")).moments().size(), "it has waited meanwhile");
        // the end of the first paste is missing
        var cut = print(3, 0, 3, 27);
        assertEquals(
                5,
                one(cut.substring(0, cut.indexOf("\"desk-1")), cut)
                        .dump()
                        .threads()
                        .size());
    }

    /** The print of a pod whose threads have other addresses, some seconds after its start. */
    private static String pod(int address, int second, int age, String... lines) {
        var threads = new StringBuilder(
                "2026-11-20 09:14:%02d\nFull thread dump OpenJDK 64-Bit Server VM (25.0.3 mixed mode):\n\n"
                        .formatted(second));
        for (int id = 1; id <= 4; id++) {
            threads.append(
                    "\"web-%d\" #%d [7] prio=5 os_prio=0 cpu=9.00ms elapsed=%d.00s tid=0x00007f%d%d00 nid=7 waiting\n   java.lang.Thread.State: WAITING (parking)\n\tat shop.Shop.waits(Shop.java:%d)\n\n"
                            .formatted(id, id, age, address, id, second));
        }
        return threads + String.join("\n", lines);
    }

    @Test
    void pods_of_one_service_are_told_apart_by_the_addresses_of_their_threads() throws IOException {
        assertEquals(1, series(pod(1, 3, 60), pod(1, 13, 70)).size());
        var pods = series(pod(1, 3, 60), pod(2, 3, 61), pod(1, 13, 70), pod(2, 13, 71));
        assertEquals(
                List.of(2, 2), pods.stream().map(one -> one.moments().size()).toList());
        assertEquals(
                "from line 2, dumped at 2026-11-20 09:14:03", pods.getFirst().origin());
    }

    @Test
    void a_jvm_that_was_started_again_is_another_one() throws IOException {
        assertEquals(2, series(pod(1, 3, 60), pod(1, 33, 5)).size(), "at the same addresses");
        assertEquals(1, series(pod(1, 3, 60), pod(1, 53, 70)).size(), "the machine has slept");
        assertEquals(
                2,
                series(pod(1, 3, 60), pod(1, 13, 70).replace("25.0.3", "25.0.4"))
                        .size());
        var same = "tid=\\S+";
        assertEquals(
                2,
                series(
                                pod(1, 3, 60).replaceAll(same, "tid=0x1"),
                                pod(1, 13, 500).replaceAll(same, "tid=0x1"))
                        .size(),
                "without addresses by its start");
    }

    @Test
    void processes_are_told_apart_by_their_number() throws IOException {
        assertEquals(
                2, series("4711:\n" + pod(1, 3, 60), "4712:\n" + pod(1, 13, 70)).size());
        var one = series("4711:\n" + pod(1, 3, 60), "4711:\n" + pod(1, 13, 70));
        assertEquals(
                "process 4711, from line 3, dumped at 2026-11-20 09:14:03",
                one.getFirst().origin());
        var json = """
                {"threadDump": {"processId": "%s", "time": "2026-11-20T08:14:0%s.5Z", "runtimeVersion": "25.0.3", "threadContainers": [
                {"container": "<root>", "threads": [
                {"tid": "1", "name": "web-1", "state": "WAITING", "stack": ["shop.Shop.waits(Shop.java:%s)"]},
                {"tid": "2", "name": "Common-Cleaner", "state": "WAITING", "waitingOn": "java.lang.Object@%s", "stack": ["java.lang.Object.wait0(Native Method)"]}]}]}}
                """;
        var first = json.formatted("4711", 1, 3, "a");
        assertEquals(1, series(first, json.formatted("4711", 2, 3, "a")).size());
        assertEquals(2, series(first, json.formatted("4712", 2, 3, "a")).size());
        assertEquals(2, series(first, json.formatted("4711", 2, 3, "b")).size(), "both are the first of a container");
        // each print has the JSON that it is most like
        var both = files(
                json.formatted("4712", 1, 3, "a"),
                json.formatted("4711", 1, 4, "b"),
                pod(1, 4, 60).replace("0:14:04", "0:14:03"),
                pod(2, 3, 60));
        assertEquals(
                List.of(1, 1), both.stream().map(jvm -> jvm.moments().size()).toList());
        assertEquals(
                "process 4712, from line 2, dumped at 2026-11-20 09:14:03",
                both.getFirst().origin());
    }

    @Test
    void behind_other_writers_stand_other_jvms() throws IOException {
        var bare = print(3, 0, 3, 27);
        var web = bare.replaceAll("(?m)^", "web-1  | ");
        var again = bare.replace("09:14:03", "09:14:13").replaceAll("(?m)^", "web-2  | ");
        assertEquals(2, series(web, again).size());
        assertEquals(1, series(web, again.replace("web-2", "web-1")).size());
        assertEquals(1, series(bare, again).size(), "what was copied out of the log");
        var pods = bare.replaceAll("(?m)^", "2026-11-20T09:14:04.5Z stdout F ");
        assertEquals(
                1,
                series(pods, again.replace("web-2  | ", "2026-11-20T09:14:14.5Z stderr F "))
                        .size());
        var logged = bare.replaceAll("(?m)^", "[http-1] INFO ");
        assertEquals(
                1,
                series(logged, bare.replace("09:14:03", "09:14:13").replaceAll("(?m)^", "[http-2] INFO "))
                        .size());
        var moved = pod(1, 13, 70).replaceAll("(?m)^", "web-2  | ");
        assertEquals(
                1, series(pod(1, 3, 60).replaceAll("(?m)^", "web-1  | "), moved).size(), "the addresses say more");
    }

    @Test
    void no_other_dump_denies_a_deadlock_that_the_jvm_declares() throws IOException {
        var circle = thread(
                        30,
                        "one",
                        1,
                        "BLOCKED (on object monitor)",
                        "at shop.Till.take(Till.java:4)",
                        "- waiting to lock <0xcd> (a shop.Till)",
                        "- locked <0xce> (a shop.Till)")
                + thread(
                        31,
                        "two",
                        1,
                        "BLOCKED (on object monitor)",
                        "at shop.Till.take(Till.java:4)",
                        "- waiting to lock <0xce> (a shop.Till)",
                        "- locked <0xcd> (a shop.Till)");
        var dead = print(13, 0, 1, 27) + circle + "Found one Java-level deadlock:\n";
        for (Series one : List.of(
                one(dead, print(23, 0, 1, 27)),
                one(print(3, 0, 1, 27), dead),
                one(dead, print(23, 0, 1, 27), print(33, 0, 1, 27)))) {
            assertEquals(1, one.dump().circles().size(), one.lines().toString());
            assertTrue(one.dump().besides().deadlock());
        }
        assertEquals(
                List.of(),
                one(dead.replaceAll("Found .*\n", ""), print(23, 0, 1, 27))
                        .dump()
                        .circles());
    }

    @Test
    void who_has_computed_all_its_short_life_is_told_of_one_dump() throws IOException {
        var young = print(3, 6_900, 1, 27).replace("elapsed=99.00s", "elapsed=7.00s");
        assertEquals(
                "whether counts goes on computing, at shop.Stock.count(Stock.java:5): it has used 0.986 of a CPU in its"
                        + " life of 7 s, which is short; take another dump",
                one(young).missing().getLast());
        assertFalse(one(young.replace("6900", "690")).missing().toString().contains("whether"), "it has started");
        assertFalse(
                one(young, print(8, 6_950, 1, 27).replace("99.00s", "12.00s"))
                        .missing()
                        .toString()
                        .contains("whether"),
                "there is another");
        assertEquals(
                1,
                one(young.replace("7.00s", "20.00s").replace("6900", "20500"))
                        .dump()
                        .besides()
                        .cpus()
                        .get(11L));
    }

    @Test
    void a_thread_uses_one_cpu_at_most_by_the_hundredths_that_it_names() throws IOException {
        var first = print(3, 1_000, 1, 27);
        var next = print(5, 3_340, 1, 27).replace("elapsed=99.00s", "elapsed=101.34s");
        assertEquals(1, one(first, next).uses().getFirst().cpus(), 1e-9);
        assertEquals(
                0.5, one(first, next.replace("3340", "2170")).uses().getFirst().cpus(), 1e-9);
        assertEquals(1, one(first, print(6, 9_000, 1, 27)).uses().getFirst().cpus(), "by the header");
    }
}
