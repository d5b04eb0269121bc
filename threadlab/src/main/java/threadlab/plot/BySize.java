package threadlab.plot;

import java.awt.BasicStroke;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Table;
import threadlab.guess.FigureGuess;
import threadlab.measure.Results;
import threadlab.support.Arguments;

/** Draws trials against their size: the range of the trials as a bar, the median of a contender at a size as a mark. */
final class BySize {

    /** An axis is logarithmic where its largest value is this many times its smallest. */
    private static final double WIDE = 20;

    private static final int CURVE = 600;
    /** Two medians this close hide each other. */
    private static final double SAME = 0.05;

    private final Card chart;
    private final Table trials;
    private final String figure;
    private final Contenders contenders;
    private final Table spread;

    private BySize(Card chart, Table trials, String figure) {
        Results.require(trials, "contender", "n", figure);
        this.chart = chart;
        this.trials = trials;
        this.figure = figure;
        this.contenders = new Contenders(trials);
        var all = Results.spread(trials, figure);
        this.spread = all.where(all.doubleColumn("median").isNotMissing());
        var none = "no trial of \"%s\" ended well: look at the column \"outcome\"";
        Arguments.require(!spread.isEmpty(), none, trials.name());
    }

    static XYChart chart(Table trials, String figure) {
        var drawing = new BySize(new Card(trials.name(), Findings.axis(figure)), trials, figure);
        drawing.draw(Theme.SOLID);
        return drawing.figures(Findings.comparison(drawing.spread, drawing.contenders, figure));
    }

    static XYChart onPrediction(Table trials, String figure, String name, DoubleUnaryOperator predicted) {
        Results.require(trials, "n", figure);
        var chart = new Card(trials.name(), Findings.axis(figure));
        var x = between(trials.intColumn("n").min(), trials.intColumn("n").max());
        line(chart, name, x, Arrays.stream(x).map(predicted).toArray());
        var drawing = new BySize(chart, trials, figure);
        drawing.draw(SeriesLines.NONE);
        return drawing.figures(Findings.agreement(drawing.spread, drawing.contenders, figure, predicted));
    }

    private XYChart figures(String figures) {
        return chart.figures(figures + Findings.failures(trials));
    }

    /** Draws the ranges of the trials as bars and the medians as marks, with or without a line. */
    private void draw(BasicStroke line) {
        for (String contender : contenders.names()) {
            var look = contenders.look(contender);
            var own = Contenders.rows(spread, contender);
            if (own.isEmpty()) {
                continue; // none of its trials ended well
            }
            var sizes = Plots.doubles(own, "n");
            ranges(contender, sizes, own, look);
            var heights = Plots.doubles(own, "median");
            var medians = chart.addSeries(contender, sizes, heights);
            // where marks coincide, a ring around the earlier one: a second mark would hide it
            int rings = ringsAround(medians);
            medians.setMarker(rings == 0 ? look.marker() : Theme.RINGS.get(rings - 1));
            medians.setMarkerColor(look.color());
            medians.setLineColor(look.color());
            medians.setLineStyle(line);
        }
        chart.spread(Findings.trials(Plots.doubles(spread, "ok")));
        chart.sizes(Plots.doubles(trials, "n"));
        var style = chart.getStyler();
        if (wide(DoubleStream.of(Plots.doubles(trials, "n")))) {
            style.setXAxisLogarithmic(true);
        } else {
            style.setXAxisMin(0.0);
        }
        // a trial or a prediction may be 0, which a logarithmic axis does not have
        boolean above = chart.getSeriesCollection().stream().allMatch(series -> series.getYMin() > 0);
        if (above && wide(DoubleStream.of(Plots.doubles(spread, "median")))) {
            style.setYAxisLogarithmic(true);
        } else {
            style.setYAxisMin(0.0);
        }
    }

    private void ranges(String contender, double[] sizes, Table own, Theme.Look look) {
        var x = new ArrayList<Double>();
        var y = new ArrayList<Double>();
        for (int i = 0; i < sizes.length; i++) {
            x.addAll(List.of(sizes[i], sizes[i], sizes[i]));
            y.addAll(List.of(own.row(i).getDouble("min"), own.row(i).getDouble("max"), Double.NaN));
        }
        range(chart.addSeries(contender + " (trials)", x, y), look);
    }

    /** Draws a series as bars from the least to the largest trial. */
    static void range(XYSeries series, Theme.Look look) {
        series.setMarker(SeriesMarkers.NONE);
        // there are no marks, but later drawing takes the colour of the bars from the marks' colour
        series.setMarkerColor(look.faint());
        series.setLineColor(look.faint());
        series.setLineStyle(Theme.RANGE);
        series.setShowInLegend(false);
    }

    /**
     * The number of the ring that a series gets, or 0 for none. A series with at least half of its marks in the places
     * of others gets the ring beyond theirs.
     */
    private int ringsAround(XYSeries series) {
        return chart.getSeriesCollection().stream()
                .filter(other -> other != series && other.isShowInLegend() && other.getMarker() != SeriesMarkers.NONE)
                .filter(other -> 2 * together(series, other) >= series.getXData().length)
                .mapToInt(other -> Math.min(Theme.RINGS.size(), Theme.RINGS.indexOf(other.getMarker()) + 2))
                .max()
                .orElse(0);
    }

    private static long together(XYSeries one, XYSeries other) {
        return IntStream.range(0, one.getXData().length)
                .filter(i -> IntStream.range(0, other.getXData().length).anyMatch(j -> same(one, i, other, j)))
                .count();
    }

    private static boolean same(XYSeries one, int i, XYSeries other, int j) {
        return one.getXData()[i] == other.getXData()[j] && Math.abs(one.getYData()[i] / other.getYData()[j] - 1) < SAME;
    }

    /** Draws the medians of another run over a chart, as empty marks. */
    static XYChart beside(XYChart chart, String whose, Table other, String figure) {
        var spread = Results.spread(other, figure);
        var contenders = new Contenders(other);
        for (String contender : contenders.names()) {
            var own = Contenders.rows(spread, contender);
            var look = contenders.look(contender);
            var name = contenders.shortName(contender) + ", " + whose;
            var series = chart.addSeries(name, Plots.doubles(own, "n"), Plots.doubles(own, "median"));
            series.setMarker(Theme.RING);
            series.setMarkerColor(look.color());
            series.setLineColor(look.faint());
            series.setLineStyle(Theme.DASHED);
        }
        if (chart instanceof Card card) {
            card.sizes(Plots.doubles(spread, "n"));
        }
        widen(chart, true);
        return chart;
    }

    /** Draws a reader's guess, if there is one. */
    static XYChart guessed(XYChart chart, FigureGuess guess) {
        if (guess.isLine()) {
            chart.getSeriesCollection().stream()
                    .filter(shown -> shown.isShowInLegend() && shown.getMarker() != SeriesMarkers.NONE)
                    .forEach(shown -> guess.charted(shown.getName(), shown.getXData(), shown.getYData()));
        }
        var made = guess.values();
        if (made.isEmpty()) {
            return chart;
        }
        var x = made.keySet().stream().mapToDouble(Integer::doubleValue).toArray();
        var y = made.values().stream().mapToDouble(Double::doubleValue).toArray();
        if (!guess.isLine()) {
            x = ends(chart);
            y = new double[] {y[0], y[0]};
        }
        var first = "your guess";
        var series = chart.addSeries(chart.getSeries(first) == null ? first : "your second guess", x, y);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(Theme.GUESS);
        series.setLineStyle(Theme.CRAYON);
        // a level is no wider than the rest, whose times may begin just above 0
        widen(chart, guess.isLine());
        return chart;
    }

    /** Makes an axis logarithmic where all that is drawn by now spans a wide range, and linear where it has a 0. */
    private static void widen(XYChart chart, boolean both) {
        var style = chart.getStyler();
        var all = chart.getSeriesCollection();
        if (both && wide(all.stream().flatMapToDouble(s -> DoubleStream.of(s.getXMin(), s.getXMax())))) {
            style.setXAxisLogarithmic(true);
            style.setXAxisMin(null);
        }
        if (wide(all.stream().flatMapToDouble(s -> DoubleStream.of(s.getYMin(), s.getYMax())))) {
            style.setYAxisLogarithmic(true);
            style.setYAxisMin(null);
        } else if (all.stream().anyMatch(series -> series.getYMin() <= 0)) {
            style.setYAxisLogarithmic(false);
        }
    }

    /** The first and the last place on the horizontal axis at which something is drawn. */
    private static double[] ends(XYChart chart) {
        var all = chart.getSeriesCollection();
        var range = all.stream()
                .flatMapToDouble(s -> DoubleStream.of(s.getXMin(), s.getXMax()))
                .summaryStatistics();
        return new double[] {range.getMin(), range.getMax()};
    }

    /** Draws a level across the whole width of a chart's data. */
    static XYChart level(XYChart chart, String name, double y) {
        line(chart, name, ends(chart), new double[] {y, y});
        if (y <= 0) {
            chart.getStyler().setYAxisLogarithmic(false);
        }
        return chart;
    }

    /** Draws a dashed line in the colour of the kind of thread with which its name begins. */
    static void line(XYChart chart, String name, double[] x, double[] y) {
        var styles = chart.getSeriesCollection().stream().map(XYSeries::getLineStyle);
        long before = styles.filter(style -> style != null && Theme.PATTERNS.contains(style))
                .count();
        var series = chart.addSeries(name, x, y);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(Theme.named(name));
        series.setLineStyle(Theme.PATTERNS.get((int) before % Theme.PATTERNS.size()));
    }

    /** Points close enough to draw a curve or a staircase through, on a linear and on a logarithmic axis. */
    private static double[] between(double min, double max) {
        return IntStream.rangeClosed(0, CURVE)
                .mapToDouble(i -> min * Math.pow(max / min, (double) i / CURVE))
                .toArray();
    }

    private static boolean wide(DoubleStream values) {
        var range = values.summaryStatistics();
        return range.getMin() > 0 && range.getMax() / range.getMin() >= WIDE;
    }
}
