package threadlab.plot;

import java.time.Duration;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import threadlab.guess.FigureGuess;
import threadlab.guess.LanesGuess;
import threadlab.measure.Results;
import threadlab.measure.Trials;
import threadlab.support.Numbers;

/**
 * Charts of measurements. Every chart takes a table. Its title is a sentence from the cell ({@link #titled}); the line
 * of figures below it is computed from the rows.
 *
 * <p>Charts of trials show the median of each contender at each size as a mark, with a bar from the smallest trial to
 * the largest; a small line says so, and where they were measured.
 */
public final class Plots {

    private Plots() {}

    /**
     * Gives a chart its title.
     *
     * @param sentence what the chart shows; a second line, after a line break, replaces the chart's own line of figures
     * @param chart any chart
     * @return the same chart
     */
    public static XYChart titled(String sentence, XYChart chart) {
        chart.setTitle(sentence);
        return chart;
    }

    private static Card ours(XYChart chart) {
        if (chart instanceof Card card) {
            return card;
        }
        var type = chart.getClass().getSimpleName();
        throw new IllegalArgumentException(
                "only a chart of Plots has bands and a line for its source: this one is a " + type);
    }

    /**
     * How long the contenders take at each size.
     *
     * @param trials a table with the columns of {@link Trials}
     * @return a chart of {@code seconds} against {@code n}; an axis is logarithmic if its values span a wide range
     */
    public static XYChart timings(Table trials) {
        return bySize(trials, "seconds");
    }

    /**
     * A figure of the contenders at each size.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to draw
     * @return a chart of the figure against {@code n}; an axis is logarithmic if its values span a wide range
     */
    public static XYChart bySize(Table trials, String figure) {
        return BySize.chart(trials, figure);
    }

    /**
     * Measured points on the line that theory predicts.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to draw
     * @param predicted the predicted figure at size n, in the figure's unit
     * @return a chart of the figure against {@code n}
     */
    public static XYChart onPrediction(Table trials, String figure, DoubleUnaryOperator predicted) {
        return onPrediction(trials, figure, "predicted", predicted);
    }

    /**
     * Measured points on the line of a named theory.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to draw
     * @param name the label of the line; if it begins with a kind of thread, the line has that kind's colour
     * @param predicted the predicted figure at size n, in the figure's unit
     * @return a chart of the figure against {@code n}
     */
    public static XYChart onPrediction(Table trials, String figure, String name, DoubleUnaryOperator predicted) {
        return BySize.onPrediction(trials, figure, name, predicted);
    }

    /**
     * Values over time.
     *
     * @param samples a table with a column {@code seconds}, such as one from {@link threadlab.measure.Sampler}
     * @param columns the columns to draw; all others if none is named
     * @return a chart against {@code seconds}, in panels beyond three columns; its figures are the largest values
     */
    public static XYChart overTime(Table samples, String... columns) {
        Results.require(samples, "seconds");
        var drawn = columns.length > 0 ? List.of(columns) : OverTime.watched(samples);
        Results.require(samples, drawn.toArray(String[]::new));
        var shown = Table.create(samples.column("seconds"));
        if (samples.containsColumn("kind")) {
            shown.addColumns(samples.column("kind"));
        }
        drawn.forEach(name -> shown.addColumns(samples.column(name)));
        return OverTime.chart(String.join(", ", drawn), List.of(shown));
    }

    /**
     * Several runs over time in one chart, such as the same load on two servers.
     *
     * @param values what the columns hold, with the unit; it becomes the name of the vertical axis
     * @param runs tables as for {@link #overTime(Table, String...)}, with different names for all columns to draw
     * @return a chart against the {@code seconds} of each run, in panels beyond three; its figures: the largest values
     */
    public static XYChart overTime(String values, Table... runs) {
        return OverTime.chart(values, List.of(runs));
    }

    /**
     * One run out of the samples, with its own zero, so that successive runs can share one axis.
     *
     * @param samples a table as for {@link #overTime(Table, String...)}
     * @param column the column whose value is above 0 during the run
     * @return {@code seconds} since the run began, the column, and {@code kind} where the samples have it
     */
    public static Table fromStart(Table samples, String column) {
        return OverTime.fromStart(samples, column);
    }

    /**
     * Draws a level across a chart, such as a prediction or a mean.
     *
     * @param chart a chart with at least one series
     * @param name the label of the level; if it begins with a kind of thread, the level has that kind's colour
     * @param y the level, in the unit of the vertical axis
     * @return the same chart
     */
    public static XYChart level(XYChart chart, String name, double y) {
        return BySize.level(chart, name, y);
    }

    /**
     * Draws the reader's guess beneath the measurement, as a wide line like a crayon's: a guessed line at its sizes, a
     * guessed number as a level. Without a guess the chart stays as it is. A chart takes up to two guesses.
     *
     * @param chart a chart of trials by their size, in the guess's figure
     * @param guess the guess
     * @return the same chart; an axis becomes logarithmic if guess and measurement together span a wide range
     */
    public static XYChart guessed(XYChart chart, FigureGuess guess) {
        return BySize.guessed(chart, guess);
    }

    /**
     * Draws the reader's bars above those of a run, as by a crayon. Without a guess the chart stays as it is.
     *
     * @param chart a chart with lanes and a time axis, such as that of {@link #timeline}; the guess's first lane is that
     *     on top, and so on
     * @param guess the guess
     * @return the same chart; its time axis is extended if a guessed bar ends later
     */
    public static XYChart guessed(XYChart chart, LanesGuess guess) {
        ours(chart).guess(guess.placed());
        return chart;
    }

    /**
     * Marks a period, such as an outage, by a grey band with a word.
     *
     * @param chart a chart of {@link #overTime}
     * @param name the word in the band
     * @param from when it begins, in seconds
     * @param to when it ends, in seconds
     * @return the same chart
     */
    public static XYChart span(XYChart chart, String name, double from, double to) {
        ours(chart).band(name, from, to);
        return chart;
    }

    /**
     * Says in the small line below a chart where its figures come from, if this JVM did not measure them.
     *
     * @param chart any of these charts
     * @param words such as {@code as printed by the source}
     * @return the same chart
     */
    public static XYChart source(XYChart chart, String words) {
        ours(chart).source(words);
        return chart;
    }

    /**
     * Which thread was mounted where: a lane for each carrier (for a platform thread, its own), a bar for each marked
     * stretch, a colour for each thread. After 40 threads the colours repeat.
     *
     * @param trace a table with the columns of {@link threadlab.carriers.MountTrace}, on at most 40 lanes
     * @return a chart against the time in ms; its figures: how many were mounted at once, how many changed carrier
     */
    public static XYChart timeline(Table trace) {
        return new Timeline(trace).chart();
    }

    /**
     * When tasks ran: a lane for each task name, a bar for each run, a colour for how it ended.
     *
     * @param trace a table with the columns of {@link threadlab.measure.TaskTrace}, on at most 40 lanes
     * @return a chart against the time in ms; its figures: what failed and how many were cancelled, or the whole time
     *     and that of the longest task
     */
    public static XYChart tasks(Table trace) {
        return tasks(trace, 0);
    }

    /**
     * When tasks ran, on a time axis that several charts can share for comparison.
     *
     * @param trace a table as for {@link #tasks(Table)}
     * @param axisMs the least length of the time axis, in ms
     * @return the chart of {@link #tasks(Table)}
     */
    public static XYChart tasks(Table trace, double axisMs) {
        return new TaskLanes(trace).chart(axisMs);
    }

    /**
     * The timeline of a run in slow motion, stretched to 6 s. The page shows a player, in which the reader can play,
     * pause, step to the next change, drag a slider and follow one thread. A page that runs no scripts shows a chart.
     * Of at most 40 virtual threads it also shows who sleeps or waits between two stretches.
     *
     * @param trace a table as for {@link #timeline}
     * @return what the page plays
     */
    public static Replay replay(Table trace) {
        return new Replay(trace, null);
    }

    /**
     * A replay that tells who sleeps and who waits for a carrier. The trace knows neither: both are inferred, and drawn
     * in another way than what it knows.
     *
     * @param trace a table as for {@link #timeline}, of virtual threads that were all started when the trace was made
     * @param sleep how long each thread sleeps after each of its stretches
     * @return what the page plays
     * @throws IllegalArgumentException if a thread was mounted again before such a sleep could end
     */
    public static Replay replay(Table trace, Duration sleep) {
        return new Replay(trace, sleep);
    }

    /**
     * Draws another run over a chart of trials: an empty mark for each contender's median at each size, in its colour.
     *
     * @param chart a chart from {@link #timings} or {@link #bySize}
     * @param whose the other run's name in the legend, such as {@code printed in 2022}
     * @param other columns {@code contender}, {@code n} and the figure, one row per trial
     * @param figure the column to draw, in the unit of the chart's vertical axis
     * @return the same chart; an axis becomes logarithmic if both runs together span a wide range
     */
    public static XYChart beside(XYChart chart, String whose, Table other, String figure) {
        return BySize.beside(chart, whose, other, figure);
    }

    /**
     * Measured values beside their predictions, or another value such as a capacity: a lane for each name, the largest
     * value on top, a colour for each contender, a mark with a number at the median of each.
     *
     * @param figure what the values are, with the unit
     * @param ring what the predictions are, in a word or two
     * @return a chart without lanes: add them, then take its {@link LaneChart#chart}
     */
    public static LaneChart lanes(String figure, String ring) {
        return new LaneChart(figure, ring);
    }

    /**
     * Two-valued outcomes, such as a wait or none: a row for each {@code what}, a column for each contender, a tile for
     * the median, coloured if that is nearer to the largest value than to the smallest.
     *
     * @param results columns {@code what}, {@code contender} and the figure
     * @param figure the column to draw
     * @return a table of tiles
     */
    public static XYChart tiles(Table results, String figure) {
        return Tiles.chart(results, figure);
    }

    static double[] doubles(Table rows, String column) {
        return ((NumericColumn<?>) rows.column(column)).asDoubleArray();
    }

    static String number(double value) {
        return Numbers.rounded(value, 3);
    }
}
