package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.Table;

class PublishedTest {

    private final Table published =
            Table.read().csv(Path.of("../data/published/published.csv").toFile());

    @Test
    void a_figure_is_given_in_the_unit_that_was_asked_for() {
        var start = Published.of(published, "cost of one thread, as printed", "creation time", "us");
        assertEquals(1_000, start.at("platform", 1), 1e-9, "printed as 1 ms");
        assertEquals(1, start.at("virtual", 1), 1e-9);
        var latency = Published.of(published, "GET with a 100 ms wait, k6, 60 s", "latency, mean", "s");
        assertEquals(0.10922, latency.at("WebFlux", 200), 1e-9);
        assertEquals(latency.at("WebFlux", 200), latency.at("sharing", 200));
    }

    @Test
    void a_run_that_failed_has_no_figure() {
        assertTrue(Double.isNaN(Published.of(published, "fetchById, sleep 1 s", "wall time", "s")
                .at("platform", 20_000)));
    }

    @Test
    void what_is_not_printed_is_refused_with_what_is() {
        refused("no row of \"published.csv\" holds \"GET\"", () -> Published.of(published, "GET", "rate", "ops/s"));
        refused("there are \"stack size\", \"creation time\"", "cost of one thread, as printed", "price", "us");
        refused(
                "printed in ms cannot be converted to kB: ask for ms or s",
                "cost of one thread, as printed",
                "creation time",
                "kB");
        var sleep = Published.of(published, "sleep 1 s per task", "wall time", "s");
        refused("5 rows", () -> sleep.at("virtual", 10_000));
        refused("has no row at 7", () -> sleep.at("virtual", 7));
    }

    private void refused(String part, String workload, String metric, String unit) {
        refused(part, () -> Published.of(published, workload, metric, unit));
    }

    private static void refused(String part, Runnable code) {
        var message = assertThrows(IllegalArgumentException.class, code::run).getMessage();
        assertEquals(part, message.contains(part) ? part : message);
    }
}
