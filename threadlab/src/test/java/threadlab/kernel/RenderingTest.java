package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.HashSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.claim.Claim;
import threadlab.claim.Outcome;
import threadlab.measure.Trials;
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
                text.matches("Chart: 2 tasks: .* wall time \\(s\\) against n tasks, for platform, virtual\\."), text);
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
        return new Claim("a < b", verdict, "1, allowed: at most 2", 1, "at most 2", 0.5);
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
}
