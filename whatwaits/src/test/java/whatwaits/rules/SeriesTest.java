package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
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
        var two = one(heading + many, heading + many);
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
                one(heading + rests, heading + rests).lines().getLast());
    }
}
