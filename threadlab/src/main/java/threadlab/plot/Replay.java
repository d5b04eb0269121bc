package threadlab.plot;

import com.google.gson.Gson;
import java.awt.BasicStroke;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Table;

/**
 * A run in slow motion. A page that runs scripts plays it as SVG with buttons and a slider; any other page shows the
 * whole run as a chart. The player uses no network, and several players on one page are independent.
 */
public final class Replay {

    /** The duration of the whole run in the player. */
    static final int SECONDS = 6;

    /** Larger players would make a page slow: such a run stays a chart. */
    static final int MOST_BYTES = 150_000;

    /** The most threads that a title names. */
    private static final int NAMED = 6;

    /**
     * What the player plays; all times in ms.
     *
     * @param threads for each thread its name, its colour and the colour of text on it
     * @param bars for each bar the index of its thread and of its lane, when it begins and when it ends
     * @param rows what threads do between their bars; none if that is not shown
     * @param rests as bars, with the index of a row
     * @param inferred a sentence on how the rests were found
     * @param state the state of a thread during a bar, such as mounted
     * @param legend whether the bars and a legend show the threads' names
     * @param accent the colour of the slider
     */
    record Film(
            List<String> lanes,
            List<List<String>> threads,
            List<List<Number>> bars,
            List<String> rows,
            List<List<Number>> rests,
            String inferred,
            double end,
            String state,
            boolean legend,
            String title,
            int seconds,
            String accent) {}

    private final Timeline timeline;

    Replay(Table trace, Duration sleep) {
        timeline = new Timeline(trace, true, sleep);
    }

    /**
     * The whole run.
     *
     * @return the chart of {@link Plots#timeline} and the rows below it, with a sentence as its title
     */
    public XYChart chart() {
        return Plots.titled(timeline.sentence(), timeline.chart());
    }

    /**
     * One frame of the run.
     *
     * @param share the share of the run that is over, from 0 to 1
     * @return what had happened until then, on the axes of the whole run; its title names the threads that were mounted
     */
    public XYChart at(double share) {
        double moment = share * timeline.end;
        var chart = timeline.until(moment);
        var now = chart.addSeries("now", new double[] {moment, moment}, new double[] {-1, Lanes.MOST});
        now.setMarker(SeriesMarkers.NONE);
        now.setLineColor(Theme.INK);
        now.setLineStyle(new BasicStroke(1.2f));
        now.setShowInLegend(false);
        var busy = timeline.busyAt(moment);
        var names = busy.size() <= NAMED ? String.join(", ", busy) : busy.size() + " threads";
        chart.setTitle("%.0f ms: %s %s".formatted(moment, busy.isEmpty() ? "no thread" : names, timeline.state()));
        return chart;
    }

    /**
     * The script of the player.
     *
     * @return an HTML element {@code script} of at most 150 kB that takes the place of the image before it in its parent;
     *     nothing for a run that is too long for it
     */
    public String player() {
        // Gson escapes a character that could end the script, such as <
        var script = "<script>(%s)(document.currentScript, %s)</script>"
                .formatted(code(), new Gson().toJson(timeline.run()));
        return script.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES ? "" : script;
    }

    private static String code() {
        try (var in = Replay.class.getResourceAsStream("player.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A description for readers who cannot see the chart. */
    @Override
    public String toString() {
        var slower = Plots.number(SECONDS * 1_000 / timeline.end);
        return "Replay, " + slower + " × slower than the run. "
                + chart().getTitle().replace("\n", ": ") + ".";
    }
}
