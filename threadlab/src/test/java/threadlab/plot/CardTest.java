package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.Rectangle;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

class CardTest {

    private static Table trials(int... sizes) {
        var virtual = Collections.nCopies(sizes.length, "virtual");
        return Table.create(
                "n tasks",
                StringColumn.create("contender", virtual),
                StringColumn.create("kind", virtual),
                IntColumn.create("n", sizes),
                DoubleColumn.create("seconds", Arrays.stream(sizes).mapToDouble(n -> n / 100.0)));
    }

    static BufferedImage draw(XYChart chart) {
        var image = new BufferedImage(chart.getWidth(), chart.getHeight(), BufferedImage.TYPE_INT_RGB);
        chart.paint(image.createGraphics(), chart.getWidth(), chart.getHeight());
        return image;
    }

    /** The part of a black picture that something was written on. */
    static Rectangle ink(BufferedImage picture) {
        var ink = new Rectangle(-1, -1);
        for (int x = 0; x < picture.getWidth(); x++) {
            for (int y = 0; y < picture.getHeight(); y++) {
                if ((picture.getRGB(x, y) & 0xFFFFFF) != 0) {
                    ink.add(new Rectangle(x, y, 1, 1));
                }
            }
        }
        return ink;
    }

    @Test
    void an_axis_is_labelled_at_the_measured_sizes() {
        var sizes = new double[] {1_000, 50, 200};
        assertArrayEquals(new double[] {50, 200, 1_000}, Ticks.across(sizes, 50, 1_000, true));
        assertArrayEquals(new double[] {0, 50, 200, 1_000}, Ticks.across(sizes, 0, 1_000, false));
    }

    @Test
    void without_sizes_an_axis_has_round_labels() {
        assertArrayEquals(new double[] {0, 5, 10, 15}, Ticks.between(0, 19, false, 6));
        assertArrayEquals(new double[] {50, 100, 200, 500}, Ticks.between(40, 900, true, 6));
        assertArrayEquals(new double[] {1, 10, 100, 1_000}, Ticks.between(1, 5_000, true, 6));
        assertArrayEquals(new double[] {10, 100, 1_000}, Ticks.across(new double[0], 3, 2_000, true));
        assertArrayEquals(new double[] {3}, Ticks.between(3, 3, false, 6));
    }

    @Test
    void drawing_changes_nothing_that_a_cell_may_ask_for() {
        var chart = Plots.onPrediction(trials(1, 2, 5, 10), "seconds", n -> n / 100);
        var one = draw(chart);
        assertEquals(Theme.HEIGHT, chart.getHeight());
        assertEquals(Theme.DASHED, chart.getSeries("predicted").getLineStyle());
        assertTrue(chart.getStyler().isLegendVisible());
        var two = draw(chart);
        for (int x = 0; x < one.getWidth(); x += 3) {
            for (int y = 0; y < one.getHeight(); y += 3) {
                assertEquals(one.getRGB(x, y), two.getRGB(x, y));
            }
        }
    }

    @Test
    void a_dashed_line_stays_dashed_where_its_points_are_dense() {
        var dense = Table.create("dense", DoubleColumn.create("seconds", 0, 1), DoubleColumn.create("load", 0, 10));
        var chart = Plots.overTime(dense);
        var x = IntStream.range(0, 2_000).mapToDouble(i -> i / 2_000.0).toArray();
        var y = new double[x.length];
        Arrays.fill(y, 9);
        var series = chart.addSeries("dense", x, y);
        series.setMarker(SeriesMarkers.NONE);
        series.setLineColor(Color.RED);
        series.setLineStyle(Theme.DASHED);
        var image = draw(chart);
        int most = 0;
        for (int row = 0; row < image.getHeight(); row++) {
            int run = 0;
            for (int column = 0; column < image.getWidth(); column++) {
                var color = new Color(image.getRGB(column, row));
                run = color.getRed() > 200 && color.getGreen() < 100 ? run + 1 : 0;
                most = Math.max(most, run);
            }
        }
        assertTrue(most >= 5 && most <= 26, "a dash of " + most + " pixels"); // the longest is in the legend
    }

    @Test
    void a_nametitle_stays_inside() {
        var chart = Plots.timings(trials(1, 2));
        chart.setTitle("A title of so many words and figures that it would be cut off at both of its ends: "
                + "12,345 requests in 67.8 s on the pool");
        var image = draw(chart);
        for (int y = 0; y < 40; y++) {
            for (int x = 0; x < 12; x++) {
                assertEquals(Color.WHITE, new Color(image.getRGB(x, y)));
                assertEquals(Color.WHITE, new Color(image.getRGB(image.getWidth() - 1 - x, y)));
            }
        }
    }

    @Test
    void figures_that_one_line_would_make_too_small_take_two() {
        var chart = (Card) Plots.timings(trials(1, 2));
        chart.setTitle("A pool of 200 stays at its ceiling\n5,000 clients: pool of 200 and a queue 4,000, "
                + "pool of 1,000 threads 19,800, virtual 99,000 requests/s; predicted 4,000 requests/s");
        assertEquals(
                List.of(
                        "5,000 clients: pool of 200 and a queue 4,000, pool of 1,000 threads 19,800,",
                        "virtual 99,000 requests/s; predicted 4,000 requests/s"),
                chart.figureLines(Theme.WIDTH));
        draw(chart);
        assertEquals(Theme.HEIGHT, chart.getHeight());
        chart.setTitle("A sentence\n2 tasks: virtual 0.02 s, predicted 0.02 s");
        assertEquals(1, chart.figureLines(Theme.WIDTH).size());
        chart.setTitle("A sentence without figures");
        assertEquals("A sentence without figures\n2 tasks: virtual 0.02 s", chart.getTitle());
    }

    @Test
    void the_name_of_a_lane_is_broken_between_words_and_not_cut() {
        assertEquals(List.of("other's initializer"), Lanes.wrapped("other's initializer", 2));
        assertEquals(
                List.of("platform, a pool of", "200 and a queue"),
                Lanes.wrapped("platform, a pool of 200 and a queue", 2));
        assertEquals(
                List.of("one", "…-that-is-too-long-1"), Lanes.wrapped("one word-without-spaces-that-is-too-long-1", 2));
        assertEquals(List.of("…t room, long name 1"), Lanes.wrapped("a lane without room, long name 1", 1));
    }

    @Test
    void a_stretch_of_time_is_a_grey_band() {
        var samples = Table.create("s", DoubleColumn.create("seconds", 0, 1), DoubleColumn.create("load", 5, 5));
        assertTrue(grey(Plots.overTime(samples)) < 100);
        assertTrue(grey(Plots.span(Plots.overTime(samples), "outage", 0.2, 0.4)) > 10_000);
    }

    private static long grey(XYChart chart) {
        var image = draw(chart);
        return Arrays.stream(image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth()))
                .filter(pixel -> pixel == Theme.BAND.getRGB())
                .count();
    }

    @Test
    void more_than_three_lines_are_panels_with_the_same_axes() {
        var samples = Table.create("s", DoubleColumn.create("seconds", 0, 1));
        for (var name : List.of("a", "b", "c", "d")) {
            samples.addColumns(DoubleColumn.create(name, 1, 2));
        }
        var chart = Plots.overTime(samples);
        assertTrue(chart.getHeight() > Plots.overTime(samples, "a", "b").getHeight());
        draw(chart);
        assertTrue(chart.getSeriesCollection().stream().allMatch(series -> series.isEnabled()));
        assertEquals("a, b, c, d", chart.getYAxisTitle());
    }

    @Test
    void tiles_have_one_colour_where_the_outcome_is_high_and_another_where_it_is_low() {
        var waits = Table.create(
                "waits",
                StringColumn.create("what", "file", "file", "lock", "lock"),
                StringColumn.create("contender", "Java 21", "Java 25", "Java 21", "Java 25"),
                StringColumn.create("kind", "virtual", "virtual", "virtual", "virtual"),
                DoubleColumn.create("waits (ms)", 0, 400, 401, 2));
        var chart = Plots.tiles(waits, "waits (ms)");
        assertEquals(Theme.HIGH, chart.getSeries("file, Java 25").getFillColor());
        assertEquals(Theme.HIGH, chart.getSeries("lock, Java 21").getFillColor());
        assertEquals(Theme.BAND, chart.getSeries("file, Java 21").getFillColor());
        assertEquals(Theme.BAND, chart.getSeries("lock, Java 25").getFillColor());
    }

    @Test
    void tiles_keep_the_order_of_the_table() {
        var names = List.of("file", "C that waits", "sleep", "synchronized", "Object.wait", "ReentrantLock");
        var waits = Table.create(
                "waits",
                StringColumn.create("what", names),
                StringColumn.create("contender", Collections.nCopies(names.size(), "Java 25")),
                StringColumn.create("kind", Collections.nCopies(names.size(), "virtual")),
                DoubleColumn.create("seconds", 6, 5, 4, 3, 2, 1));
        var chart = Plots.tiles(waits, "seconds");
        for (int i = 0; i < names.size(); i++) {
            double low = chart.getSeries(names.get(i) + ", Java 25").getYData()[0];
            assertEquals(names.size() - 1 - i, Math.round(low + 0.36));
        }
        assertEquals("wall time, in colour where it is high", chart.getTitle());
    }

    @Test
    void on_a_phone_a_long_name_goes_below_the_plot_which_keeps_its_width_and_the_chart_its_size() throws IOException {
        var name = Collections.nCopies(3, "virtual, by a name that is as wide as a phone");
        var trials = trials(10, 100, 1_000).replaceColumn("contender", StringColumn.create("contender", name));
        var chart = Plots.bySize(trials, "seconds");
        chart.setXAxisTitle("n tasks whose name is so long that a phone has no room for it");
        int width = chart.getWidth();
        var image = ImageIO.read(new ByteArrayInputStream(Base64.getDecoder().decode(ChartImage.narrow(chart))));
        assertEquals(2 * ChartImage.PHONE, image.getWidth());
        assertEquals(2 * ChartImage.phoneHeight(chart), image.getHeight());
        assertEquals(width, chart.getWidth(), "the next picture is as wide as ever");
        int line = new Color(0x0072B2).getRGB();
        int right = IntStream.range(0, image.getWidth())
                .filter(x -> IntStream.range(0, image.getHeight() / 2).anyMatch(y -> image.getRGB(x, y) == line))
                .max()
                .orElseThrow();
        assertTrue(right > 0.8 * image.getWidth(), "the line ends at " + right);
        boolean cut = IntStream.range(0, image.getHeight())
                .anyMatch(y -> image.getRGB(0, y) != Color.WHITE.getRGB()
                        || image.getRGB(image.getWidth() - 1, y) != Color.WHITE.getRGB());
        assertFalse(cut, "something leaves the picture");
    }

    @Test
    void on_a_phone_each_column_of_tiles_keeps_its_name() throws IOException {
        var contender = StringColumn.create("contender", "virtual on Java 21", "virtual on Java 25");
        var kind = StringColumn.create("kind", "virtual", "virtual");
        var name = "a file that is slow";
        var what = StringColumn.create("what", name, name);
        var table = Table.create("t", contender, kind, what, DoubleColumn.create("waits (ms)", 0, 400));
        var chart = Plots.tiles(table, "waits (ms)");
        var image = ImageIO.read(new ByteArrayInputStream(Base64.getDecoder().decode(ChartImage.narrow(chart))));
        // below the plot stand the names, dark, and on the right the source, grey
        int from = (int) (0.84 * image.getHeight());
        int left = IntStream.range(0, image.getWidth())
                .filter(x -> IntStream.range(from, image.getHeight()).anyMatch(y -> (image.getRGB(x, y) & 0xFF) < 0x40))
                .min()
                .orElseThrow();
        assertTrue(left < 0.55 * image.getWidth(), "the first name begins at " + left);
    }
}
