package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import com.google.gson.GsonBuilder;
import com.google.gson.ToNumberPolicy;
import java.awt.Color;
import java.awt.image.BufferedImage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.knowm.xchart.XYSeries;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.guess.Guess;

class TimelineTest {

    /** Threads take turns on carriers, three rounds of 10 ms each, with every carrier always busy. */
    private static Table trace(int threads, int carriers) {
        var table = Table.create("trace", StringColumn.create("thread"), StringColumn.create("carrier"));
        table.addColumns(DoubleColumn.create("from (ms)"), DoubleColumn.create("until (ms)"));
        for (int i = 0; i < 3 * threads; i++) {
            table.stringColumn("thread").append("v" + (i % threads + 1));
            table.stringColumn("carrier").append("ForkJoinPool-1-worker-" + (i % carriers + 1));
            table.doubleColumn("from (ms)").append(i / carriers * 10.0);
            table.doubleColumn("until (ms)").append(i / carriers * 10.0 + 9);
        }
        return table;
    }

    /** The bands of a picture that are as thick as bars: rows of dark or coloured pixels without a break. */
    private static int lanes(BufferedImage image) {
        int lanes = 0;
        int thickness = 0;
        for (int y = 0; y < image.getHeight(); y++) {
            int drawn = 0;
            for (int x = 0; x < image.getWidth(); x++) {
                var color = new Color(image.getRGB(x, y));
                drawn += Math.min(color.getRed(), Math.min(color.getGreen(), color.getBlue())) < 216 ? 1 : 0;
            }
            thickness = drawn > image.getWidth() / 4 ? thickness + 1 : 0;
            lanes += thickness == 16 ? 1 : 0;
        }
        return lanes;
    }

    @ParameterizedTest
    @CsvSource({"4, 1", "7, 2", "9, 4", "13, 8", "40, 8"})
    void the_picture_has_a_lane_for_each_carrier(int threads, int carriers) {
        assertEquals(carriers, lanes(CardTest.draw(Plots.timeline(trace(threads, carriers)))));
    }

    @ParameterizedTest
    @CsvSource({
        "7, 2, 7 threads on 2 carriers: at most 2 mounted at once; 7 ran on more than one carrier",
        "6, 2, 6 threads on 2 carriers: at most 2 mounted at once; none ran on more than one carrier",
        "1, 1, 1 thread on 1 carrier: at most 1 mounted at once; none ran on more than one carrier"
    })
    void the_title_says_what_the_rows_show(int threads, int carriers, String title) {
        assertEquals(title, Plots.timeline(trace(threads, carriers)).getTitle());
    }

    @ParameterizedTest
    @CsvSource({
        "7, 2, 'Threads take turns on the carriers, and come back on another one'",
        "4, 1, Threads take turns on the carriers"
    })
    void the_still_of_a_replay_has_a_sentence_above_its_figures(int threads, int carriers, String sentence) {
        var title = Plots.replay(trace(threads, carriers)).chart().getTitle();
        assertEquals(sentence, title.lines().findFirst().orElseThrow());
        assertEquals(2, title.lines().count());
    }

    @Test
    void forty_threads_have_forty_colours() {
        var bars = Plots.timeline(trace(40, 8)).getSeriesCollection().stream().filter(XYSeries::isShowInLegend);
        assertEquals(40, bars.map(XYSeries::getFillColor).distinct().count());
    }

    @Test
    void too_many_lanes_or_none_are_refused() {
        refused("50 lanes", () -> Plots.timeline(trace(50, 50)));
        refused("has no rows", () -> Plots.timeline(trace(1, 1).emptyCopy()));
        refused("has no rows", () -> Plots.replay(trace(1, 1).emptyCopy()));
    }

    @Test
    void a_picture_of_the_film_shows_only_what_has_happened() {
        var replay = Plots.replay(trace(7, 2));
        assertEquals("0 ms: v1, v2 mounted", replay.at(0).getTitle());
        assertEquals("109 ms: no thread mounted", replay.at(1).getTitle());
        var shares = DoubleStream.of(0, 0.5, 1);
        var coloured = shares.mapToInt(share -> coloured(CardTest.draw(replay.at(share))))
                .toArray();
        assertTrue(2 * coloured[0] < coloured[1] && coloured[1] < 0.7 * coloured[2], Arrays.toString(coloured));
    }

    /** The number of coloured pixels. */
    private static int coloured(BufferedImage image) {
        int coloured = 0;
        for (int rgb : image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth())) {
            var color = new Color(rgb);
            int far = Math.abs(color.getRed() - color.getGreen()) + Math.abs(color.getGreen() - color.getBlue());
            coloured += far > 40 ? 1 : 0;
        }
        return coloured;
    }

    @ParameterizedTest
    @CsvSource({"7, 2", "40, 8", "1000, 8"})
    void the_player_is_small_and_holds_every_bar(int threads, int carriers) {
        var player = Plots.replay(trace(threads, carriers)).player();
        assertTrue(player.length() > 1_000 && player.length() <= Replay.MOST_BYTES, player.length() + " bytes");
        assertTrue(player.startsWith("<script>") && player.endsWith("</script>"));
        var bars = run(player).bars();
        assertEquals(3 * threads, bars.size());
        assertEquals(List.of(0.0, 0.0, 0.0, 9.0), bars.getFirst());
    }

    /** What a player plays, as a page reads it; all of its numbers are doubles. */
    private static Replay.Film run(String player) {
        int begin = player.lastIndexOf("(document.currentScript, ") + "(document.currentScript, ".length();
        var numbers = new GsonBuilder()
                .setNumberToNumberStrategy(ToNumberPolicy.DOUBLE)
                .create();
        return numbers.fromJson(player.substring(begin, player.lastIndexOf(")</script>")), Replay.Film.class);
    }

    @Test
    void a_thread_rests_between_two_stretches() {
        var run = run(Plots.replay(trace(4, 2)).player());
        assertEquals(List.of("sleeps or waits"), run.rows());
        // v1 from 0 to 9, 20 to 29 and 40 to 49 ms
        assertEquals(List.of(List.of(0.0, 0.0, 9.0, 20.0), List.of(0.0, 0.0, 29.0, 40.0)), of(run.rests(), 0));
        assertEquals(59, run.end());
    }

    @Test
    void with_a_sleep_each_thread_is_somewhere_from_the_start_to_the_end_of_its_last_sleep() {
        var run = run(Plots.replay(trace(4, 2), Duration.ofMillis(5)).player());
        assertEquals(List.of("sleeps", "wants a carrier"), run.rows());
        assertTrue(run.inferred().contains("sleeps 5 ms"), run.inferred());
        assertEquals(64, run.end());
        for (int thread = 0; thread < 4; thread++) {
            var stays = new ArrayList<>(of(run.bars(), thread));
            stays.addAll(of(run.rests(), thread));
            stays.sort(Comparator.comparing(stay -> stay.get(2).doubleValue()));
            assertEquals(0.0, stays.getFirst().get(2));
            for (int i = 1; i < stays.size(); i++) {
                assertEquals(stays.get(i - 1).get(3), stays.get(i).get(2));
            }
        }
        // v3 wants a carrier, runs, sleeps
        assertEquals(List.of(2.0, 1.0, 0.0, 10.0), of(run.rests(), 2).getFirst());
        assertEquals(List.of(2.0, 0.0, 19.0, 24.0), of(run.rests(), 2).get(1));
    }

    private static List<List<Number>> of(List<List<Number>> stays, int thread) {
        return stays.stream()
                .filter(stay -> stay.getFirst().intValue() == thread)
                .toList();
    }

    @Test
    void a_sleep_that_the_trace_contradicts_is_refused() {
        refused("goes on 11.000 ms after a stretch", () -> Plots.replay(trace(4, 2), Duration.ofMillis(12)));
        var platform = trace(2, 2);
        platform.stringColumn("carrier").set(platform.stringColumn("carrier").isNotMissing(), "v1");
        platform.stringColumn("thread").set(platform.stringColumn("thread").isNotMissing(), "v1");
        refused("platform threads wait for no carrier", () -> Plots.replay(platform, Duration.ofMillis(1)));
        assertEquals(List.of(), run(Plots.replay(platform).player()).rows());
    }

    @Test
    void a_run_that_is_too_long_for_a_player_stays_a_picture() {
        assertEquals("", Plots.replay(trace(2_000, 8)).player());
    }

    @Test
    void no_name_ends_the_script_of_the_player() {
        var trace = trace(1, 1);
        trace.stringColumn("thread").set(0, "</script>\"\\\n");
        var player = Plots.replay(trace).player();
        assertEquals(1, player.split("</script>", -1).length - 1);
        assertTrue(player.contains("\"\\u003c/script\\u003e\\\"\\\\\\n\""), player.substring(player.length() - 400));
    }

    @Test
    void the_player_asks_no_network() {
        var player = Plots.replay(trace(7, 2)).player().replace("http://www.w3.org/2000/svg", "");
        assertTrue(!player.contains("http") && !player.contains("fetch") && !player.contains("import"));
    }

    @Test
    void guessed_bars_are_laid_above_those_of_the_run_and_without_a_guess_nothing_is_drawn() {
        var guess = Guess.lanes("four threads", "a", "b", "c").upTo(200).bars(30, "v1", "v2", "v3");
        var without = Plots.guessed(Plots.timeline(trace(4, 2)), guess);
        assertEquals(0, crayon(CardTest.draw(without)));
        guess.put("v1", "a", 0).put("v2", "b", 100).put("v3", "c", 0);
        var with = Plots.guessed(Plots.timeline(trace(4, 2)), guess);
        assertTrue(with.getTitle().endsWith("; the yellow bars are your guess"), with.getTitle());
        assertEquals(130, with.getStyler().getXAxisMax(), "a guess beyond the run is seen");
        assertTrue(crayon(CardTest.draw(with)) > 2_000, "pixels");
        refused("draw them on a chart of timeline or tasks", () -> Plots.guessed(new Card("x", "y"), guess));
    }

    private static long crayon(BufferedImage image) {
        int[] all = image.getRGB(0, 0, image.getWidth(), image.getHeight(), null, 0, image.getWidth());
        return Arrays.stream(all).filter(rgb -> rgb == Theme.GUESS.getRGB()).count();
    }
}
