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

    private static String page(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }

    @Test
    void what_pages_and_chats_make_of_a_dump_is_undone() throws IOException {
        var page = page(PRINT);
        assertEquals(List.of(BOTH), said("<html><body><pre class=\"c\">" + page + "</pre></body></html>"));
        assertEquals(List.of(BOTH), said("<p>" + page.replace("\n", "<br/>\n") + "</p>"));
        assertEquals(List.of(BOTH), said(page.replace("\n", "<br>")), "on one line");
        var rows = page.lines().map(line -> "<li><div>" + line + "</div></li>").collect(Collectors.joining());
        assertEquals(List.of(BOTH), said("<ol>" + rows + "</ol>"), "a line in two blocks");
        assertEquals(List.of(BOTH), said(page.replace("&", "&amp;")), "escaped twice");
        assertEquals(List.of(BOTH), said(page.replace("&lt;", "&#60;").replace("&gt;", "&#x3E;")));
        assertEquals(List.of(BOTH), said(PRINT.replaceAll("\"(\\w+)\"", "\u201c$1\u201d")));
        assertEquals(List.of(BOTH), said(PRINT.replaceAll("\"(\\w+)\"", "\u201e$1\u201c")));
        assertEquals(List.of(BOTH), said(PRINT.replace("\t", "\u00a0\u00a0").replace("   java", "\u00a0  java")));
        assertEquals(List.of(BOTH), said(PRINT.replace("- ", "\u2013 ")));
    }

    @Test
    void a_constructor_is_no_tag() throws IOException {
        var text = PRINT.replace("Till.sell", "Till.<init>");
        assertEquals(List.of(BOTH.replace("sell", "<init>")), said(text));
    }

    @Test
    void parts_of_a_record_are_joined() throws IOException {
        var parts = new StringBuilder("2026-11-20T09:14:03.1Z stdout F started\n");
        for (String line : PRINT.split("\n")) {
            int half = line.length() / 2;
            parts.append("2026-11-20T09:14:03.1Z stdout P " + line.substring(0, half) + "\n");
            parts.append("2026-11-20T09:14:03.1Z stderr F beside\n");
            parts.append("2026-11-20T09:14:03.2Z stdout F " + line.substring(half) + "\n");
        }
        assertEquals(List.of(BOTH), said(parts.toString()));
        var event = json(PRINT).strip();
        int space = event.indexOf(' ', event.length() / 2) + 1;
        var split = "2026-11-20T09:14:03.1Z stdout P " + event.substring(0, space)
                + "\n2026-11-20T09:14:03.1Z stdout F " + event.substring(space);
        assertEquals(
                List.of(BOTH), said("2026-11-20T09:14:03Z stdout F serving\n" + split), "a part ends with a space");
        var docker = json("started\n") + json(event.substring(0, space)) + json(event.substring(space) + "\n");
        assertEquals(List.of(BOTH), said(docker));
        assertEquals(List.of(BOTH), said("pod-1 | " + event), "behind a prefix");
    }

    @Test
    void a_dump_is_found_in_what_systems_export() {
        var stacks = new DumpReader(Owner::byName);
        var events = PRINT.lines()
                .map(line -> json(line).strip().replace("\"log\"", "\"text\""))
                .collect(Collectors.joining(",\n", "{\"events\": [", "]}"));
        var rows = PRINT.lines()
                .map(line -> json(line).strip().replaceAll("^.*\"log\": (.*)}$", "[\"1763629443\", $1]"))
                .collect(Collectors.joining(",\n", "{\"data\": [{\"values\": [", "]}]}"));
        var table = PRINT.lines()
                .map(line -> "\"Nov 20, 2026\",\"" + line.replace("\"", "\"\"") + "\"\r\n")
                .collect(Collectors.joining("", "time,message\n", ""));
        var cell = "id,what\n7,\"" + PRINT.replace("\"", "\"\"") + "\"\n";
        var escaped = "time=9 msg=\"" + json(PRINT).replaceAll("(?s)^.*\"log\": \"(.*)\\\\n\"}.*$", "$1") + "\"";
        for (String text : List.of(events, rows, table, cell, escaped, PRINT)) {
            var all = new Log(stacks).all(text);
            assertEquals(1, all.size(), text);
            assertEquals(1, all.getFirst().dump().count(WaitReason.LOCK), text);
            assertEquals(2, all.getFirst().dump().threads().size(), text);
        }
        for (String text : List.of("", "{", "{\"a\": [\"thread\"]}", "a,b\n\"\"thread\"\",\"", "hread \"\"")) {
            assertEquals(List.of(), new Log(stacks).all(text), text);
        }
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
