package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The programs of the notebooks, which a reader can also run alone: java Sleepers.java. */
@Tag("deep")
class ProgramsTest {

    private static final Pattern NUMBER = Pattern.compile("%[-#+ 0,(]*\\d*(\\.\\d+)?[doxefg]");
    private static final Pattern SETS_LOCALE = Pattern.compile(
            "static void main\\(.*\\{\\s+Locale\\.setDefault\\(Locale\\.Category\\.FORMAT, Locale\\.ROOT\\);");

    @Test
    void they_write_numbers_in_the_same_way_on_every_system() throws IOException {
        try (var programs = Files.list(Path.of("..", "notebooks", "programs"))) {
            int writing = 0;
            for (Path program :
                    programs.filter(file -> file.toString().endsWith(".java")).toList()) {
                var source = Files.readString(program);
                if (NUMBER.matcher(source).find()) {
                    assertTrue(SETS_LOCALE.matcher(source).find(), () -> program + ": set the locale first");
                    writing++;
                }
            }
            assertTrue(writing > 5, "the programs are elsewhere");
        }
    }

    @Test
    void a_cell_shows_the_members_that_it_names() {
        var till = Program.of("../notebooks/programs/Till.java");
        assertEquals("""
                static double price() {
                    return Prices.TEA;
                }""", till.only("price").toString());
        assertTrue(till.only("Prices", "order").shown().startsWith("static class Prices {"));
        var refused = assertThrows(IllegalArgumentException.class, () -> till.only("LEDGER"));
        assertEquals("Till.java has no method or class \"LEDGER\"", refused.getMessage());
    }

    /** As on systems that cannot limit the child: Linux without prlimit, macOS and Windows. */
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

        // without a maximum, no thread starts
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
}
