package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import jdk.jshell.JShell;
import org.junit.jupiter.api.Test;

/** What {@link JShellInternals} takes from JShell exists. */
class JShellInternalsTest {

    @Test
    void comments_of_a_library_are_found_once_its_sources_are_added() {
        try (var shell = JShell.builder().executionEngine("local").build()) {
            shell.addToClasspath(Path.of("target/classes").toAbsolutePath().toString());
            var analysis = shell.sourceCodeAnalysis();
            assertDoesNotThrow(
                    () -> JShellInternals.addSources(
                            analysis, Path.of("src/main/java").toAbsolutePath()),
                    "JShell's SourceCodeAnalysis has no findSources() or availableSources any more, or does not open them");
            var call = "threadlab.plot.Plots.timings(";
            var found = analysis.documentation(call, call.length(), true);
            assertTrue(
                    found.stream().anyMatch(one -> String.valueOf(one.javadoc()).contains("@param trials")),
                    "JShell does not read comments from its availableSources: " + found);
        }
    }
}
