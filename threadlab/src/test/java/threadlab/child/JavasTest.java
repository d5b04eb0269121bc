package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The Javas on which a child can run, and the message for a folder without a Java. Takes less than a second. */
class JavasTest {

    private static final Path OWN = Path.of("own");

    @TempDir
    private Path folder;

    /** A folder that looks like a Java; without a release file if that is null. */
    private Path java(String name, String release) throws IOException {
        var home = folder.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        Files.createFile(home.resolve("bin").resolve("java"));
        if (release != null) {
            Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"Somebody\"\n" + release);
        }
        return home;
    }

    private static String list(Path... homes) {
        return Stream.of(homes).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
    }

    @Test
    void the_own_the_named_and_the_found_are_all_there_oldest_first() throws IOException {
        var named = java("named", "JAVA_VERSION=\"28-ea\"");
        var found = java("found", "JAVA_VERSION=\"21.0.8\"");
        var javas = Javas.of(25, OWN, list(named), list(found));
        assertEquals(List.of(21, 25, 28), List.copyOf(javas.homes().keySet()));
        assertEquals(named, javas.home(28));
        assertEquals(OWN, javas.home(25));
        assertEquals(List.of(), javas.leftOut());
    }

    @Test
    void of_one_version_the_kernels_own_counts_then_the_readers() throws IOException {
        var named = java("named", "JAVA_VERSION=\"27.0.1\"");
        var found = java("found", "JAVA_VERSION=\"27\"");
        var again = java("again", "JAVA_VERSION=\"25.0.1\"");
        var javas = Javas.of(25, OWN, list(named, again), list(found));
        assertEquals(named, javas.home(27));
        assertEquals(OWN, javas.home(25));
    }

    @Test
    void without_the_variables_there_is_the_kernels_own() {
        assertEquals(
                List.of(25), List.copyOf(Javas.of(25, OWN, null, null).homes().keySet()));
        assertEquals(List.of(25), List.copyOf(Javas.of(25, OWN, "", " ").homes().keySet()));
    }

    @ParameterizedTest
    @CsvSource({
        "missing, has no bin/java",
        "empty, has no bin/java",
        "silent, has no file \"release\" that names its version",
        "vague, has no file \"release\" that names its version",
        "old, 'is Java 17, while virtual threads need Java 21 or newer'",
        "ancient, 'is Java 8, while virtual threads need Java 21 or newer'",
    })
    void a_home_that_cannot_be_used_is_left_out_with_a_sentence_and_the_others_stay(String name, String why)
            throws IOException {
        Files.createDirectory(folder.resolve("empty"));
        java("silent", null);
        java("vague", "JAVA_VERSION=\"?\"");
        java("old", "JAVA_VERSION=\"17.0.9\"");
        java("ancient", "JAVA_VERSION=\"1.8.0_402\"");
        var bad = folder.resolve(name);
        var javas = Javas.of(25, OWN, list(bad, java("good", "JAVA_VERSION=\"27\"")), null);
        assertEquals(List.of(25, 27), List.copyOf(javas.homes().keySet()));
        assertEquals(
                List.of("THREADLAB_JAVA names %s, which %s, so it is left out.".formatted(bad, why)), javas.leftOut());
    }

    @Test
    void an_impossible_path_is_left_out() {
        var javas = Javas.of(25, OWN, "a\0b", null);
        assertEquals(1, javas.leftOut().size());
        assertTrue(javas.leftOut().toString().contains("is not a path"), javas::toString);
    }

    @Test
    void a_version_that_is_not_there_names_those_that_are_and_the_way_to_get_it() {
        var javas = Javas.of(25, OWN, "/nowhere", null);
        var other = assertThrows(IllegalArgumentException.class, () -> javas.home(27));
        assertEquals(
                "there is no Java 27 here, only Java 25: install it and name its home in THREADLAB_JAVA."
                        + " THREADLAB_JAVA names /nowhere, which has no bin/java, so it is left out.",
                other.getMessage());
        refused("tools/setup.py", () -> javas.home(21));
    }
}
