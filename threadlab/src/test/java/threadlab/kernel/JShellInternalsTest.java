package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import jdk.jshell.JShell;
import jdk.jshell.SourceCodeAnalysis;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    @Test
    void packages_are_completed_once_the_classes_are_listed_after_all(@TempDir Path folder) throws IOException {
        Files.createFile(Files.createDirectories(folder.resolve("apart/here")).resolve("Any.class"));
        try (var shell = JShell.builder().executionEngine("local").build()) {
            shell.addToClasspath(folder.toString());
            var analysis = shell.sourceCodeAnalysis();
            for (var name : List.of("suspendIndexing", "resumeIndexing", "waitBackgroundTaskFinished")) {
                assertDoesNotThrow(
                        () -> analysis.getClass().getMethod(name),
                        "JShell's SourceCodeAnalysis has no " + name + "() any more, and lists all classes at once");
            }
            JShellInternals.suspendIndexing(analysis);
            JShellInternals.resumeIndexing(analysis);
            JShellInternals.awaitIndex(analysis);
            assertEquals(List.of("here."), packages(analysis));
        }
    }

    private static List<String> packages(SourceCodeAnalysis analysis) {
        var code = "import apart.he";
        return analysis.completionSuggestions(code, code.length(), new int[1]).stream()
                .map(SourceCodeAnalysis.Suggestion::continuation)
                .toList();
    }

    @Test
    void the_class_of_a_snippet_and_the_line_of_a_frame_are_found() {
        try (var shell = JShell.builder().executionEngine("local").build()) {
            var snippet = shell.eval("int twice(int n) {\n    return 2 * n;\n}")
                    .getFirst()
                    .snippet();
            var name = assertDoesNotThrow(
                    () -> JShellInternals.className(snippet), "JShell's Snippet has no classFullName() any more");
            var frames = IntStream.range(1, 30).mapToObj(line -> new StackTraceElement(name, "twice", "", line));
            var found = frames.flatMap(frame -> JShellInternals.line(shell, frame).stream());
            assertTrue(
                    found.anyMatch(line -> line.snippet() == snippet && line.line() == 2),
                    "JShell's outerMap does not lead from a frame to its snippet any more");
            assertTrue(JShellInternals.line(shell, new StackTraceElement("java.lang.Thread", "run", "", 1))
                    .isEmpty());
        }
    }

    @Test
    void with_its_compilers_jshell_forgets_the_errors_that_would_keep_them_and_no_others() {
        try (var shell = JShell.builder().executionEngine("local").build()) {
            var refused = shell.eval("int x = \"a\";").getFirst().snippet();
            var waits = shell.eval("int twice() { return later(); }").getFirst().snippet();
            assertEquals(1, shell.diagnostics(refused).count());
            var before = shell.diagnostics(waits).toList();
            JShellInternals.freshCompiler(shell);
            assertEquals(0, shell.diagnostics(refused).count());
            assertEquals(before, shell.diagnostics(waits).toList());
            assertEquals("7", shell.eval("int y = 7;").getFirst().value());
        }
    }
}
