package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

class AgainstPredictedTest {

    private final Table results = Table.create(
            "ways to wait",
            StringColumn.create("what", "lock", "lock", "monitor", "monitor", "monitor", "monitor"),
            StringColumn.create("contender", "virtual", "platform", "virtual", "virtual", "virtual", "platform"),
            StringColumn.create("kind", "virtual", "platform", "virtual", "virtual", "virtual", "platform"),
            DoubleColumn.create("seconds", 0.5, 0.5, 1.9, 2.0, 2.6, 0.5),
            DoubleColumn.create("predicted", 0.5, 0.5, 2.1, 2.1, 2.1, 0.5));

    @Test
    void the_title_names_the_lane_where_they_are_furthest_apart() {
        var chart = Plots.againstPredicted(results, "seconds");
        assertEquals("monitor: virtual takes 4 × as long as platform", chart.getTitle());
    }

    @Test
    void next_to_nothing_is_no_base_for_a_factor() {
        results.doubleColumn("seconds").set(5, 0.001);
        var chart = Plots.againstPredicted(results, "seconds");
        assertEquals("monitor: 2 s for virtual, 0.001 s for platform", chart.getTitle());
        results.column("seconds").setName("wait (ms)");
        assertEquals(
                "monitor: 2 ms for virtual, 0.001 ms for platform",
                Plots.againstPredicted(results, "wait (ms)").getTitle());
    }

    @Test
    void marks_are_medians_and_rings_are_predictions_on_the_same_heights() {
        var chart = Plots.againstPredicted(results, "seconds");
        assertArrayEquals(new double[] {0.5, 2.0}, chart.getSeries("virtual").getXData());
        assertArrayEquals(
                new double[] {0.5, 2.1}, chart.getSeries("virtual, predicted").getXData());
        assertArrayEquals(
                chart.getSeries("virtual").getYData(),
                chart.getSeries("virtual, predicted").getYData());
        assertEquals(4, chart.getSeries("virtual (trials)").getXData().length);
    }

    @Test
    void a_table_without_a_prediction_is_refused() {
        var without = results.rejectColumns("predicted");
        assertThrows(IllegalArgumentException.class, () -> Plots.againstPredicted(without, "seconds"));
    }
}
