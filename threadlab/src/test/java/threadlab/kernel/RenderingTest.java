package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.math.BigInteger;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.IntStream;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.common.Image;
import org.dflib.jjava.jupyter.kernel.display.common.Text;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.BoxChartBuilder;
import org.knowm.xchart.BubbleChart;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.DialChart;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.HorizontalBarChart;
import org.knowm.xchart.OHLCChart;
import org.knowm.xchart.PieChart;
import org.knowm.xchart.RadarChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.Styler.ChartTheme;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.LongColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.claim.Claim;
import threadlab.claim.Outcome;
import threadlab.guess.Guess;
import threadlab.measure.Trials;
import threadlab.plot.ChartImage;
import threadlab.plot.Plots;
import threadlab.support.Progress;
import threadlab.trace.Traces;

class RenderingTest {

    private static Table trials() {
        return Trials.of("n tasks")
                .platform(n -> {})
                .virtual(n -> {})
                .sizes(1, 2)
                .repeat(1)
                .run();
    }

    @Test
    void a_chart_has_two_pixels_per_pixel_and_both_colours() {
        var chart = Plots.timings(trials());
        var image = ChartImage.of(chart);
        assertEquals(2 * chart.getWidth(), image.getWidth());
        assertEquals(2 * chart.getHeight(), image.getHeight());
        var colours = new HashSet<Integer>();
        for (int rgb : image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth())) {
            colours.add(rgb & 0xFFFFFF);
        }
        assertTrue(colours.contains(0xD55E00), "no platform colour");
        assertTrue(colours.contains(0x0072B2), "no virtual colour");
    }

    @Test
    void a_chart_is_described_in_words() {
        var text = ChartImage.description(Plots.timings(trials()));
        assertTrue(
                text.matches("Chart: 2 tasks: .* wall time \\(s\\) against n tasks\\. Shown: platform; virtual\\."),
                text);
    }

    private static DisplayData shown(Object value) {
        var renderer = new CellRenderer();
        Text.registerAll(renderer);
        Image.registerAll(renderer);
        NotebookExtension.register(renderer);
        return renderer.render(value);
    }

    private static String text(Object value) {
        return (String) shown(value).getData(MIMEType.TEXT_PLAIN);
    }

    @Test
    void a_chart_of_any_kind_is_a_picture_with_words() {
        double[] numbers = {1, 2, 3};
        var names = List.of("apple", "pear", "plum");
        var values = Arrays.asList(3, 1, 2);
        var bars = new CategoryChart(300, 200);
        bars.setXAxisTitle("fruit");
        bars.setYAxisTitle("kg");
        bars.addSeries("sold", names, values);
        var lying = new HorizontalBarChart(300, 200);
        lying.addSeries("sold", values, names);
        var pie = new PieChart(300, 200);
        pie.setTitle("Fruit");
        IntStream.range(0, 23).forEach(i -> pie.addSeries("s" + i, 1));
        var heat = new HeatMapChart(300, 200, ChartTheme.XChart);
        heat.addSeries("load", new int[] {1, 2}, new int[] {1}, new int[][] {{1}, {2}});
        var bubbles = new BubbleChart(300, 200);
        bubbles.addSeries("sold", numbers, numbers, numbers);
        var box = new BoxChartBuilder().width(300).height(200).build();
        box.addSeries("sold", values);
        var prices = new OHLCChart(300, 200);
        prices.addSeries("price", numbers, numbers, numbers, numbers, numbers);
        var dial = new DialChart(300, 200);
        dial.addSeries("CPU", 0.7, "70 %");
        var radar = new RadarChart(300, 200);
        radar.setRadiiLabels(names.toArray(String[]::new));
        radar.addSeries("sold", new double[] {0.1, 0.5, 1});
        for (var chart : List.of(bars, lying, pie, heat, bubbles, box, prices, dial, radar)) {
            assertTrue(shown(chart).hasDataForType(MIMEType.IMAGE_PNG), text(chart));
        }
        assertEquals("Category chart: without a title. kg against fruit. Shown: sold.", text(bars));
        assertTrue(text(pie).matches("Pie chart: Fruit\\. Shown: s0; .*; s19; and 3 more\\."), text(pie));
        assertEquals("Chart: without a title.", text(new XYChart(300, 200)));
    }

    @Test
    void a_huge_picture_is_refused_with_its_size() {
        assertEquals(2_500, ChartImage.of(new XYChart(2_500, 10)).getWidth());
        var image = new BufferedImage(10, 4_001, BufferedImage.TYPE_BYTE_BINARY);
        for (var picture : List.of(new XYChart(10, 4_001), image)) {
            assertFalse(shown(picture).hasDataForType(MIMEType.IMAGE_PNG));
            assertTrue(text(picture).startsWith("A picture of 10 × 4,001 pixels is not shown, because"), text(picture));
        }
        assertTrue(shown(image.getSubimage(0, 0, 10, 10)).hasDataForType(MIMEType.IMAGE_PNG));
    }

    @Test
    void a_value_is_shown_by_its_elements_and_an_integer_by_all_its_digits() {
        assertEquals("null", text(null));
        assertEquals("a \"b\"", text("a \"b\""));
        assertEquals("9007199254740993", text(9_007_199_254_740_993L));
        assertEquals("47110", text(BigInteger.valueOf(47_110)));
        assertEquals("[1, 2]", text(new int[] {1, 2}));
        assertEquals("[[a], null, []]", text(new char[][] {{'a'}, null, {}}));
        assertEquals("[{k=[1.5]}, [x]]", text(List.of(Map.of("k", new double[] {1.5}), Set.of("x"))));
        assertEquals("[k=[true]]", text(Map.of("k", new boolean[] {true}).entrySet()));
        Iterable<String> own = new Iterable<>() {
            @Override
            public Iterator<String> iterator() {
                throw new AssertionError("its text is its own");
            }

            @Override
            public String toString() {
                return "own";
            }
        };
        assertEquals("own", text(own));
    }

    @Test
    void a_value_that_contains_itself_is_named() {
        var list = new ArrayList<Object>(List.of(1));
        list.add(list);
        assertEquals("[1, (this list)]", text(list));
        var other = new ArrayList<Object>(List.of(list));
        list.set(1, other);
        assertEquals("[1, [(an outer list)]]", text(list));
        var map = new HashMap<String, Object>();
        map.put("k", new Object[] {map, map});
        assertEquals("{k=[(an outer map), (an outer map)]}", text(map));
    }

    @Test
    void a_value_whose_text_fails_is_named_with_the_error() {
        record Node(List<Object> next) {}
        var node = new Node(new ArrayList<>());
        node.next.add(node);
        var overflows = "(Node cannot be shown; call its toString() to see why it throws StackOverflowError)";
        assertEquals("[1, %s, 2]".formatted(overflows), text(List.of(1, node, 2)));
        var broken = new AbstractList<Integer>() {
            @Override
            public Integer get(int index) {
                throw new IllegalStateException("no price");
            }

            @Override
            public int size() {
                return 2;
            }
        };
        assertTrue(text(broken).endsWith(" to see why it throws IllegalStateException: no price)"));
    }

    @Test
    void a_long_or_deep_value_is_cut_and_says_so() {
        var numbers = text(Collections.nCopies(1_000_000_000, 7));
        assertTrue(numbers.contains(", 7, … 999,999,000 more]\n(Cut, because"), numbers);
        var rows = text(new int[2_000][10]);
        assertTrue(rows.length() < 5_000 && rows.contains("0, … 1 more], … 1,909 more]"), rows);
        var words = text("🙂".repeat(1_000_000));
        assertTrue(words.length() < 100_300 && words.contains("🙂… 1,900,000 more characters\n(Cut"));
        var odd = text("a" + "🙂".repeat(1_000_000));
        assertTrue(odd.contains("🙂… 1,900,002 more characters\n(Cut"));
        Object deep = 1;
        for (int i = 0; i < 100_000; i++) {
            deep = List.of(deep);
        }
        assertTrue(text(deep).startsWith("[".repeat(50) + "…" + "]".repeat(50) + "\n(Cut"));
    }

    @Test
    void an_interrupt_ends_the_writing_of_a_value() {
        Thread.currentThread().interrupt();
        assertThrows(CancellationException.class, () -> text(List.of(1)));
        assertFalse(Thread.interrupted());
    }

    @Test
    void whole_numbers_are_exact_and_identifiers_have_no_separators() {
        var html = Html.of(Table.create(
                LongColumn.create("pid", 9_007_199_254_740_993L),
                LongColumn.create("sum", 9_007_199_254_740_993L),
                IntColumn.create("orderId", new int[] {47_110}),
                IntColumn.create("port numbers", new int[] {47_111})));
        assertTrue(html.contains(">9007199254740993<") && html.contains(">9,007,199,254,740,993<"), html);
        assertTrue(html.contains(">47110<") && html.contains(">47,111<"), html);
    }

    @Test
    void a_long_table_shows_its_head_and_tail_and_a_short_one_all() {
        var numbers = IntStream.range(0, 163).toArray();
        var table = Table.create("t", IntColumn.create("i", numbers));
        var html = Html.of(table);
        assertTrue(html.contains(">9<") && html.contains(">153<") && html.contains(">162<"), html);
        assertFalse(html.contains(">10<") || html.contains(">152<"), html);
        assertTrue(html.contains("… 143 more rows …"), html);
        assertFalse(Html.of(table.first(30)).contains("more row"));
        assertTrue(Html.of(table.emptyCopy()).contains(">i<"));
    }

    @Test
    void numbers_are_rounded_alike_in_a_column_and_text_is_escaped() {
        var doubles = DoubleColumn.create("s", 1.132555825, 1.0, 12.3456);
        doubles.appendMissing();
        var table = Table.create(
                "t",
                doubles,
                IntColumn.create("year", 2022, 2023, 2024, 2025),
                IntColumn.create("n", 1_000, 5_000_000, 1, 2),
                StringColumn.create("<text>", "a<b", "&", "", "x"));
        var html = Html.of(table);
        assertTrue(html.contains(">1.133<") && html.contains(">1.000<") && html.contains(">12.346<"), html);
        assertTrue(html.contains(">2022<") && html.contains(">5,000,000<"), html);
        assertTrue(html.contains("&lt;text&gt;") && html.contains("a&lt;b") && html.contains(">–<"), html);
    }

    @Test
    void a_small_number_keeps_its_digits_beside_a_large_one() {
        var html = Html.of(Table.create("t", DoubleColumn.create("value", 1.926, 512.74, 24_197.7)));
        assertTrue(html.contains(">1.926<") && html.contains(">512.74<") && html.contains(">24,198<"), html);
    }

    @Test
    void a_claim_is_green_orange_or_grey() {
        assertTrue(Html.of(claim(Outcome.HELD)).contains("#009E73"));
        var broken = Html.of(claim(Outcome.BROKEN));
        assertTrue(broken.contains("#D55E00") && broken.contains("✘ a &lt; b"), broken);
        var unjudged = Html.of(claim(Outcome.NOT_JUDGED));
        assertTrue(unjudged.contains("#999999") && unjudged.contains("≈ a &lt; b"), unjudged);
    }

    private static Claim claim(Outcome verdict) {
        return new Claim("a < b", verdict, "1, allowed: at most 2", 1, "at most 2", 0.5, 1, Optional.empty());
    }

    @Test
    void a_readers_guess_stands_below_the_claim_in_its_own_colour() {
        var guess = Guess.number("a < b", "seconds").upTo(10).is(4);
        var html = Html.of(Claim.that("a", 2).guess(guess).predicted(1).atMost(3));
        assertTrue(
                html.contains("#F0E442") && html.contains("You guessed 4 s; it was 2 s: you guessed 2 times as much."),
                html);
        assertFalse(Html.of(claim(Outcome.HELD)).contains("#F0E442"));
    }

    @Test
    void progress_says_what_runs_and_how_long_it_will_take() {
        var state = Progress.State.RUNNING;
        var running = "virtual × 10, trial 2 of 3";
        var elapsed = Duration.ofMillis(4_200);
        var left = Duration.ofSeconds(6);
        var progress = new Progress("n tasks", state, running, "trials", 5, 12, 4, elapsed, left, trials());
        assertEquals("5 of 12 trials, 4.2 s, about 6.0 s left", Html.inWords(progress));
        assertTrue(Html.of(progress).contains("virtual × 10, trial 2 of 3"));
        assertTrue(Html.of(progress).contains("<progress value=\"5\" max=\"12\""));
    }

    @Test
    void without_a_kernel_nothing_is_shown_and_nothing_breaks() {
        new LiveTrials()
                .told(new Progress("", Progress.State.FINISHED, "", "trials", 0, 0, 0, Duration.ZERO, null, trials()));
    }

    @Test
    void a_replay_is_a_picture_that_its_script_replaces() {
        var trace = Table.create(
                StringColumn.create("thread", "v1", "v2"),
                StringColumn.create("carrier", "worker-1", "worker-1"),
                DoubleColumn.create("from (ms)", 0, 10),
                DoubleColumn.create("until (ms)", 9, 19));
        var replay = Plots.replay(trace);
        var html = Html.picture(replay.toString(), 780, 420, "iVBORw0KGgo=", replay.player());
        assertTrue(
                html.startsWith("<div><img alt=\"Replay, ") && html.contains("base64,iVBORw0KGgo=\"><script>"),
                html.substring(0, 300));
        assertTrue(html.endsWith("</script></div>"), html);
    }

    private static final StackTraceElement OWN = new StackTraceElement("REPL.$JShell$1", "<orders>", "Cell.java", 1);
    private static final StackTraceElement JDK = new StackTraceElement("java.lang.Thread", "run", "Thread.java", 1);

    @Test
    void own_frames_are_marked_and_escaped_and_others_are_counted() {
        var html = Html.of(Traces.of("a thread", thrown(OWN, JDK, JDK)));

        assertTrue(html.contains("<strong>▸ &lt;orders&gt;</strong>"), html);
        assertTrue(html.contains("<em>2 frames of the JDK</em>"), html);
        assertTrue(html.contains("1 own of 3 frames"), html);
    }

    @Test
    void a_shorter_trace_is_filled_up_so_that_the_columns_stay_side_by_side() {
        var html = Html.of(Traces.of("a thread", thrown(OWN, OWN, JDK)).and("a stage", thrown(OWN)));

        assertEquals(2, html.split("<td></td>", -1).length - 1, html);
    }

    private static IllegalStateException thrown(StackTraceElement... frames) {
        var exception = new IllegalStateException("no orders");
        exception.setStackTrace(frames);
        return exception;
    }

    @Test
    void a_chart_for_the_site_has_a_twin_for_phones_with_its_title_as_text() {
        var chart = new XYChart(700, 420);
        chart.setTitle("a < b\n3 ms");
        chart.addSeries("one", new double[] {1, 2}, new double[] {1, 2});
        var html = Html.narrow("<img wide>", "a chart", chart);
        assertTrue(html.startsWith("<div class=\"threadlab-wide\"><img wide></div><div class=\"threadlab-narrow\">"));
        assertTrue(html.contains(
                "<strong>a &lt; b</strong><br>3 ms<br><img alt=\"a chart\" width=\"340\" height=\"340\""));
        assertEquals(700, chart.getWidth());
        assertTrue(chart.getStyler().isChartTitleVisible());
    }

    @Test
    void what_a_page_asks_again_survives_in_an_attribute() {
        var asked = Html.asked("<b>words</b>", "{\"about\":\"a < b & \\\"c\\\"\"}");
        assertEquals(
                "<div class=\"threadlab-guess\" data-guess=\"{&quot;about&quot;:&quot;a &lt; b &amp; \\&quot;c\\&quot;&quot;}\">"
                        + "<b>words</b></div>",
                asked);
    }
}
