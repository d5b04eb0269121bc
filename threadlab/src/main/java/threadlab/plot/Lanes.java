package threadlab.plot;

import java.util.List;
import org.knowm.xchart.style.AxesChartStyler;

/** A chart whose vertical axis carries names instead of numbers: one lane for each, the first on top. */
final class Lanes {

    /** Below this height XChart chooses its ticks by another rule, and lanes would lose their names. */
    private static final int LEAST_HEIGHT = 190;

    /** What title, axis and legend take, in pixels. */
    private static final int AROUND = 136;

    private static final double CONTENT = 0.98;

    /** Longer names XChart would leave out, and others with them. */
    private static final int LONGEST_NAME = 20;

    private final List<String> names;

    Lanes(List<String> names) {
        this.names = names;
    }

    /**
     * An empty chart with these lanes.
     *
     * @param laneHeight in pixels
     * @param below what is needed below the plot beside one line of legend, in pixels
     */
    Card chart(String xTitle, String yTitle, int laneHeight, int below) {
        int plot = Math.max(LEAST_HEIGHT, names.size() * laneHeight);
        var chart = Theme.lanes(xTitle, yTitle, AROUND + plot + below);
        var style = chart.getStyler();
        style.setPlotContentSize(CONTENT);
        style.setYAxisMin(-0.5);
        style.setYAxisMax(names.size() - 0.5);
        // a little less than a lane, so that the ticks fall on every lane and nowhere else
        style.setYAxisTickMarkSpacingHint((int) (0.85 * plot / names.size()));
        style.setYAxisLabelAlignment(AxesChartStyler.TextAlignment.Right);
        style.setYAxisTickLabelsFormattingFunction(this::name);
        return chart;
    }

    /** The middle of a lane on the vertical axis. */
    double y(String name) {
        return names.size() - 1 - names.indexOf(name);
    }

    private String name(double y) {
        int lane = (int) Math.round(names.size() - 1 - y);
        boolean inside = lane >= 0 && lane < names.size() && y == Math.rint(y);
        // XChart asks beyond the ends, too, and wants all answers to differ
        return inside ? shortened(names.get(lane)) : String.valueOf(y);
    }

    /** The end of a long name: there stands the number that tells it from others. */
    private static String shortened(String name) {
        return name.length() <= LONGEST_NAME ? name : "…" + name.substring(name.length() - LONGEST_NAME + 1);
    }
}
