package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The programs of the notebooks, which a reader also runs alone: java Sleepers.java. */
class ProgramsTest {

    private static final Pattern FORMATTED =
            Pattern.compile("printf\\(\\s*\"|String\\.format\\(\\s*\"|\"(?=\\s*\\.formatted\\()");
    private static final Pattern NUMBER = Pattern.compile("%[-#+ 0,(]*\\d*(\\.\\d+)?[doxefg]");

    /** The lines that write a number as the language of the system wants it, such as 0,5 in a CSV. */
    private static List<String> localized(String source) {
        var found = new ArrayList<String>();
        var matcher = FORMATTED.matcher(source);
        while (matcher.find()) {
            int from = source.lastIndexOf('\n', matcher.start()) + 1;
            var statement = source.substring(from, source.indexOf(';', from) + 1);
            if (NUMBER.matcher(statement).find()) {
                found.add(statement.strip());
            }
        }
        return found;
    }

    @Test
    void they_write_numbers_in_the_same_way_on_every_system() throws IOException {
        try (var programs = Files.list(Path.of("..", "notebooks", "programs"))) {
            int read = 0;
            for (Path program :
                    programs.filter(file -> file.toString().endsWith(".java")).toList()) {
                assertEquals(List.of(), localized(Files.readString(program)), () -> program + ": name Locale.ROOT");
                read++;
            }
            assertTrue(read > 5, "the programs are elsewhere");
        }
    }

    /** As where the system cannot limit the child: without prlimit on Linux, on macOS and on Windows. */
    @Test
    void the_ones_that_look_for_a_limit_on_threads_stop_at_the_most_that_they_are_given() throws Exception {
        assertEquals(List.of(), limits("no such folder"));
        var until = program("UntilItStops.java").arguments(600).quiet().run();
        assertEquals(ExitReason.FAILED, until.reason(), until.explanation());
        assertTrue(until.explanation().contains("no limit of the system was met by 600 threads"), until.explanation());
        assertTrue(until.peakThreads() < 700, () -> until.peakThreads() + " threads");

        var pool = program("FetchAll.java")
                .arguments("platform", 2_000, 100)
                .columns("contender", "kind", "n", "users", "seconds", "platform threads")
                .quiet()
                .run();
        assertEquals(ExitReason.FAILED, pool.reason(), pool.explanation());
        assertTrue(pool.output().contains("a pool of 2000 threads is too large: it may start 100"), pool.output());
        assertTrue(pool.peakThreads() < 200, () -> pool.peakThreads() + " threads");

        // without a maximum not one thread
        assertEquals(
                ExitReason.FAILED, program("UntilItStops.java").quiet().run().reason());
    }

    private static ChildJvm program(String name) {
        return ChildJvm.of("../notebooks/programs/" + name);
    }

    private static List<String> limits(String path) {
        var limits = new LinuxLimits(path);
        limits.threads(600);
        return limits.command();
    }

    @Test
    void the_rule_finds_what_it_forbids() {
        assertEquals(
                1, localized("System.out.println(\"%s,%.3f\".formatted(a, b));").size());
        assertEquals(
                1,
                localized("System.out.println(\"%s,%,d\"\n    .formatted(a, b));")
                        .size());
        assertEquals(1, localized("System.out.printf(\"%d%n\", a);").size());
        assertEquals(1, localized("var x = String.format(\n    \"%05.1f\", a);").size());
        assertEquals(List.of(), localized("System.out.printf(Locale.ROOT, \"%d%n\", a);"));
        assertEquals(List.of(), localized("System.out.println(\"%s,%s\".formatted(a, b));"));
    }
}
