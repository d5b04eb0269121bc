package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Dumps of programs in every form, as whatwaits/dumps/Forms.java has written them on Java 25.0.3; one test, of 15 s,
 * writes them anew.
 */
class FormsTest {

    private static final Path RECORDED = Path.of("src/test/resources/whatwaits/rules/forms");

    private static List<Moment> read(String text) throws IOException {
        return new Log(new DumpReader(Owner::byName)).read(new StringReader(text));
    }

    private static String text(Path file) throws IOException {
        var bytes = Files.readAllBytes(file);
        return new String(bytes, Charset.forName(Form.charset(bytes)));
    }

    private static Verdict verdict(Series series) {
        var nobody = Requests.unknown("nobody counted them");
        return Verdict.of(new Observation(
                List.of(), series.dump(), List.of(), 0, Double.NaN, nobody, series.others(), Outside.UNKNOWN));
    }

    private static Verdict verdict(String text) throws IOException {
        return verdict(Series.of(read(text)).getFirst());
    }

    private static Stream<Path> files(Path folder, String scene) throws IOException {
        return Files.list(folder)
                .filter(file -> file.getFileName().toString().startsWith(scene.isEmpty() ? "" : scene + "-"))
                .sorted();
    }

    private static String print(String scene) throws IOException {
        return recorded(scene + "-print.txt");
    }

    private static String recorded(String file) throws IOException {
        return text(RECORDED.resolve(file));
    }

    @Test
    void each_form_of_the_same_program_says_the_same() throws IOException {
        assertTrue(read(RECORDED) >= 30);
    }

    @Test
    @Tag("deep")
    void each_form_of_a_program_that_runs_now_says_the_same(@TempDir Path folder) throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin/java").toString();
        var program =
                new ProcessBuilder(java, "-Dforms.source=dumps/Forms.java", "dumps/Forms.java", folder.toString());
        assertEquals(0, program.inheritIO().start().waitFor());
        assertTrue(read(folder) >= 70);
    }

    /** Reads all of a folder, and says how many files were judged. */
    private static int read(Path folder) throws IOException {
        int read = 0;
        for (Path file : files(folder, "").toList()) {
            assertFalse(read(text(file)).isEmpty(), file.toString());
        }
        for (Path file : files(folder, "lock").toList()) {
            var met = verdict(text(file)).findings().getFirst();
            assertEquals(
                    "limit the lock Forms$Ledger 7.0 [desk-1]",
                    met.what().name().toLowerCase() + " " + met.thing().name() + " " + met.waiting() + " "
                            + met.holders().getFirst().names(),
                    file.toString());
            read++;
        }
        for (Path file : files(folder, "circle").toList()) {
            var circle = verdict(text(file)).dump().circles().getFirst();
            assertTrue(circle.proven(), file.toString());
            assertEquals("2 members, 4 behind", circle.members().size() + " members, " + circle.behind() + " behind");
            read++;
        }
        for (Path file : files(folder, "locks").toList()) {
            if (file.toString().contains("debugger")) {
                // it names no lock of java.util.concurrent
                continue;
            }
            var circle = verdict(text(file)).dump().circles().getFirst();
            boolean owners = !file.toString().matches(".*(all.json|filed.txt)");
            assertEquals(owners, circle.proven(), file.toString());
            read++;
        }
        for (String scene : List.of("healthy", "permits")) {
            for (Path file : files(folder, scene).toList()) {
                assertEquals(List.of(), verdict(text(file)).findings(), file.toString());
                read++;
            }
        }
        return read;
    }

    @Test
    void whatever_ends_a_line_and_whatever_stands_before_it_is_read() throws IOException {
        var print = print("lock");
        var before =
                List.of("    ", "> ", "[pod/shop-7f9c/shop] ", "Nov  9 09:14:03 host java[1234]: ", "09:14:03.512 ");
        var all = new ArrayList<>(List.of(
                print.replace("\n", "\r\n"),
                print.replace("\n", "\r"),
                print.replace("\n", "\r\r\n"),
                print.replace("\t", "    "),
                print.replaceAll("(?m)^[ \t]+", ""),
                print.replace("\n", " \t\n"),
                "\uFEFF" + print,
                "  \n\n" + print));
        before.forEach(one -> all.add(one + print.replace("\n", "\n" + one)));
        var number = new AtomicInteger(7);
        all.add(print.lines()
                .map(line -> "%6d\t%s".formatted(number.incrementAndGet(), line))
                .collect(Collectors.joining("\n")));
        all.add(print.lines()
                .map(line -> "[%d] %s".formatted(number.incrementAndGet(), line))
                .collect(Collectors.joining("\n")));
        all.add(print.replaceAll("(?m)^", "\u001b[36mshop-1  |\u001b[0m "));
        for (String text : all) {
            var met = verdict(text).findings().getFirst();
            assertEquals("[desk-1]", met.holders().getFirst().names().toString(), text.substring(0, 200));
        }
        for (String charset : List.of("UTF-16LE", "UTF-16BE", "UTF-8")) {
            for (String mark : List.of("", "\uFEFF")) {
                assertEquals(charset, Form.charset((mark + print).getBytes(Charset.forName(charset))));
            }
        }
    }

    @Test
    void of_lines_that_are_mixed_up_nobody_is_named_who_does_not_hold_the_lock() throws IOException {
        var threads = print("lock").split("\n\n");
        var random = new Random(7);
        int left = 0;
        for (int trial = 0; trial < 200; trial++) {
            var mixed = new ArrayList<>(List.of(threads));
            int at = 2 + random.nextInt(threads.length - 4);
            var both = List.of(mixed.remove(at).split("\n"), mixed.remove(at).split("\n"));
            mixed.add(at, woven(both, random));
            var dump = read(String.join("\n\n", mixed)).getFirst();
            for (Group group : dump.dump().groups()) {
                assertTrue(group.held() == null || group.holder().equals("desk-1"), group.sentence());
            }
            assertEquals(List.of(), dump.dump().circles());
            left += dump.missing().stream().anyMatch(one -> one.contains("mixed up")) ? 1 : 0;
        }
        assertTrue(left > 100, "the JVM's own threads have no lines to mix, but told of " + left);
    }

    /** The lines of both, each in its order. */
    private static String woven(List<String[]> both, Random random) {
        var which = new ArrayList<Integer>();
        for (int i = 0; i < 2; i++) {
            which.addAll(Collections.nCopies(both.get(i).length, i));
        }
        Collections.shuffle(which, random);
        var at = new int[2];
        return which.stream().map(one -> both.get(one)[at[one]++]).collect(Collectors.joining("\n"));
    }

    @Test
    void the_stack_of_something_thrown_is_no_part_of_a_thread() throws IOException {
        var thrown = "\njava.lang.IllegalStateException: no\n\tat shop.Wrong.line(Wrong.java:1)\n";
        var between = print("lock").replace("\n\n\"desk-2\"", thrown + "\n\n\"desk-2\"");
        assertFalse(verdict(between).dump().toString().contains("Wrong"), between);
        var inside = print("lock").replaceFirst("(\tat Forms\\$Ledger.book)", thrown.substring(1) + "$1");
        assertFalse(verdict(inside).dump().toString().contains("Wrong"), inside);
    }

    @Test
    void several_dumps_say_who_has_not_moved_who_holds_on_and_who_computes() throws IOException {
        var first = print("lock").replaceFirst("^\\d{4}.*", "2026-11-20 09:14:03");
        var second = first.replace("09:14:03", "09:14:13").replaceFirst("(\"desk-8\".* cpu=)[\\d.]+", "$19000.0");
        var third = second.replace("09:14:13", "09:14:23")
                .replaceAll("(\"desk-8\"(?:.*\n)+?.*)Ledger.book\\(Forms.java:\\d+", "$1Ledger.other(Forms.java:1");
        var series = Series.of(read(first + "\nserving\n" + second + third));
        assertEquals(1, series.size());
        var lines = String.join("\n", series.getFirst().lines());
        assertTrue(lines.startsWith("3 dumps of one JVM in 20 s\n"), lines);
        assertTrue(lines.contains("Not moved: 6 platform wait for a lock"), lines);
        assertTrue(lines.contains(" in all 3 dumps, since 2026-11-20 09:14:03, at Forms$Ledger.book("), lines);
        assertTrue(lines.contains("desk-1 holds Forms$Ledger@"), lines);
        assertTrue(lines.contains("desk-8 used 0."), lines);
        assertEquals(
                "[desk-1]",
                verdict(series.getFirst())
                        .findings()
                        .getFirst()
                        .holders()
                        .getFirst()
                        .names()
                        .toString());
    }

    @Test
    void dumps_of_other_programs_are_kept_apart_and_a_print_completes_the_json_of_its_moment() throws IOException {
        assertEquals(2, Series.of(read(print("circle") + print("healthy"))).size());
        var both = new ArrayList<>(read(recorded("locks-all.json")));
        both.addAll(read(print("locks")));
        var series = Series.of(both).getFirst();
        assertEquals(1, series.moments().size());
        assertTrue(verdict(series).dump().circles().getFirst().proven(), "the print names the owners");
        assertTrue(series.all(), "the JSON has all");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''                                          | it is empty; take a dump with
                    JAVA PROFILE 1.0.2                          | it is a heap dump
                    # A fatal error has been detected by the Java Runtime Environment: | it is the log of a crash
                    4711: Unable to open socket file: target process 4711 doesn't respond within 10500ms | could not attach
                    4711 shop.Main                              | it is a list of JVMs
                    '4711:\nCreated /tmp/shop.json'             | jcmd's answer, with the name of the file
                    '4711:\nDumped recording "shop", 1 MB written to:' | jcmd's answer, with the name of the file
                    '4711:\n/tmp/shop.json exists, use -overwrite to overwrite' | add -overwrite
                    '4711:\njava.lang.IllegalArgumentException: Unknown diagnostic command' | before Java 21
                    '4711:\nOpenJDK 64-Bit Server VM version 25' | jcmd's answer to another question
                    'served\n12 shop.Desk'                      | it names no threads of a JVM
                    'served\nCreated /tmp/shop.json'            | it names no threads of a JVM
                    Thread [main] (Suspended)                   | a debugger (Eclipse)
                    goroutine 1 [running]:                      | goroutines of a Go program
                    #0  0x00007f96f5aadf16 in __futex_abstimed_wait_common () | native stacks
                    [0.005s][info][gc] Using G1                 | the log of the garbage collector
                    <!doctype html><html>                       | a page of HTML
                    shop.Desk.serve;shop.Ledger.book 17         | folded stacks
                    '[desk 1];shop/Desk.serve_[j];shop/Ledger.<init> 17' | folded stacks
                    --- Execution profile ---                   | it is a profile, as async-profiler prints it
                    <html><title>Flame Graph</title>            | it is a profile as a page
                    jdk.ThreadSleep {                           | what jfr has printed of a recording
                    <recording xmlns:xsi="x">                   | what jfr has printed of a recording
                    {"recording": {"events": []}}               | what jfr has printed of a recording
                    Exception in thread "main" java.lang.Error  | the stack of an exception
                    {"status":"UP"}                             | it is JSON without threads
                    Thread[desk-1,5,main]                       | Thread.getAllStackTraces()
                    ----------------- 15617 -----------------   | jhsdb jstack --mixed
                    Full thread dump X (25.0.3 mixed mode): "main" #1 prio=5 | line ends are lost
                    hello                                       | it names no threads of a JVM
                    """)
    void what_is_no_dump_gets_a_sentence_of_its_own(String text, String says) throws IOException {
        assertEquals(List.of(), read(text));
        assertTrue(Log.other(text).contains(says), Log.other(text));
    }

    @Test
    void what_is_no_text_is_known_as_bytes_and_as_the_characters_that_a_page_has() {
        for (String[] one : new String[][] {
            {"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0", "it is a core"},
            {"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\3\0", "it is a program"},
            {"BZh91AY&SY", "bunzip2 FILE unpacks it"},
            {"\3757zXZ\0", "unxz FILE"},
            {"(\265/\375", "unzstd FILE"},
            {"7z\274\257'\34", "7z x FILE"},
            {"Rar!\32\7", "unrar x FILE"},
            {"\4\"M\30", "unlz4 FILE"}
        }) {
            assertTrue(String.valueOf(Form.binary(one[0])).contains(one[1]), one[1]);
            var read = new String(one[0].getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
            assertTrue(Log.other(read).contains(one[1]), Log.other(read));
            assertNull(Form.binary("served " + one[0]), "it begins with words");
        }
        assertNull(Form.binary("(\303\274/\303\266) served"), "a text that begins almost so");
    }

    @Test
    void a_deadlock_that_the_jvm_names_is_never_no_limit() throws IOException {
        var print = print("locks");
        var cut = print.substring(0, print.indexOf("\"mail-1\"")) + print.substring(print.indexOf("Found one"));
        assertEquals(
                "circle",
                verdict(cut.substring(0, cut.indexOf("===")))
                        .undecided()
                        .orElseThrow()
                        .kind());
        // it says itself who they are, with their stacks or without
        for (String text : List.of(
                cut,
                print.substring(print.indexOf("Found one")),
                print.substring(print.indexOf("Found one"), print.indexOf("Java stack information")))) {
            var circle = verdict(text).dump().circles().getFirst();
            assertTrue(circle.proven(), text);
            assertEquals(2, circle.members().size());
        }
    }

    @Test
    void the_lock_of_a_deadlock_that_cannot_be_read_is_no_limit() throws IOException {
        var lock = print("lock");
        assertFalse(verdict(lock).met().isEmpty());
        assertEquals(
                "circle",
                verdict(lock + "Found one Java-level deadlock:\n")
                        .undecided()
                        .orElseThrow()
                        .kind());
    }

    @Test
    void of_a_cut_dump_never_follows_that_nothing_is_met() throws IOException {
        for (String form : List.of("print.txt", "all.json")) {
            var whole = recorded("healthy-" + form);
            assertNotEquals("cut", kind(whole), form);
            for (int part = 2; part < 8; part++) {
                var cut = whole.substring(0, whole.length() * part / 8);
                assertEquals("cut", kind(cut), form + part);
                assertTrue(read(cut).getLast().missing().stream().anyMatch(one -> one.contains("could be read")), form);
            }
        }
        var filed = """
                7
                2026-11-20T09:14:03Z
                25.0.3

                #3 "main" RUNNABLE 2026-11-20T09:14:03Z
                    at shop.Till.sell(Till.java:5)
                    at shop.Till.main(Till.java:4)

                #9 "desk" RUNNABLE 2026-11-20T09:14:03Z
                    at shop.Till.sell(Till.java:5)
                    at java.base/java.lang.Thread.run(Thread.java:1474)
                """;
        assertEquals("", kind(filed));
        assertEquals("cut", kind(filed.substring(0, filed.lastIndexOf("    at"))));
        assertEquals("cut", kind(filed.substring(0, filed.indexOf("sk\" RUNNABLE"))));
        var print = recorded("healthy-print.txt");
        assertNotEquals("cut", kind(print.strip()), "without the line's end");
        var later = read(print)
                .getFirst()
                .dump()
                .confirmedBy(
                        read(print.substring(0, print.length() / 2)).getFirst().dump());
        assertNotNull(later.besides().cut(), "it cannot confirm what it lacks");
    }

    private static String kind(String text) throws IOException {
        return verdict(text).undecided().map(Undecided::kind).orElse("");
    }

    @Test
    void what_a_form_lacks_is_said() throws IOException {
        var lacks = Arrays.asList("info", "beans", "print", "debugger");
        for (String form : lacks) {
            var missing = read(recorded("lock-" + form + ".txt")).getFirst().missing();
            assertTrue(missing.toString().contains(Form.WHOLE), form + missing);
        }
        assertTrue(
                read(recorded("healthy-info.txt")).getFirst().missing().stream()
                        .anyMatch(one -> one.contains("more than 8 frames")),
                "ThreadInfo shows eight");
        assertEquals(StandardCharsets.UTF_8.name(), Form.charset(new byte[0]));
        // a mark alone says it, where no character has a zero
        byte[] little = {(byte) 0xff, (byte) 0xfe, 'a', 'b'};
        byte[] big = {(byte) 0xfe, (byte) 0xff, 'a', 'b'};
        assertEquals("UTF-16LE, UTF-16BE", Form.charset(little) + ", " + Form.charset(big));
        assertEquals("UTF-16LE", Form.charset(Arrays.copyOf(little, 2)));
        assertEquals("UTF-8", Form.charset(new byte[] {(byte) 0xff, 'b'}));
        assertEquals("UTF-8", Form.charset(new byte[] {(byte) 0xfe, 'b'}));
        assertEquals("UTF-8", Form.charset(Arrays.copyOf(little, 1)));
    }
}
