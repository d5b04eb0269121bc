package threadlab.plot;

import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;
import threadlab.support.Arguments;

/** A chart whose vertical axis carries names instead of numbers: one lane for each, the first on top. */
final class Lanes {

    static final int MOST = 40;

    /** Below this height XChart chooses its ticks by another rule, so lanes would lose their names. */
    private static final int LEAST_HEIGHT = 190;

    /** The height of title, axis and legend, in pixels. */
    private static final int AROUND = 172;

    /** The longest line of a name, in characters: if XChart 4.0.3 has to write a longer one, it may loop without an end. */
    static final int LONGEST_LINE = 20;

    /** Half the height of a bar, in lanes. */
    private static final double HALF_HEIGHT = 0.36;

    /** A stretch of time on a lane, in ms; all bars of a group have the same colour. */
    record Bar(String lane, String group, double from, double until) {

        /** The bars for the rows of a table, in its order. */
        static List<Bar> of(Table rows, String lane, String group) {
            Results.require(rows, lane, group, "from (ms)", "until (ms)");
            var bars = new ArrayList<Bar>();
            for (var row : rows) {
                double from = row.getDouble("from (ms)");
                bars.add(new Bar(row.getString(lane), row.getString(group), from, row.getDouble("until (ms)")));
            }
            return bars;
        }

        /** The part of the bar before a moment; it has no length if the bar begins later. */
        Bar before(double moment) {
            return new Bar(lane, group, Math.min(from, moment), Math.min(until, moment));
        }

        double length() {
            return until - from;
        }
    }

    private final List<String> names;

    Lanes(List<String> names) {
        this.names = names;
        var words = "a chart of %,d lanes cannot be read: draw at most %d, chosen with trace.where(…)";
        Arguments.require(names.size() <= MOST, words, names.size(), MOST);
    }

    /**
     * An empty chart with these lanes.
     *
     * @param laneHeight in pixels
     * @param content the share of the width used for data
     * @param below the height needed below the plot in addition to one line of legend, in pixels
     */
    Card chart(String xTitle, String yTitle, int laneHeight, double content, int below) {
        int plot = Math.max(LEAST_HEIGHT, names.size() * laneHeight);
        var chart = new Card(xTitle, yTitle, AROUND + plot + below, names);
        var style = chart.getStyler();
        style.setPlotContentSize(content);
        style.setYAxisTitleVisible(false);
        style.setYAxisMin(-0.5);
        style.setYAxisMax(names.size() - 0.5);
        // a little less than a lane, so that the ticks fall on every lane and nowhere else
        style.setYAxisTickMarkSpacingHint((int) (0.85 * plot / names.size()));
        style.setYAxisLabelAlignment(AxesChartStyler.TextAlignment.Right);
        style.setYAxisTickLabelsFormattingFunction(this::name);
        return chart;
    }

    /** An empty chart for bars, with a time axis that begins at 0. */
    Card timeChart(String xTitle, String yTitle, double end, int laneHeight, int below) {
        var chart = chart(xTitle, yTitle, laneHeight, 0.98, below);
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setXAxisMax(end);
        return chart;
    }

    /** The middle of a lane on the vertical axis. */
    double y(String name) {
        return names.size() - 1 - names.indexOf(name);
    }

    private String name(double y) {
        int lane = (int) Math.round(names.size() - 1 - y);
        boolean inside = lane >= 0 && lane < names.size() && y == Math.rint(y);
        if (inside) {
            return shortened(names.get(lane), LONGEST_LINE);
        }
        // XChart also asks beyond the ends, and all answers must differ; those at the ends of a single lane are drawn
        return names.size() == 1 ? " ".repeat(Math.clamp(Math.round(6 + 2 * y), 0, 12)) : String.valueOf(y);
    }

    /** Shortens a long name but keeps its end, where the number is that distinguishes it from others. */
    private static String shortened(String name, int most) {
        return name.length() <= most ? name : "…" + name.substring(name.length() - most + 1);
    }

    /** A name in lines that are no longer than XChart leaves room for, broken between words; the last of these may be cut. */
    static List<String> wrapped(String name, int mostLines) {
        var lines = new ArrayList<String>();
        for (var rest = name; !rest.isEmpty(); ) {
            int space = rest.lastIndexOf(' ', LONGEST_LINE);
            if (rest.length() <= LONGEST_LINE || space <= 0 || lines.size() == mostLines - 1) {
                lines.add(shortened(rest, LONGEST_LINE));
                break;
            }
            lines.add(rest.substring(0, space));
            rest = rest.substring(space + 1);
        }
        return lines;
    }

    /** Draws the bars of one group. */
    void bars(XYChart chart, String group, Color color, List<Bar> bars) {
        blocks(chart, group, color, bars, 0, HALF_HEIGHT);
    }

    /** Draws bars that may overlap those of other groups: each group has a strip of the lane, the first on top. */
    void strips(XYChart chart, String group, Color color, List<Bar> bars, int strip, int strips) {
        double half = HALF_HEIGHT / strips;
        blocks(chart, group, color, bars, HALF_HEIGHT - (2 * strip + 1) * half, 0.85 * half);
    }

    private void blocks(XYChart chart, String name, Color color, List<Bar> bars, double above, double half) {
        var x = new ArrayList<Double>();
        var y = new ArrayList<Double>();
        for (var bar : bars) {
            double low = y(bar.lane) + above - half;
            double high = y(bar.lane) + above + half;
            x.addAll(List.of(bar.from, bar.from, bar.until, bar.until, bar.until));
            // XChart ends a polygon at a missing value
            y.addAll(List.of(low, high, high, low, Double.NaN));
        }
        var series = chart.addSeries(name, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
        series.setFillColor(color);
        series.setLineColor(color);
        series.setLineStyle(SeriesLines.NONE);
        series.setMarker(SeriesMarkers.NONE);
    }

    /** Writes the first text that fits on a bar of this colour. */
    void write(XYChart chart, Bar bar, Color color, Font font, String... texts) {
        double room = bar.length() / chart.getStyler().getXAxisMax() * Theme.PLOT_WIDTH - 3;
        var name = "words on bar " + chart.getSeriesCollection().size();
        double middle = (bar.from + bar.until) / 2;
        for (var text : texts) {
            if (Label.width(text, font) < room) {
                mark(chart, name, middle, y(bar.lane), Label.above(text, font, 0), Theme.textOn(color));
                return;
            }
        }
    }

    static void mark(XYChart chart, String name, double x, double y, Marker marker, Color color) {
        marks(chart, name, new double[] {x}, new double[] {y}, marker, color);
    }

    /** Draws marks that have no entry in the legend. */
    static XYSeries marks(XYChart chart, String name, double[] x, double[] y, Marker marker, Color color) {
        var series = chart.addSeries(name, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setMarker(marker);
        series.setMarkerColor(color);
        series.setShowInLegend(false);
        return series;
    }
}
