package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.guess.FigureGuess;
import threadlab.guess.Guess;

/** Takes half a second. */
class KeptResultsTest {

    @TempDir
    private Path folder;

    private Path file() {
        return folder.resolve("find-what-pins.csv");
    }

    private Table of(String what) {
        return Results.where(KeptResults.of("find-what-pins", folder), "what", what);
    }

    private static Table run(double... seconds) {
        var trials =
                Trials.of("work", "figure (ms)").virtual(n -> seconds[n - 1]).sizes(1, 2);
        return trials.repeat(1).warmUp(0).run();
    }

    @Test
    void figures_and_claims_are_there_for_another_kernel_and_replace_earlier_ones() {
        var kernel = new KeptResults(file());
        kernel.keepFigures(run(10, 20));
        kernel.keepClaim("it holds, \"mostly\"", 1.5, "at most 2", "✔", 0.751);
        kernel.keepClaim("it is exact", 3, "exactly 2", "✘", Double.POSITIVE_INFINITY);
        var restarted = new KeptResults(file());
        restarted.keepFigures(run(30, 40));
        restarted.keepClaim("it holds, \"mostly\"", 1.9, "at most 2", "✔", 0.95);

        assertEquals(2, of("claim").rowCount());
        var claim = of("claim").row(0);
        assertEquals("it holds, \"mostly\"", claim.getString("name"));
        assertEquals(List.of(1.9, 95.0), List.of(claim.getDouble("value"), claim.getDouble("margin used (%)")));
        assertEquals("✘", of("claim").row(1).getString("held"));
        assertTrue(Double.isNaN(of("claim").row(1).getDouble("margin used (%)")));
        var figures = Results.where(of("figure"), "figure", "figure (ms)");
        assertEquals(List.of("1", "2"), figures.stringColumn("n").asList());
        assertEquals(List.of(30.0, 40.0), figures.doubleColumn("value").asList());
        assertTrue(of("machine").stringColumn("name").asList().containsAll(List.of("JDK", "CPUs", "scale")));
    }

    private static FigureGuess tasks(String figure) {
        return Guess.line("n tasks, \"asleep\"", figure, 1_000, 100_000).upTo(100);
    }

    private static FigureGuess carriers() {
        return Guess.count("carriers", "carriers").between(1, 100);
    }

    private static <G extends Guess> G recalled(KeptResults results, G guess) {
        results.recall(guess);
        return guess;
    }

    @Test
    void guesses_are_offered_again_and_shared_and_a_new_one_replaces_the_old() {
        var kernel = new KeptResults(file());
        kernel.keepClaim("it holds", 1, "at most 2", "✔", 0.5);
        kernel.keepGuess(tasks("seconds").is(3, 20));
        kernel.keepGuess(tasks("seconds").is(1.5, 4));
        kernel.keepGuess(carriers().is(40));
        var order = Guess.order("the least first", "a, \"b\"", "c").is("c", "a, \"b\"");
        kernel.keepGuess(order);
        var restarted = new KeptResults(file());
        assertEquals(
                Map.of(1_000, 1.5, 100_000, 4.0),
                recalled(restarted, tasks("seconds")).values());
        assertEquals(Map.of(), recalled(restarted, tasks("requests/s")).values(), "another figure");
        assertEquals(
                order.marks(),
                recalled(restarted, Guess.order("the least first", "a, \"b\"", "c"))
                        .marks());
        assertEquals(
                List.of(),
                recalled(restarted, Guess.order("the least first", "c", "d")).marks(),
                "other items");
        assertEquals(1, of("claim").rowCount());
        assertTrue(KeptResults.share("find-what-pins", folder).contains("claims (1), your guesses (5)"));
        restarted.keepGuess(carriers());
        assertEquals(Map.of(), recalled(restarted, carriers()).values());
        assertEquals(1, of("claim").rowCount());
    }

    @Test
    void what_came_out_stands_beside_the_guess_until_the_guess_is_shown_again() {
        var kernel = new KeptResults(file());
        var line = tasks("seconds").is(3, 20);
        line.charted("virtual", new double[] {1_000, 5_000, 100_000}, new double[] {1.1, 1.2, 1.5});
        line.charted("platform", new double[] {1_000}, new double[] {2});
        line.measured("virtual", 100_000, 1.5);
        kernel.keepGuess(line);
        kernel.keepGuess(carriers());
        assertEquals(List.of("1000", "100000"), of("measured").stringColumn("n").asList());
        assertEquals(List.of(1.1, 1.5), of("measured").doubleColumn("value").asList());
        recalled(new KeptResults(file()), tasks("seconds"));
        assertEquals(
                List.of("guess", "guess"),
                KeptResults.of("find-what-pins", folder).stringColumn("what").asList());
    }

    @Test
    void a_run_may_have_columns_of_text() {
        var load = run(10, 20).addColumns(StringColumn.create("bottleneck", "none", "CPUs"));
        var kernel = new KeptResults(file());
        kernel.keepFigures(load);
        kernel.keepClaim("it holds", 1, "at most 2", "✔", 0.5);
        assertEquals(
                Set.of("figure (ms)", "seconds"),
                of("figure").stringColumn("figure").asSet());
    }

    @Test
    void what_cannot_be_read_counts_as_empty_and_what_cannot_be_written_stops_nothing() throws Exception {
        Files.writeString(file(), "something,else\n1,2,3,\"\n");
        new KeptResults(file()).keepClaim("it holds", 1, "at most 2", "✔", 0.5);
        assertEquals(1, of("claim").rowCount());
        Files.writeString(folder.resolve("taken"), "");
        new KeptResults(folder.resolve("taken/a.csv")).keepClaim("it holds", 1, "at most 2", "✔", 0.5);
        refused("run it first", () -> KeptResults.of("06-a", folder));
    }

    @Test
    void what_could_not_be_written_comes_with_what_is_written_next() throws IOException {
        var kernel = new KeptResults(file());
        kernel.keepClaim("before", 1, "at most 2", "✔", 0.5);
        var before = Files.readString(file());
        var obstacle = Files.createDirectory(folder.resolve("find-what-pins.csv.new"));
        Files.writeString(obstacle.resolve("so that it cannot be removed"), "");
        kernel.keepFigures(run(10, 20));
        kernel.keepClaim("meanwhile", 1, "at most 2", "✔", 0.5);
        kernel.keepGuess(carriers().is(40));
        assertEquals(before, Files.readString(file()));
        assertEquals(
                Map.of(1, 40.0), recalled(kernel, carriers()).values(), "the kernel knows what it could not write");
        Files.delete(obstacle.resolve("so that it cannot be removed"));
        Files.delete(obstacle);
        kernel.keepClaim("afterwards", 1, "at most 2", "✔", 0.5);
        assertEquals(
                List.of("before", "meanwhile", "afterwards"),
                of("claim").stringColumn("name").asList());
        assertEquals(4, of("figure").rowCount());
        assertEquals(1, of("guess").rowCount());
        assertFalse(Files.exists(folder.resolve("find-what-pins.csv.new")));
    }

    @Test
    void a_shared_file_holds_what_was_kept_and_neither_names_nor_paths() throws IOException {
        new KeptResults(file()).keepClaim("it holds", 1, "at most 2", "✔", 0.5);
        var said = KeptResults.share("07-find-what-pins", folder);
        var files = folder.resolve("shared").toFile().listFiles();
        assertEquals(1, files.length);
        assertTrue(files[0].getName().matches("find-what-pins-[0-9a-f]{8}\\.csv"), said);
        assertTrue(said.contains("figures (0) and claims (1)"), said);
        var text = Files.readString(files[0].toPath());
        assertEquals(Files.readString(file()), text);
        for (String word : List.of(System.getProperty("user.home"), System.getProperty("user.name") + ",", "/")) {
            assertFalse(text.contains(word), text);
        }
        KeptResults.share("07-find-what-pins", folder);
        assertEquals(1, folder.resolve("shared").toFile().listFiles().length, "the same results are the same file");
    }

    @Test
    void what_cannot_be_shared_is_said_in_a_sentence() throws IOException {
        assertThrows(IllegalStateException.class, () -> KeptResults.share("../find-what-pins", folder));
        assertThrows(IllegalStateException.class, () -> KeptResults.share("07-find-what-pins", folder));
        new KeptResults(file()).keepClaim("it holds", 1, "at most 2", "✔", 0.5);
        Files.writeString(folder.resolve("shared"), "a file where the folder should be");
        refused(
                "cannot be written (a file is where its folder should be): free space on the disk, or make",
                () -> KeptResults.share("07-find-what-pins", folder));
    }
}
