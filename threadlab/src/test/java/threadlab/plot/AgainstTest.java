package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

@Timeout(60)
class AgainstTest {

    private final Table results = Table.create(
            "ways to wait",
            StringColumn.create("what", "lock", "lock", "monitor", "monitor", "monitor", "monitor"),
            StringColumn.create("contender", "virtual", "platform", "virtual", "virtual", "virtual", "platform"),
            StringColumn.create("kind", "virtual", "platform", "virtual", "virtual", "virtual", "platform"),
            DoubleColumn.create("seconds", 0.5, 0.5, 1.9, 2.0, 2.6, 0.5),
            DoubleColumn.create("predicted", 0.5, 0.5, 2.1, 2.1, 2.1, 0.5));

    @Test
    void the_figures_are_those_of_the_lane_where_they_are_furthest_apart() {
        var chart = Plots.titled("A sentence", Against.predicted(results, "seconds", "predicted"));
        assertEquals("A sentence\nmonitor: virtual 2.00 s; platform 0.500 s", chart.getTitle());
        chart.setTitle("A sentence\nwith its own figures");
        assertEquals("A sentence\nwith its own figures", chart.getTitle());
    }

    @Test
    void lanes_are_drawn_without_a_table() {
        var chart = Plots.lanes("served (%)", "explained")
                .lane("faulty", "virtual", 24, 20)
                .lane("repaired", "virtual, a door", 100, 100)
                .lane("repaired", "a queue", 90, 100)
                .chart("A sentence");
        assertEquals("A sentence\nrepaired: virtual, a door 100 %; a queue 90.0 %", chart.getTitle());
        assertXs(chart, "virtual, explained", 20);
        var alone = Plots.lanes("ms", "rule").lane("a", "virtual", 1, 1).lane("b", "virtual", 3, 3);
        assertEquals("A sentence\nb: 3.00; a: 1.00", alone.chart("A sentence").getTitle());
    }

    @Test
    void where_no_lane_is_shared_a_number_has_its_kind_of_thread_beside_it_and_else_its_contender() {
        var own = Plots.lanes("ms", "rule")
                .lane("old client", "virtual, the old client", 1.5, 1)
                .lane("WebFlux", "WebFlux", 3.5, 3);
        assertEquals(
                "1.50 virtual",
                own.chart("A sentence")
                        .getSeries("number of virtual, the old client, 0")
                        .getMarker()
                        .toString());
        assertEquals(
                "3.50",
                own.chart("A sentence")
                        .getSeries("number of WebFlux, 0")
                        .getMarker()
                        .toString());
        var shared = own.lane("WebFlux", "platform", 2.5, 3).chart("A sentence");
        assertEquals(
                "3.50 WebFlux",
                shared.getSeries("number of WebFlux, 0").getMarker().toString());
    }

    @Test
    void what_is_predicted_has_the_name_that_the_caller_gives_it_and_one_line_where_it_is_the_same_for_all() {
        assertXs(Against.predicted(results, "seconds", "ideal"), "virtual, ideal", 2.1, 0.5);
        results.doubleColumn("predicted").set(results.doubleColumn("predicted").isNotMissing(), 1.5);
        var line = Against.predicted(results, "seconds", "ideal").getSeries("ideal");
        assertArrayEquals(new double[] {1.5, 1.5}, line.getXData());
        assertArrayEquals(new double[] {-0.5, 1.5}, line.getYData());
    }

    @Test
    void lanes_with_long_names_are_painted() {
        var what = results.stringColumn("what");
        what.set(what.isEqualTo("lock"), "a lock whose name is very long, 1");
        what.set(what.isEqualTo("monitor"), "a lock whose name is very long, 2");
        CardTest.draw(Against.predicted(results, "seconds", "predicted"));
    }

    @Test
    void a_number_stands_at_the_end_of_its_range_or_above_its_mark_where_the_range_fills_the_lane() {
        var wide = Table.create(
                "p90",
                StringColumn.create("what", "default", "default", "default", "ideal", "ideal", "ideal"),
                StringColumn.create("contender", "virtual", "virtual", "virtual", "ideal", "ideal", "ideal"),
                StringColumn.create("kind", "virtual", "virtual", "virtual", "other", "other", "other"),
                DoubleColumn.create("p90 (ms)", 88, 223, 379, 60, 120, 140),
                DoubleColumn.create("predicted", 20, 20, 20, 20, 20, 20));
        var chart = Against.predicted(wide, "p90 (ms)", "the wait itself");
        // beside the end of the bar, wherever the plot ends
        assertXs(chart, "number of ideal, 0", 140);
        var number = chart.getSeries("number of virtual, 0").getMarker();
        assertEquals("223 virtual", number.toString());
        var picture = new BufferedImage(400, 60, BufferedImage.TYPE_INT_RGB);
        number.paint(picture.createGraphics(), 200, 30, 1);
        assertEquals(200, CardTest.ink(picture).getCenterX(), 10, "above its mark, where there is room");
    }

    @Test
    void a_chart_of_loads_that_got_no_answer_is_painted() {
        var seconds = results.doubleColumn("seconds");
        seconds.set(seconds.isNotMissing(), Double.NaN);
        CardTest.draw(Against.predicted(results, "seconds", "predicted"));
        var predicted = results.doubleColumn("predicted");
        predicted.set(predicted.isNotMissing(), Double.NaN);
        CardTest.draw(Against.predicted(results, "seconds", "predicted"));
    }

    @Test
    void a_mark_without_company_is_in_the_middle_of_its_lane() {
        var alone = results.where(results.stringColumn("contender").isEqualTo("virtual"));
        var marks = Against.predicted(alone, "seconds", "predicted").getSeries("virtual");
        assertArrayEquals(new double[] {1, 0}, marks.getYData());
    }

    @Test
    void marks_are_medians_and_rings_are_predictions_on_the_same_heights() {
        var chart = Against.predicted(results, "seconds", "predicted");
        assertXs(chart, "virtual", 2.0, 0.5);
        assertXs(chart, "virtual, predicted", 2.1, 0.5);
        var rings = chart.getSeries("virtual, predicted");
        assertArrayEquals(chart.getSeries("virtual").getYData(), rings.getYData());
        assertXs(chart, "range of virtual, 0", 1.9, 2.6);
    }

    private static void assertXs(XYChart chart, String series, double... x) {
        assertArrayEquals(x, chart.getSeries(series).getXData());
    }

    @Test
    void a_table_without_a_prediction_is_refused() {
        var without = results.rejectColumns("predicted");
        assertThrows(IllegalArgumentException.class, () -> Against.predicted(without, "seconds", "predicted"));
    }
}
