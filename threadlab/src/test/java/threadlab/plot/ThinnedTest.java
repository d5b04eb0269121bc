package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.knowm.xchart.BubbleChartBuilder;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.OHLCChartBuilder;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

class ThinnedTest {

    private static final int POINTS = 100_000;

    @ParameterizedTest
    @EnumSource(
            value = XYSeriesRenderStyle.class,
            names = {"Line", "Scatter"})
    void no_extreme_is_left_out_and_the_chart_is_as_before_afterwards(XYSeriesRenderStyle style) {
        var random = new Random(1);
        double[] x = random.doubles(POINTS).toArray();
        double[] y = random.doubles(POINTS).toArray();
        y[77_777] = 50;
        y[3] = -50;
        x[55_555] = 9;
        var chart = new XYChartBuilder().width(400).height(300).build();
        chart.getStyler().setDefaultSeriesRenderStyle(style);
        var series = chart.addSeries("a", x, y);
        try (var thinned = Thinned.of(chart)) {
            assertTrue(series.getXData().length < POINTS / 10, "" + series.getXData().length);
            assertEquals(50, DoubleStream.of(series.getYData()).max().orElseThrow());
            assertEquals(-50, DoubleStream.of(series.getYData()).min().orElseThrow());
            assertEquals(9, DoubleStream.of(series.getXData()).max().orElseThrow());
            assertEquals(1, thinned.said().size());
        }
        assertEquals(POINTS, series.getXData().length);
    }

    @Test
    void the_largest_bubble_of_a_square_is_drawn() {
        double[] x = new Random(1).doubles(POINTS).toArray();
        double[] sizes = new Random(2).doubles(POINTS).toArray();
        sizes[77_777] = 9;
        var chart = new BubbleChartBuilder().width(400).height(300).build();
        var series = chart.addSeries("a", x, x, sizes);
        try (var thinned = Thinned.of(chart)) {
            assertTrue(series.getXData().length < POINTS / 10, "" + series.getXData().length);
            assertEquals(9, DoubleStream.of(series.getExtraValues()).max().orElseThrow());
            assertEquals(1, thinned.said().size());
        }
        assertEquals(POINTS, series.getXData().length);
    }

    @Test
    void a_candle_that_joins_others_has_their_highest_and_lowest_value() {
        double[] x = IntStream.range(0, POINTS).asDoubleStream().toArray();
        double[] low = new Random(1).doubles(POINTS).toArray();
        double[] high = DoubleStream.of(low).map(d -> d + 1).toArray();
        high[77_777] = 9;
        low[3] = -9;
        var chart = new OHLCChartBuilder().build();
        var series = chart.addSeries("a", x, low, high, low, high);
        try (var thinned = Thinned.of(chart)) {
            assertTrue(series.getXData().length <= 500, "" + series.getXData().length);
            assertEquals(9, DoubleStream.of(series.getHighData()).max().orElseThrow());
            assertEquals(-9, DoubleStream.of(series.getLowData()).min().orElseThrow());
            assertEquals(1, thinned.said().size());
        }
        assertEquals(POINTS, series.getXData().length);
    }

    @Test
    void a_chart_that_can_be_drawn_stays_as_it_is() {
        var chart = new XYChartBuilder().build();
        chart.addSeries("a", new double[] {1, 2}, new double[] {3, Double.NaN});
        try (var thinned = Thinned.of(chart)) {
            assertEquals(List.of(), thinned.said());
        }
    }

    @Test
    void labels_that_would_overlap_are_turned_and_some_left_out() {
        var chart = new CategoryChartBuilder().width(800).build();
        var names = IntStream.range(0, 161).mapToObj(i -> "name " + i).toList();
        chart.addSeries("a", names, Collections.nCopies(161, 2));
        try (var thinned = Thinned.of(chart)) {
            assertEquals(90, chart.getStyler().getXAxisLabelRotation());
            assertTrue(chart.getStyler().getXAxisMaxLabelCount() < 161);
            assertEquals(1, thinned.said().size());
        }
        assertEquals(0, chart.getStyler().getXAxisLabelRotation());
    }
}
