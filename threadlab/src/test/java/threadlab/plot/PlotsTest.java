package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.awt.Color;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.guess.Guess;
import threadlab.measure.Trials;

class PlotsTest {

    private static final List<String> BOTH = List.of("platform, pool of 200", "virtual");

    private static Table trials() {
        var trials = Trials.of("n clients", "latency (ms)");
        trials.platform("pool of 200", n -> Math.max(50, n / 4.0)).virtual(n -> 50);
        return trials.sizes(50, 200, 5_000).repeat(2).warmUp(0).run();
    }

    @Test
    void the_title_names_what_was_measured_and_what_was_predicted() {
        var chart = Plots.onPrediction(trials(), "latency (ms)", n -> Math.max(50, n / 4.0));
        assertEquals("n clients", chart.getXAxisTitle());
        assertEquals("latency (ms)", chart.getYAxisTitle());
        assertEquals("5,000 clients: platform 1,250 ms, virtual 50 ms; predicted 1,250 ms", chart.getTitle());
        var alone =
                Plots.onPrediction(narrow().setName("200 ids, at most n at once (slow)"), "seconds", n -> n / 100.0);
        assertEquals("200 ids, at most 100 at once: virtual 1.1 s; predicted 1 s", alone.getTitle());
    }

    @Test
    void several_contenders_of_a_kind_are_called_by_the_rest_of_their_names() {
        var trials = Trials.of("n clients", "requests/s")
                .platform("pool of 200", n -> 4_000)
                .platform("pool of n", n -> 20 * n)
                .virtual(n -> 19 * n);
        var chart = Plots.bySize(trials.sizes(1_000).warmUp(0).run(), "requests/s");
        assertEquals(
                "1,000 clients: pool of n 20,000, virtual 19,000, pool of 200: 4,000 requests/s", chart.getTitle());
        var contenders = new Contenders(Table.create(
                StringColumn.create("contender", "platform, cold", "platform, warm", "virtual, cold", "virtual, hot"),
                StringColumn.create("kind", "platform", "platform", "virtual", "virtual")));
        assertEquals("platform, cold", contenders.shortName("platform, cold"));
        assertEquals("warm", contenders.shortName("platform, warm"));
    }

    @Test
    void no_two_levels_of_a_chart_look_alike() {
        var chart = Plots.onPrediction(narrow(), "seconds", n -> n / 100.0);
        Plots.level(Plots.level(chart, "one", 1), "two", 2);
        var names = Stream.of("predicted", "one", "two");
        var styles = names.map(name -> chart.getSeries(name).getLineStyle()).distinct();
        assertEquals(3, styles.count());
    }

    @Test
    void the_range_of_the_trials_is_drawn_and_every_median() {
        var chart = Plots.timings(trials());
        for (String contender : BOTH) {
            assertEquals(9, chart.getSeries(contender + " (trials)").getXData().length);
            assertEquals(3, chart.getSeries(contender).getXData().length);
        }
    }

    @Test
    void another_run_is_laid_over_with_empty_marks_in_the_colour_of_its_kind() {
        var printed = Table.create(
                StringColumn.create("contender", Collections.nCopies(3, "virtual, one per task")),
                StringColumn.create("kind", "virtual", "virtual", "virtual"),
                IntColumn.create("n", 50, 50, 50_000),
                DoubleColumn.create("seconds", 1, 3, 40));
        var chart = Plots.beside(Plots.timings(narrow()), "printed in 2022", printed, "seconds");

        var series = chart.getSeries("virtual, printed in 2022");
        assertArrayEquals(new double[] {2, 40}, series.getYData());
        assertEquals(Theme.RING, series.getMarker());
        assertEquals(chart.getSeries("virtual").getMarkerColor(), series.getMarkerColor());
        assertTrue(chart.getStyler().isXAxisLogarithmic() && chart.getStyler().isYAxisLogarithmic());
    }

    @Test
    void a_guess_lies_beneath_the_measurement_and_is_named_and_without_one_nothing_changes() {
        var guess = Guess.line("n clients", "latency (ms)", 50, 200, 5_000).between(1, 10_000);
        var without = Plots.guessed(Plots.bySize(trials(), "latency (ms)"), guess);
        assertEquals(null, without.getSeries("your guess"));
        guess.is(10, 20, 9_000);
        var series =
                Plots.guessed(Plots.bySize(trials(), "latency (ms)"), guess).getSeries("your guess");
        assertArrayEquals(new double[] {50, 200, 5_000}, series.getXData());
        assertArrayEquals(new double[] {10, 20, 9_000}, series.getYData());
        assertEquals(Theme.GUESS, series.getLineColor());
    }

    @Test
    void a_second_guess_has_a_name_of_its_own() {
        var first = Guess.line("with a lock", "latency (ms)", 50, 200).upTo(100).is(10, 20);
        var second =
                Guess.line("with a file", "latency (ms)", 50, 200).upTo(100).is(30, 40);
        var chart = Plots.guessed(Plots.guessed(Plots.bySize(trials(), "latency (ms)"), first), second);
        assertArrayEquals(new double[] {10, 20}, chart.getSeries("your guess").getYData());
        assertArrayEquals(
                new double[] {30, 40}, chart.getSeries("your second guess").getYData());
    }

    @Test
    void a_guessed_number_is_a_level_and_a_guess_of_zero_keeps_the_axis_linear() {
        var number = Guess.number("latency", "latency (ms)").upTo(100).is(70);
        var level =
                Plots.guessed(Plots.bySize(trials(), "latency (ms)"), number).getSeries("your guess");
        assertArrayEquals(new double[] {50, 5_000}, level.getXData());
        assertArrayEquals(new double[] {70, 70}, level.getYData());
        var samples = Table.create(
                "samples", DoubleColumn.create("seconds", 1e-6, 4), DoubleColumn.create("orders inside", 0, 25));
        var overTime = Plots.guessed(Plots.overTime(samples), number);
        assertFalse(overTime.getStyler().isXAxisLogarithmic(), "time stays linear though it begins just above 0");
        var zero = Plots.guessed(Plots.bySize(trials(), "latency (ms)"), number.is(0));
        assertFalse(zero.getStyler().isYAxisLogarithmic());
        var far = Plots.guessed(
                Plots.timings(narrow()),
                Guess.line("n", "seconds", 50, 100).upTo(100).is(2, 90));
        assertTrue(far.getStyler().isYAxisLogarithmic(), "guess and measurement together span a wide range");
    }

    private static Table narrow() {
        return Table.create(
                "narrow",
                StringColumn.create("contender", "virtual", "virtual"),
                StringColumn.create("kind", "virtual", "virtual"),
                IntColumn.create("n", 50, 100),
                DoubleColumn.create("seconds", 1.0, 1.1));
    }

    @Test
    void wide_ranges_are_logarithmic_and_narrow_ones_start_at_zero() {
        var chart = Plots.bySize(trials(), "latency (ms)");
        assertEquals("5,000 clients: platform 1,250 ms, virtual 50 ms", chart.getTitle());
        assertTrue(chart.getStyler().isXAxisLogarithmic());
        assertTrue(chart.getStyler().isYAxisLogarithmic());
    }

    @Test
    void a_value_or_level_of_zero_keeps_the_axis_linear() {
        var zero = Table.create(
                "trials",
                StringColumn.create("contender", "virtual", "virtual", "virtual"),
                StringColumn.create("kind", "virtual", "virtual", "virtual"),
                IntColumn.create("n", 50, 50, 100),
                DoubleColumn.create("seconds", 0.0, 2.0, 100.0));
        assertFalse(Plots.bySize(zero, "seconds").getStyler().isYAxisLogarithmic());
        var predicted = Plots.onPrediction(trials(), "latency (ms)", n -> n - 50);
        assertFalse(predicted.getStyler().isYAxisLogarithmic());
        var level = Plots.level(Plots.bySize(trials(), "latency (ms)"), "none", 0);
        assertFalse(level.getStyler().isYAxisLogarithmic());
    }

    @Test
    void the_kind_of_a_contender_decides_its_colour_and_its_name_does_not() {
        var kinds = Table.create(
                StringColumn.create("contender", "virtual by name only", "a", "b", "c", "d"),
                StringColumn.create("kind", "platform", "virtual", "virtual", "sharing", "other"));
        var contenders = new Contenders(kinds);

        var named = contenders.look("virtual by name only");
        assertEquals(new Color(0xD55E00), named.color());
        assertEquals(SeriesMarkers.CIRCLE, named.marker());
        assertEquals(new Color(0x0072B2), contenders.look("a").color());
        assertEquals(new Color(0x56B4E9), contenders.look("b").color());
        assertEquals(SeriesMarkers.SQUARE, contenders.look("b").marker());
        assertEquals(new Color(0x009E73), contenders.look("c").color());
        assertNotEquals(contenders.look("c").color(), contenders.look("d").color());
        assertEquals("platform", contenders.shortName("virtual by name only"));
        assertEquals("b", contenders.shortName("b"));
        assertEquals("c", contenders.shortName("c"));
    }

    @Test
    void a_java_has_the_same_colour_in_all_charts_and_no_other_contender_has_it() {
        int own = Runtime.version().feature();
        var some = new Contenders(onJavas("platform", own, "virtual", 21, "virtual", own));
        var all = new Contenders(onJavas("virtual", 21, "virtual", 25, "virtual", 26, "virtual", 27));

        assertEquals(new Color(0x0072B2), some.look("virtual on " + own).color());
        assertEquals(new Color(0xD55E00), some.look("platform on " + own).color());
        assertEquals(some.look("virtual on 21"), all.look("virtual on 21"));
        var colours = all.names().stream().map(name -> all.look(name).color());
        var different = colours.distinct().toList();
        assertEquals(4, different.size());
        assertFalse(different.contains(new Color(0x56B4E9)));
    }

    private static Table onJavas(Object... kindsAndVersions) {
        var table =
                Table.create(StringColumn.create("contender"), StringColumn.create("kind"), IntColumn.create("java"));
        for (int i = 0; i < kindsAndVersions.length; i += 2) {
            table.stringColumn("contender").append(kindsAndVersions[i] + " on " + kindsAndVersions[i + 1]);
            table.stringColumn("kind").append((String) kindsAndVersions[i]);
            table.intColumn("java").append((int) kindsAndVersions[i + 1]);
        }
        return table;
    }

    @Test
    void a_kind_that_is_none_or_missing_is_refused() {
        var table = narrow();
        table.stringColumn("kind").set(1, "carrier");
        refused(
                "\"carrier\" is not a kind of contender: the kinds are [platform, virtual, sharing, other]",
                () -> Plots.timings(table));
        table.removeColumns("kind");
        refused(
                "the table \"narrow\" does not say what its contenders run on:"
                        + " add a column \"kind\" of [platform, virtual, sharing, other]",
                () -> Plots.timings(table));
    }

    @Test
    void failed_trials_are_counted_in_the_title_and_not_drawn() {
        var table = Trials.of("n")
                .contender("a", n -> {
                    if (n == 2) {
                        throw new IllegalStateException();
                    }
                })
                .sizes(1, 2, 3)
                .repeat(1)
                .warmUp(0)
                .run();
        var chart = Plots.timings(table);
        assertTrue(chart.getTitle().endsWith("(1 failed)"), chart.getTitle());
        assertEquals(2, chart.getSeries("a").getXData().length);
    }

    @Test
    void a_level_spans_the_whole_chart() {
        var samples = Table.create(
                "samples", DoubleColumn.create("seconds", 0, 1, 2), DoubleColumn.create("inside", 1, 3, 2));
        var chart = Plots.level(Plots.overTime(samples), "λ · W", 2);
        assertEquals("inside reaches 3", chart.getTitle());
        assertEquals(2, chart.getSeries("λ · W").getXMax());
    }

    @Test
    void a_run_out_of_samples_begins_at_its_own_zero() {
        var samples = Table.create(
                "samples",
                DoubleColumn.create("seconds", 0, 1, 2, 3, 4, 5),
                DoubleColumn.create("second run", 0, 0, 7, 7, 0, 0));
        var run = Plots.fromStart(samples, "second run");
        assertEquals(List.of(0.0, 1.0, 2.0, 3.0), run.doubleColumn("seconds").asList());
        assertEquals(List.of(0.0, 7.0, 7.0, 0.0), run.doubleColumn("second run").asList());
    }

    @Test
    void two_contenders_in_one_place_are_a_mark_and_a_ring_around_it() {
        var same = Trials.of("n clients", "calls/s").platform(n -> n).virtual(n -> n * 1.01);
        var chart = Plots.bySize(same.sizes(1, 2).warmUp(0).run(), "calls/s");
        assertEquals(SeriesMarkers.CIRCLE, chart.getSeries("platform").getMarker());
        assertEquals(Theme.AROUND, chart.getSeries("virtual").getMarker());
    }

    @Test
    void a_line_that_is_named_after_a_kind_of_thread_has_its_colour() {
        var chart = Plots.onPrediction(narrow(), "seconds", "virtual, ideal", n -> n / 100.0);
        assertEquals(new Color(0x0072B2), chart.getSeries("virtual, ideal").getLineColor());
        var limit = Plots.level(chart, "limit", 1).getSeries("limit");
        assertEquals(Theme.PREDICTION, limit.getLineColor());
    }

    @Test
    void runs_keep_their_own_times_in_one_chart() {
        var one = Table.create("one", DoubleColumn.create("seconds", 0, 1), DoubleColumn.create("platform", 4, 6));
        var two = Table.create(
                "two",
                DoubleColumn.create("seconds", 0, 3),
                DoubleColumn.create("virtual", 1, 1),
                StringColumn.create("kind", "virtual", "virtual"));
        var chart = Plots.overTime("live threads", one, two);
        assertEquals("live threads", chart.getYAxisTitle());
        assertEquals("platform reaches 6, virtual reaches 1", chart.getTitle());
        assertEquals(1, chart.getSeries("platform").getXMax());
        assertEquals(3, chart.getSeries("virtual").getXMax());
        assertEquals(new Color(0x0072B2), chart.getSeries("virtual").getLineColor());
    }

    @Test
    void a_run_over_time_wears_the_colour_of_its_kind() {
        var run = Table.create(
                DoubleColumn.create("seconds", 0, 1),
                DoubleColumn.create("open mails", 4, 6),
                StringColumn.create("kind", "virtual", "virtual"),
                DoubleColumn.create("platform threads", 1, 1));
        var chart = Plots.overTime("mails", run);

        assertEquals(new Color(0x0072B2), chart.getSeries("open mails").getLineColor());
        assertEquals(new Color(0xD55E00), chart.getSeries("platform threads").getLineColor());
        assertEquals(2, chart.getSeriesCollection().size());
        var one = Plots.overTime(run, "platform threads");
        assertEquals(1, one.getSeriesCollection().size());
    }

    @Test
    void a_table_that_cannot_be_drawn_is_refused_with_what_it_lacks() {
        var other = Table.create("other", DoubleColumn.create("x", 1));
        refused("has no column \"contender\"", () -> Plots.timings(other));
        refused("has no rows", () -> Plots.timings(trials().emptyCopy()));
        refused("has no column \"seconds\"", () -> Plots.overTime(other));
        refused("has no column \"seconds\"", () -> Plots.overTime("x", other));
        var failed = Trials.of("n")
                .contender("a", n -> {
                    throw new IllegalStateException();
                })
                .repeat(1)
                .run();
        refused("ended well", () -> Plots.timings(failed));
        refused("only a chart of Plots", () -> Plots.span(new XYChart(1, 1), "outage", 0, 1));
        refused("only a chart of Plots", () -> Plots.source(new XYChart(1, 1), "elsewhere"));
    }
}
