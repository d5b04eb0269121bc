package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.Table;

class PublishedTest {

    private static final String COST = "cost of one thread, as printed";
    private final Table published =
            Table.read().csv(Path.of("../data/published/published.csv").toFile());

    @Test
    void a_figure_is_given_in_the_unit_that_was_asked_for() {
        var start = of(COST, "creation time", "us");
        assertEquals(1_000, start.at("platform", 1), 1e-9, "printed as 1 ms");
        assertEquals(1, start.at("virtual", 1), 1e-9);
        var latency = of("GET with a 100 ms wait, k6, 60 s", "latency, mean", "s");
        assertEquals(0.10922, latency.at("WebFlux", 200), 1e-9);
        assertEquals(latency.at("WebFlux", 200), latency.at("sharing", 200));
    }

    @Test
    void a_run_that_failed_has_no_figure() {
        assertTrue(Double.isNaN(of("fetchById, sleep 1 s", "wall time", "s").at("platform", 20_000)));
    }

    @Test
    void what_is_not_printed_is_refused_with_what_is() {
        refused("no row of \"published.csv\" holds \"GET\"", () -> of("GET", "rate", "ops/s"));
        refused("there are \"stack size\", \"creation time\"", () -> of(COST, "price", "us"));
        refused("printed in ms cannot be converted to kB: ask for ms or s", () -> of(COST, "creation time", "kB"));
        var sleep = of("sleep 1 s per task", "wall time", "s");
        refused("5 rows", () -> sleep.at("virtual", 10_000));
        refused("has no row at 7", () -> sleep.at("virtual", 7));
    }

    private Published of(String workload, String metric, String unit) {
        return Published.of(published, workload, metric, unit);
    }
}
