package threadlab.plot;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.stream.IntStream;
import org.knowm.xchart.BubbleChart;
import org.knowm.xchart.BubbleSeries;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.OHLCChart;
import org.knowm.xchart.OHLCSeries;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.AxesChartStyler;

/**
 * Makes a chart of any size fit to be drawn, until it is closed. XChart takes a minute for 400,000 points, of which a
 * picture shows a few thousand, and writes the labels of many categories over each other.
 */
final class Thinned implements AutoCloseable {

    /** Points or categories that are drawn as they are. */
    private static final int MANY = 10_000;

    private static final int MANY_CATEGORIES = 1_000;

    /** Pixels of a chart's width beside its plot, and between two labels. */
    private static final int BESIDE = 100;

    private static final int BETWEEN = 4;

    /** Half the width of a marker, in pixels. */
    private static final int SQUARE = 4;

    private final Deque<Runnable> back = new ArrayDeque<>();
    private final List<String> said = new ArrayList<>();

    private Thinned() {}

    /**
     * Thins what is too much for a chart's size.
     *
     * @param chart any
     * @return to be closed when the chart is drawn
     */
    static Thinned of(Chart<?, ?> chart) {
        var thinned = new Thinned();
        switch (chart) {
            case XYChart points -> points.getSeriesCollection().forEach(series -> thinned.points(points, series));
            case BubbleChart bubbles ->
                bubbles.getSeriesCollection().forEach(series -> thinned.bubbles(bubbles, series));
            case OHLCChart candles -> candles.getSeriesCollection().forEach(series -> thinned.candles(candles, series));
            case CategoryChart bars -> {
                thinned.categories(bars);
                thinned.labels(bars);
            }
            default -> {}
        }
        return thinned;
    }

    /** {@return what a reader must know, in sentences; none if the chart is drawn as it is} */
    List<String> said() {
        return said;
    }

    /** Gives the chart back what it had. */
    @Override
    public void close() {
        back.forEach(Runnable::run);
    }

    private void points(XYChart chart, XYSeries series) {
        double[] x = series.getXData();
        double[] y = series.getYData();
        double[] extra = series.getExtraValues();
        if (x.length <= MANY) {
            return;
        }
        boolean apart = series.getXYSeriesRenderStyle().orElse(chart.getStyler().getDefaultSeriesRenderStyle())
                == XYSeriesRenderStyle.Scatter;
        int[] kept =
                apart ? cells(chart, chart.getStyler(), x, y, new double[x.length]) : extremes(chart.getWidth(), y, x);
        series.replaceData(of(x, kept), of(y, kept), extra == null ? null : of(extra, kept));
        back.push(() -> series.replaceData(x, y, extra));
        var which = apart
                ? "one for each square of %d pixels".formatted(SQUARE)
                : "of each pixel's width the first, last, lowest and highest";
        said.add("%s: drawn are %,d of %,d points, %s; no extreme is left out."
                .formatted(series.getName(), kept.length, x.length, which));
    }

    private void bubbles(BubbleChart chart, BubbleSeries series) {
        double[] x = series.getXData();
        double[] y = series.getYData();
        double[] sizes = series.getExtraValues();
        if (x.length <= MANY_CATEGORIES) {
            return;
        }
        int[] kept = cells(chart, chart.getStyler(), x, y, sizes);
        series.replaceData(of(x, kept), of(y, kept), of(sizes, kept));
        back.push(() -> series.replaceData(x, y, sizes));
        if (kept.length < x.length) {
            said.add(
                    "%s: drawn are %,d of %,d bubbles, the largest of each square of %d pixels; no extreme is left out."
                            .formatted(series.getName(), kept.length, x.length, SQUARE));
        }
    }

    /** Joins candles beside each other into one, as if each took more time. */
    private void candles(OHLCChart chart, OHLCSeries series) {
        var name = series.getName();
        double[] x = series.getXData();
        double[] open = series.getOpenData();
        double[] high = series.getHighData();
        double[] low = series.getLowData();
        double[] close = series.getCloseData();
        long[] volume = series.getVolumeData();
        if (open == null || x.length <= MANY_CATEGORIES) {
            return; // the series is a line
        }
        int joined = Math.ceilDiv(x.length, MANY_CATEGORIES / 2);
        int n = Math.ceilDiv(x.length, joined);
        int[] first = IntStream.range(0, n).map(i -> i * joined).toArray();
        int[] last =
                IntStream.of(first).map(i -> Math.min(i + joined, x.length) - 1).toArray();
        double[] highest = IntStream.range(0, n)
                .mapToDouble(
                        i -> Arrays.stream(high, first[i], last[i] + 1).max().orElseThrow())
                .toArray();
        double[] lowest = IntStream.range(0, n)
                .mapToDouble(
                        i -> Arrays.stream(low, first[i], last[i] + 1).min().orElseThrow())
                .toArray();
        chart.updateOHLCSeries(name, of(x, first), of(open, first), highest, lowest, of(close, last));
        back.push(() -> chart.updateOHLCSeries(name, x, open, high, low, close, volume));
        said.add("%s: each of %,d candles joins %d; no highest and no lowest value is left out."
                .formatted(name, n, joined));
    }

    /** Of each of some stretches its first and last place and those of the least and greatest values. */
    private static int[] extremes(int stretches, double[]... values) {
        int n = values[0].length;
        var kept = IntStream.builder();
        for (int s = 0; s < stretches; s++) {
            int from = (int) ((long) n * s / stretches);
            int until = (int) ((long) n * (s + 1) / stretches);
            kept.add(from);
            kept.add(until - 1);
            for (double[] each : values) {
                int least = from;
                int greatest = from;
                for (int i = from; i < until; i++) {
                    least = each[i] < each[least] || Double.isNaN(each[least]) ? i : least;
                    greatest = each[i] > each[greatest] || Double.isNaN(each[greatest]) ? i : greatest;
                }
                kept.add(least);
                kept.add(greatest);
            }
        }
        return kept.build().sorted().distinct().toArray();
    }

    /** The first of the largest points of each square of some pixels, and where the extremes are. */
    private static int[] cells(Chart<?, ?> chart, AxesChartStyler styler, double[] x, double[] y, double[] sizes) {
        var across = new Scale(x, styler.isXAxisLogarithmic(), chart.getWidth() / SQUARE);
        var up = new Scale(y, styler.isYAxisLogarithmic(), chart.getHeight() / SQUARE);
        int columns = chart.getHeight() / SQUARE + 1;
        int[] largest = new int[(chart.getWidth() / SQUARE + 1) * columns];
        Arrays.fill(largest, -1);
        for (int i = 0; i < x.length; i++) {
            int cell = across.of(x[i]) * columns + up.of(y[i]);
            if (largest[cell] < 0 || sizes[i] > sizes[largest[cell]]) {
                largest[cell] = i;
            }
        }
        return IntStream.concat(IntStream.of(largest).filter(i -> i >= 0), IntStream.of(extremes(1, x, y, sizes)))
                .sorted()
                .distinct()
                .toArray();
    }

    private static final class Scale {

        private final double least;
        private final double greatest;
        private final boolean log;
        private final int pixels;

        Scale(double[] values, boolean log, int pixels) {
            least = Arrays.stream(values).filter(Double::isFinite).min().orElse(0);
            greatest = Arrays.stream(values).filter(Double::isFinite).max().orElse(1);
            this.log = log && least > 0;
            this.pixels = pixels;
        }

        int of(double value) {
            double from = log ? Math.log(least) : least;
            double range = (log ? Math.log(greatest) : greatest) - from;
            return range == 0
                    ? 0
                    : Math.clamp(Math.round(((log ? Math.log(value) : value) - from) / range * pixels), 0, pixels);
        }
    }

    private void categories(CategoryChart chart) {
        var all = chart.getSeriesCollection();
        int most =
                all.stream().mapToInt(series -> series.getYData().length).max().orElse(0);
        int least =
                all.stream().mapToInt(series -> series.getYData().length).min().orElse(0);
        if (most <= MANY_CATEGORIES || least < most) {
            return;
        }
        double[][] values = all.stream().map(CategorySeries::getYData).toArray(double[][]::new);
        int[] kept = extremes(MANY_CATEGORIES / 4, values);
        for (var series : all) {
            var x = List.copyOf(series.getXData());
            double[] y = series.getYData();
            double[] extra = series.getExtraValues();
            series.replaceData(
                    Arrays.stream(kept).mapToObj(x::get).toList(), of(y, kept), extra == null ? null : of(extra, kept));
            back.push(() -> series.replaceData(x, y, extra));
        }
        said.add("Drawn are %,d of %,d categories, the lowest and highest of each stretch among them."
                .formatted(kept.length, most));
    }

    /** Turns labels that would overlap, and where that is not enough leaves some out. */
    private void labels(CategoryChart chart) {
        var styler = chart.getStyler();
        var names = chart.getSeriesCollection().stream()
                .flatMap(series -> series.getXData().stream())
                .map(String::valueOf)
                .distinct()
                .toList();
        if (names.isEmpty() || styler.getXAxisLabelRotation() != 0 || styler.getXAxisMaxLabelCount() > 0) {
            return;
        }
        var font = styler.getAxisTickLabelsFont();
        int room = chart.getWidth() - BESIDE;
        double widest =
                names.stream().mapToDouble(name -> width(font, name)).max().orElse(0) + BETWEEN;
        if (widest * names.size() <= room) {
            return;
        }
        int fit = (int) (room / (font.getSize2D() + BETWEEN));
        styler.setXAxisLabelRotation(90);
        back.push(() -> styler.setXAxisLabelRotation(0));
        styler.setXAxisMaxLabelCount(Math.min(names.size(), fit));
        back.push(() -> styler.setXAxisMaxLabelCount(0));
        if (names.size() > fit) {
            said.add("Of %,d categories some are labelled, because there is room for %d: a wider chart labels more."
                    .formatted(names.size(), fit));
        }
    }

    private static double width(Font font, String text) {
        return font.getStringBounds(text, new FontRenderContext(null, true, true))
                .getWidth();
    }

    private static double[] of(double[] values, int[] kept) {
        return Arrays.stream(kept).mapToDouble(i -> values[i]).toArray();
    }
}
