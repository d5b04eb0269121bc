package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dumps between the lines of programs, behind whatever a log puts before each line. */
class LogTest {

    private static final String PRINT = """
            Full thread dump OpenJDK 64-Bit Server VM (25.0.3 mixed mode):

            "desk" #21 [7] prio=5 os_prio=0 cpu=1.50ms elapsed=9.99s tid=0x00007f00 nid=7 runnable
               java.lang.Thread.State: RUNNABLE
            \tat shop.Till.sell(Till.java:5)
            \t- locked <0xab> (a shop.Till)

            "mail" #22 [8] prio=5 os_prio=0 cpu=1.50ms elapsed=9.99s tid=0x00007f00 nid=8 waiting
               java.lang.Thread.State: BLOCKED (on object monitor)
            \tat shop.Till.sell(Till.java:4)
            \t- waiting to lock <0xab> (a shop.Till)
            """;

    private static List<Moment> read(String text) throws IOException {
        return new Log(new DumpReader(Owner::byName)).read(new StringReader(text));
    }

    /** Each dump: its threads with their lines, and who waits. */
    private static List<String> said(String text) throws IOException {
        return read(text).stream()
                .map(one -> one.dump().threads().stream()
                                .map(thread -> thread.label() + " " + thread.stack())
                                .collect(Collectors.joining(", "))
                        + "; " + one.dump().count(WaitReason.LOCK))
                .toList();
    }

    private static final String BOTH = "desk shop.Till.sell(Till.java:5), mail shop.Till.sell(Till.java:4); 1";

    private static String behind(String prefix, String text) {
        return text.lines().map(line -> prefix + line + "\n").collect(Collectors.joining());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "shop-1  | ",
                "2026-11-20T09:14:03.512345678Z ",
                "2026-11-20T09:14:03.5Z stdout F ",
                "Nov 20 09:14:03 host java[4711]: ",
                "1763629443.512 [pod-7] ",
                "  12 : ",
                "> "
            })
    void what_stands_before_each_line_is_found_by_itself(String prefix) throws IOException {
        assertEquals(List.of(BOTH), said(behind(prefix, PRINT)));
        assertEquals(List.of(BOTH), said("Started.\n" + behind(prefix, PRINT) + behind(prefix, "Serving.")));
    }

    @Test
    void times_and_numbers_before_a_line_may_differ_from_line_to_line() throws IOException {
        var text = new StringBuilder();
        int at = 8;
        for (String line : PRINT.split("\n")) {
            text.append("09:14:%02d,%d [%d] %s%n".formatted(at, at, at * 7, line));
            at++;
        }
        assertEquals(List.of(BOTH), said(text.toString()));
        assertEquals(List.of(BOTH), said(text.toString().replaceAll("\\] (?=\\R)", "]")), "no space at a line's end");
    }

    @Test
    void a_prefix_may_stand_before_a_record_of_many_lines() throws IOException {
        assertEquals(List.of(BOTH), said("[09:14:03] INFO " + PRINT));
        var bare = PRINT.substring(PRINT.indexOf('"'));
        assertEquals(List.of(BOTH), said("[09:14:03] INFO " + bare));
    }

    @Test
    void lines_of_others_between_those_of_a_dump_are_left_out() throws IOException {
        var pods = behind("pod-1 | ", PRINT)
                .replace(
                        "pod-1 | \tat shop.Till.sell(Till.java:4)",
                        "pod-2 | serving\npod-1 | \tat shop.Till.sell(Till.java:4)");
        assertEquals(List.of(BOTH), said(pods));
        var two = behind("pod-1 | ", PRINT) + behind("pod-2 | ", PRINT.replace("desk", "till"));
        assertEquals(List.of(BOTH, BOTH.replace("desk", "till")), said(two));
    }

    @Test
    void the_time_above_a_dump_is_found_between_the_lines_of_others() throws IOException {
        var woven = "web-1  | 2026-11-20 09:14:03\nmail-1 | 2026-11-20 09:14:04\nmail-1 | serving\n"
                + behind("web-1  | ", PRINT) + behind("mail-1 | ", PRINT.replace("desk", "till"));
        var read = read(woven);
        assertEquals(
                List.of("2026-11-20 09:14:03", "2026-11-20 09:14:04"),
                read.stream().map(Moment::time).toList());
        assertEquals(
                List.of("web-1 4", "mail-1 15"),
                read.stream()
                        .map(one -> one.origin().source() + " " + one.origin().line())
                        .toList());
    }

    @Test
    void colours_are_no_part_of_a_line() throws IOException {
        assertEquals(
                List.of(BOTH),
                said(PRINT.replaceAll("(?m)^(?=.)", "\u001b[36m").replaceAll("(?m)(?<=.)$", "\u001b[0m")));
    }

    private static String json(String line, String... more) {
        return "{%s\"time\": \"t\", \"deep\": {\"n\": [1]}, \"log\": \"%s\"}\n"
                .formatted(
                        String.join("", more),
                        line.replace("\\", "\\\\")
                                .replace("\"", "\\\"")
                                .replace("\t", "\\t")
                                .replace("\n", "\\n"));
    }

    private static String driver(String text, String source) {
        return text.lines().map(line -> json(line + "\n", source)).collect(Collectors.joining());
    }

    @Test
    void in_a_log_of_json_each_writer_has_lines_of_its_own() throws IOException {
        assertEquals(List.of(BOTH), said(driver(PRINT, "")));
        var one = driver(PRINT, "\"pod\": \"a\", ").split("(?<=\n)");
        var other = driver(PRINT.replace("desk", "till"), "\"pod\": \"b\", ").split("(?<=\n)");
        var woven = new StringBuilder();
        for (int i = 0; i < one.length; i++) {
            woven.append(one[i]).append(other[i]);
        }
        assertEquals(List.of(BOTH, BOTH.replace("desk", "till")), said(woven.toString()));
        assertEquals(List.of(BOTH), said(json(PRINT)), "one record of many lines");
        assertEquals(List.of(BOTH), said(driver(PRINT, "") + "no record\n{broken}\n{\"other\": \"name\"}\n"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"message", "msg", "@message", "textPayload", "MESSAGE", "line", "event", "body"})
    void a_line_has_other_names_elsewhere(String name) throws IOException {
        assertEquals(List.of(BOTH), said(driver(PRINT, "").replace("\"log\":", "\"" + name + "\":")));
        assertEquals(List.of(), said(driver(PRINT, "").replace("\"log\":", "\"text\":")));
    }

    private static final String DUMP = """
            {
              "threadDump": {
                "runtimeVersion": "25.0.3",
                "threadContainers": [ {"container": "<root>", "threads": [
                  {"tid": "1", "name": "desk", "state": "RUNNABLE", "stack": ["shop.Till.sell(Till.java:5)"]}
                ]} ]
              }
            }
            """;

    @Test
    void a_dump_in_json_may_stand_in_a_log() throws IOException {
        var one = List.of("desk shop.Till.sell(Till.java:5); 0");
        assertEquals(one, said(DUMP));
        assertEquals(one, said("Started.\n" + DUMP + "Serving.\n"));
        assertEquals(one, said("Started.\n" + behind("pod | ", DUMP)));
        assertEquals(one, said("Started.\n{\nno dump\n}\n" + DUMP), "a brace alone begins none");
        assertEquals(2, said("Started.\n" + DUMP + DUMP).size());
        var cut = read("Started.\n" + DUMP.substring(0, DUMP.lastIndexOf(" ]} ]")));
        assertTrue(cut.getFirst().missing().toString().contains("the end of the dump: 1 thread"), cut.toString());
    }

    @Test
    void a_dump_of_all_threads_in_text_is_found_behind_a_prefix() throws IOException {
        var file =
                "#21 \"desk\"\n      shop.Till.sell(Till.java:5)\n\n#22 \"order\" virtual\n      shop.Till.sell(Till.java:4)\n";
        assertEquals(
                List.of("desk shop.Till.sell(Till.java:5), order shop.Till.sell(Till.java:4); 0"),
                said(behind("pod | ", file)));
    }

    @Test
    void text_in_quotes_begins_no_thread() throws IOException {
        assertEquals(
                List.of(), said("He said \"hello\" #5 and left.\nhe wrote Full thread dump in a letter\n\t\"tab\"\n"));
        assertEquals(List.of(), said("[]"));
    }
}
