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
