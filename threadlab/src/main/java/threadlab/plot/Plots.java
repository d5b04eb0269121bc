package threadlab.plot;

import java.awt.BasicStroke;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;
import threadlab.measure.Results;
import threadlab.measure.Trials;

/**
 * Charts of measurements. Every chart takes a table, and its title says what the table shows: it is worked out from the
 * rows, so it is as true as they are.
 *
 * <p>Charts of trials show every trial as a small dot, and the median of each contender at each size as a larger mark.
 */
public final class Plots {

    private Plots() {}

    /**
     * How long the contenders take at each size.
     *
     * @param trials a table with the columns of {@link Trials}
     * @return a chart of {@code seconds} against {@code n}; an axis is logarithmic where its values span much
     */
    public static XYChart timings(Table trials) {
        return bySize(trials, "seconds");
    }

    /**
     * A figure of the contenders at each size.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to draw
     * @return a chart of the figure against {@code n}; an axis is logarithmic where its values span much
     */
    public static XYChart bySize(Table trials, String figure) {
        var chart = Theme.chart(trials.name(), figure.equals("seconds") ? "wall time (s)" : figure);
        var spread = drawTrials(chart, trials, figure, n -> n, Theme.SOLID);
        Theme.title(chart, comparison(spread, figure) + failures(trials));
        return chart;
    }

    /**
     * Measured points on the line that theory predicts.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param predicted the predicted figure at size n, in the figure's unit
     * @return a chart of the first named figure (or {@code seconds}) against {@code n}
     */
    public static XYChart onPrediction(Table trials, DoubleUnaryOperator predicted) {
        return onPrediction(trials, Results.figure(trials), predicted);
    }

    /**
     * Measured points on the line that theory predicts, for a column of choice.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to draw
     * @param predicted the predicted figure at size n, in the figure's unit
     * @return a chart of the figure against {@code n}
     */
    public static XYChart onPrediction(Table trials, String figure, DoubleUnaryOperator predicted) {
        Results.require(trials, "n", figure);
        var chart = Theme.chart(trials.name(), figure.equals("seconds") ? "wall time (s)" : figure);
        var x = between(trials.intColumn("n").min(), trials.intColumn("n").max());
        line(chart, "predicted", x, Arrays.stream(x).map(predicted).toArray());
        var spread = drawTrials(chart, trials, figure, n -> n, SeriesLines.NONE);
        Theme.title(chart, agreement(spread, predicted) + failures(trials));
        return chart;
    }

    /**
     * Values over time.
     *
     * @param samples a table with a column {@code seconds}, such as {@link threadlab.measure.Sampler} returns
     * @param columns the columns to draw; all others if none is named
     * @return a chart of the columns against {@code seconds}; its title gives the mean of each
     */
    public static XYChart overTime(Table samples, String... columns) {
        var drawn = columns.length > 0 ? List.of(columns) : watched(samples);
        Results.require(samples, "seconds");
        Results.require(samples, drawn.toArray(String[]::new));
        var shown = Table.create(samples.column("seconds"));
        drawn.forEach(name -> shown.addColumns(samples.column(name)));
        return overTime(String.join(", ", drawn), shown);
    }

    /**
     * Several runs over time in one chart, such as the same load on two servers.
     *
     * @param values what the columns hold, with the unit; it becomes the name of the vertical axis
     * @param runs tables with a column {@code seconds}, such as {@link threadlab.measure.Sampler} returns; all their other
     *     columns are drawn, so no two may have the same name
     * @return a chart of the columns, each against the {@code seconds} of its run; its title gives the mean of each
     */
    public static XYChart overTime(String values, Table... runs) {
        for (Table run : runs) {
            Results.require(run, "seconds");
        }
        var drawn = Arrays.stream(runs).flatMap(run -> watched(run).stream()).toList();
        var chart = Theme.chart("time (s)", values);
        var title = new ArrayList<String>();
        for (Table run : runs) {
            for (String column : watched(run)) {
                var heights = doubles(run, column);
                var series = chart.addSeries(column, doubles(run, "seconds"), heights);
                series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step);
                series.setMarker(SeriesMarkers.NONE);
                series.setLineColor(Theme.look(column, drawn).color());
                series.setLineWidth(1.6f);
                title.add(
                        column + ": " + number(Arrays.stream(heights).average().orElseThrow()) + " on average");
            }
        }
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(Plots::number);
        chart.getStyler().setYAxisTickLabelsFormattingFunction(Plots::number);
        Theme.title(chart, sentence(String.join(", ", title)));
        return chart;
    }

    private static List<String> watched(Table samples) {
        return samples.columnNames().stream()
                .filter(name -> !name.equals("seconds"))
                .toList();
    }

    /**
     * Draws a level across a chart, such as a prediction or a mean.
     *
     * @param chart a chart with at least one series
     * @param name what the legend calls the level
     * @param y where it lies, in the unit of the vertical axis
     * @return the same chart
     */
    public static XYChart level(XYChart chart, String name, double y) {
        double min = chart.getSeriesCollection().stream()
                .mapToDouble(s -> s.getXMin())
                .min()
                .orElseThrow();
        double max = chart.getSeriesCollection().stream()
                .mapToDouble(s -> s.getXMax())
                .max()
                .orElseThrow();
        line(chart, name, new double[] {min, max}, new double[] {y, y});
        return chart;
    }

    /**
     * How latency rises as the load nears what a resource can serve.
     *
     * @param trials a table with the columns of {@link Trials} where {@code n} is the offered load
     * @param latency the column to draw
     * @param capacity the load that the resource can just serve, in the unit of {@code n}
     * @return a chart of the latency against the load in percent of the capacity
     */
    public static XYChart latencyAgainstLoad(Table trials, String latency, double capacity) {
        if (!(capacity > 0)) {
            throw new IllegalArgumentException("a capacity of " + capacity + " serves nothing: it must be above 0");
        }
        var chart = Theme.chart("load (% of the ceiling, " + number(capacity) + ")", latency);
        var spread = drawTrials(chart, trials, latency, n -> 100.0 * n / capacity, Theme.SOLID);
        chart.getStyler()
                .setXAxisMax(Math.max(100.0, 100.0 * trials.intColumn("n").max() / capacity));
        var steepest = Results.contenders(trials).getFirst();
        double most = 0;
        double low = 0;
        double high = 0;
        for (String contender : Results.contenders(trials)) {
            var own = spread.where(spread.stringColumn("contender").isEqualTo(contender));
            double ratio = own.doubleColumn("median").get(own.rowCount() - 1)
                    / own.doubleColumn("median").get(0);
            if (ratio > most) {
                most = ratio;
                steepest = contender;
                low = own.intColumn("n").min();
                high = own.intColumn("n").max();
            }
        }
        Theme.title(
                chart,
                sentence(String.format(
                                Locale.ROOT,
                                "%s: %s × the latency at %.0f %% of the ceiling as at %.0f %%",
                                shortName(steepest, Results.contenders(trials)),
                                number(most),
                                100 * high / capacity,
                                100 * low / capacity))
                        + failures(trials));
        return chart;
    }

    /**
     * Who was mounted where: a lane for each carrier (for a platform thread, its own), a bar for each marked stretch, a
     * colour for each thread. Beyond 40 threads the colours come again.
     *
     * @param trace a table with the columns of {@link threadlab.carriers.MountTrace}, on at most 40 lanes
     * @return a chart of the lanes against the time in ms; its title says how many were mounted at once, and how many
     *     changed their carrier
     */
    public static XYChart timeline(Table trace) {
        return new Timeline(trace).chart();
    }

    /**
     * When tasks ran: a lane for each name of a task, a bar for each run, a colour for how it ended.
     *
     * @param trace a table with the columns of {@link threadlab.measure.TaskTrace}, on at most 40 lanes
     * @return a chart of the lanes against the time in ms; its title says what failed and how many were cancelled, or
     *     compares the time of all with the times of the tasks
     */
    public static XYChart tasks(Table trace) {
        return tasks(trace, 0);
    }

    /**
     * When tasks ran, on an axis that several charts share so that they can be compared.
     *
     * @param trace a table with the columns of {@link threadlab.measure.TaskTrace}, on at most 40 lanes
     * @param axisMs where the axis of time ends at the earliest, in ms
     * @return the chart of {@link #tasks(Table)}
     */
    public static XYChart tasks(Table trace, double axisMs) {
        return new TaskLanes(trace).chart(axisMs);
    }

    /**
     * The timeline of a run as a film in slow motion; it takes 6 s, holds its last picture and starts again.
     *
     * @param trace a table with the columns of {@link threadlab.carriers.MountTrace}, on at most 40 lanes
     * @return an animated GIF
     */
    public static Animation replay(Table trace) {
        return new Replay(trace).animation();
    }

    /**
     * What was measured here beside what others printed, on a logarithmic axis: a lane for each quantity, a
     * colour for each contender, a filled mark for the measured value, an empty one for the printed.
     *
     * @param costs columns {@code what} (a quantity with its unit), {@code contender}, {@code here} and {@code printed}
     *     (both in that unit, above 0, or missing)
     * @return a chart of the lanes against the values
     */
    public static XYChart againstPrinted(Table costs) {
        return AgainstPrinted.chart(costs);
    }

    /**
     * Lays the figures of another run over a chart of trials: an empty mark for the median of each contender at each
     * size, in the colour of the contender's kind.
     *
     * @param chart what {@link #timings} or {@link #bySize} has drawn
     * @param whose what the legend calls the other run, such as {@code printed in 2022}
     * @param other columns {@code contender}, {@code n} and the figure, one row per trial
     * @param figure the column to draw, in the unit of the chart's vertical axis
     * @return the same chart; an axis becomes logarithmic where both runs together span much
     */
    public static XYChart beside(XYChart chart, String whose, Table other, String figure) {
        var spread = Results.spread(other, figure);
        var contenders = Results.contenders(other);
        for (String contender : contenders) {
            var own = spread.where(spread.stringColumn("contender").isEqualTo(contender));
            var look = Theme.look(contender, contenders);
            var series = chart.addSeries(
                    "%s, %s".formatted(shortName(contender, contenders), whose),
                    doubles(own, "n"),
                    doubles(own, "median"));
            series.setMarker(Theme.RING);
            series.setMarkerColor(look.color());
            series.setLineColor(look.faint());
            series.setLineStyle(Theme.DASHED);
        }
        var style = chart.getStyler();
        var all = chart.getSeriesCollection();
        if (span(all, XYSeries::getXMin, XYSeries::getXMax)) {
            style.setXAxisLogarithmic(true);
            style.setXAxisMin(null);
        }
        if (span(all, XYSeries::getYMin, XYSeries::getYMax)) {
            style.setYAxisLogarithmic(true);
            style.setYAxisMin(null);
        }
        return chart;
    }

    /**
     * What was measured, on the place that was predicted for it: a lane for each way, a colour for each contender, a
     * ring where the prediction is. A row is a trial; a mark with a number is a median over them.
     *
     * @param results columns {@code what}, {@code contender}, the figure and {@code predicted}, both in the figure's unit
     * @param figure the column to draw
     * @return a chart of the lanes against the figure; its title names the way in which the contenders differ most
     */
    public static XYChart againstPredicted(Table results, String figure) {
        return AgainstPredicted.chart(results, figure);
    }

    /** Draws trials as dots and medians as marks, joined by a line or not; returns the spread that it drew. */
    private static Table drawTrials(
            XYChart chart, Table trials, String figure, DoubleUnaryOperator x, BasicStroke line) {
        Results.require(trials, "contender", "n", figure);
        var contenders = Results.contenders(trials);
        var spread = Results.spread(trials, figure);
        spread = spread.where(spread.doubleColumn("median").isNotMissing());
        if (spread.isEmpty()) {
            throw new IllegalArgumentException(
                    "no trial of \"" + trials.name() + "\" ended well: look at the column \"outcome\"");
        }
        for (String contender : contenders) {
            var look = Theme.look(contender, contenders);
            var well = Results.ok(trials.where(trials.stringColumn("contender").isEqualTo(contender)));
            if (well.isEmpty()) {
                continue;
            }
            var dots = chart.addSeries(contender + " (trials)", at(well, x), doubles(well, figure));
            dots.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            dots.setMarker(Theme.TRIAL);
            dots.setMarkerColor(look.faint());
            dots.setShowInLegend(false);
            var own = spread.where(spread.stringColumn("contender").isEqualTo(contender));
            var medians = chart.addSeries(contender, at(own, x), doubles(own, "median"));
            medians.setMarker(look.marker());
            medians.setMarkerColor(look.color());
            medians.setLineColor(look.color());
            medians.setLineStyle(line);
        }
        scale(chart, trials, spread, x);
        return spread;
    }

    private static void scale(XYChart chart, Table trials, Table spread, DoubleUnaryOperator x) {
        var style = chart.getStyler();
        style.setXAxisTickLabelsFormattingFunction(Plots::number);
        style.setYAxisTickLabelsFormattingFunction(Plots::number);
        var sizes = at(trials, x);
        if (spans(sizes, 20)) {
            style.setXAxisLogarithmic(true);
        } else {
            style.setXAxisMin(0.0);
        }
        if (spans(doubles(spread, "median"), 20)) {
            style.setYAxisLogarithmic(true);
        } else {
            style.setYAxisMin(0.0);
        }
    }

    private static boolean span(
            Collection<XYSeries> series, ToDoubleFunction<XYSeries> min, ToDoubleFunction<XYSeries> max) {
        return spans(
                series.stream()
                        .flatMapToDouble(s -> DoubleStream.of(min.applyAsDouble(s), max.applyAsDouble(s)))
                        .toArray(),
                20);
    }

    private static boolean spans(double[] values, double factor) {
        double min = Arrays.stream(values).min().orElseThrow();
        double max = Arrays.stream(values).max().orElseThrow();
        return min > 0 && max / min >= factor;
    }

    private static void line(XYChart chart, String name, double[] x, double[] y) {
        var series = chart.addSeries(name, x, y);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(Theme.PREDICTION);
        series.setLineStyle(Theme.DASHED);
    }

    /** Points close enough to draw a curve through on a linear and on a logarithmic axis. */
    private static double[] between(double min, double max) {
        return IntStream.rangeClosed(0, 40)
                .mapToDouble(i -> min * Math.pow(max / min, i / 40.0))
                .toArray();
    }

    private static double[] at(Table rows, DoubleUnaryOperator x) {
        return Arrays.stream(doubles(rows, "n")).map(x).toArray();
    }

    private static double[] doubles(Table rows, String column) {
        return ((NumericColumn<?>) rows.column(column)).asDoubleArray();
    }

    /** Says of each contender how near it comes to the prediction, or how far it leaves it behind. */
    private static String agreement(Table spread, DoubleUnaryOperator predicted) {
        var names = Results.contenders(spread);
        var parts = new ArrayList<String>();
        for (String contender : names) {
            var own = spread.where(spread.stringColumn("contender").isEqualTo(contender));
            double ratio = 1;
            for (var row : own) {
                double next = row.getDouble("median") / predicted.applyAsDouble(row.getInt("n"));
                ratio = Math.abs(Math.log(next)) > Math.abs(Math.log(ratio)) ? next : ratio;
            }
            var name = names.size() == 1 ? "measured" : shortName(contender, names);
            parts.add(name + " " + distance(ratio));
        }
        var last = parts.getLast();
        boolean share = last.contains("within") || last.contains("1/");
        return sentence(String.join(", ", parts)) + (share ? " of the prediction" : " the prediction");
    }

    /** How far a measured value is from the predicted one: in percent, or as a factor where it is twice or half. */
    private static String distance(double ratio) {
        double percent = 100 * Math.abs(ratio - 1);
        if (percent < 20) {
            return "within " + Numbers.rounded(percent, 2) + " %";
        }
        if (ratio > 0.5 && ratio < 2) {
            return "up to " + Numbers.rounded(percent, 2) + (ratio > 1 ? " % above" : " % below");
        }
        return ratio > 1 ? "up to " + number(ratio) + " ×" : "down to 1/" + number(1 / ratio);
    }

    /** What stands before the comma in "platform, pool of 200", if that tells the contenders apart. */
    private static String shortName(String contender, List<String> all) {
        var first = contender.split(", ")[0];
        return all.stream().filter(name -> name.split(", ")[0].equals(first)).count() == 1 ? first : contender;
    }

    /** Compares the contenders at the largest size that more than one of them reached. */
    private static String comparison(Table spread, String figure) {
        var sizes = spread.intColumn("n").unique();
        sizes.sortDescending();
        for (int n : sizes.asIntArray()) {
            var rows = spread.where(spread.intColumn("n").isEqualTo(n)).sortDescendingOn("median");
            if (rows.rowCount() > 1) {
                int last = rows.rowCount() - 1;
                double ratio = rows.doubleColumn("median").get(0)
                        / rows.doubleColumn("median").get(last);
                return String.format(
                        Locale.ROOT,
                        figure.equals("seconds")
                                ? "At %,d, %s takes %s × as long as %s"
                                : "At %,d, %s reaches %s × that of %s",
                        n,
                        shortName(rows.stringColumn("contender").get(0), Results.contenders(spread)),
                        number(ratio),
                        shortName(rows.stringColumn("contender").get(last), Results.contenders(spread)));
            }
        }
        return "%s: %s at %,d"
                .formatted(
                        spread.stringColumn("contender").get(0),
                        number(spread.doubleColumn("median").get(spread.rowCount() - 1)),
                        spread.intColumn("n").get(spread.rowCount() - 1));
    }

    private static String failures(Table trials) {
        int failed = trials.rowCount() - Results.ok(trials).rowCount();
        return failed == 0 ? "" : " (%d failed)".formatted(failed);
    }

    private static String sentence(String text) {
        return text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    static String number(double value) {
        return Numbers.rounded(value, 3);
    }
}
