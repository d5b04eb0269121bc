package threadlab.plot;

import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Draws when tasks ran: a lane per task, a colour for how it ended. */
final class TaskLanes {

    private static final int MOST_LANES = 40;
    private static final double HALF_BAR = 0.3;
    private static final Font WORDS = new Font(Font.SANS_SERIF, Font.BOLD, 12);
    /** The part of a chart's width that its plot gets, about. */
    private static final double PLOT_WIDTH = Theme.WIDTH - 130;
    /** Neither of the colours of platform and virtual threads: a task may run on either. */
    private static final Map<String, Color> COLORS =
            Map.of("done", new Color(0x009E73), "failed", new Color(0xCC79A7), "cancelled", new Color(0x777777));

    private record Bar(String task, double from, double until, String ending) {
        double length() {
            return until - from;
        }
    }

    private final List<Bar> bars = new ArrayList<>();
    private final List<String> tasks;
    private final double begin;
    private final double end;

    TaskLanes(Table trace) {
        Results.require(trace, "task", "from (ms)", "until (ms)", "ending");
        for (Row row : trace) {
            bars.add(new Bar(
                    row.getString("task"),
                    row.getDouble("from (ms)"),
                    row.getDouble("until (ms)"),
                    row.getString("ending")));
        }
        tasks = bars.stream().map(Bar::task).distinct().toList();
        begin = bars.stream().mapToDouble(Bar::from).min().orElseThrow();
        end = bars.stream().mapToDouble(Bar::until).max().orElseThrow() - begin;
        if (tasks.size() > MOST_LANES) {
            throw new IllegalArgumentException(
                    "a chart of %,d tasks cannot be read: draw at most %d, such as trace.where(…)"
                            .formatted(tasks.size(), MOST_LANES));
        }
    }

    /**
     * The chart.
     *
     * @param axis where the axis of time ends at the earliest, in ms
     */
    XYChart chart(double axis) {
        double width = Math.max(axis, end);
        var axes = new Lanes(tasks);
        var chart = axes.chart("time since the first task began (ms)", "task", 50, 0);
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setXAxisMax(width);
        chart.getStyler().setYAxisTitleVisible(false);
        for (String ending : List.of("done", "failed", "cancelled")) {
            var own = bars.stream().filter(bar -> bar.ending.equals(ending)).toList();
            if (!own.isEmpty()) {
                bars(chart, axes, ending, own);
            }
        }
        for (Bar bar : bars) {
            label(chart, axes, bar, width);
        }
        chart.setTitle(finding());
        return chart;
    }

    private void bars(XYChart chart, Lanes axes, String ending, List<Bar> own) {
        var x = new double[own.size() * 5];
        var y = new double[own.size() * 5];
        int i = 0;
        for (Bar bar : own) {
            double middle = axes.y(bar.task);
            for (int corner = 0; corner < 4; corner++) {
                x[i] = (corner < 2 ? bar.from : bar.until) - begin;
                y[i++] = middle + (corner == 0 || corner == 3 ? -HALF_BAR : HALF_BAR);
            }
            // XChart ends a polygon at a missing value
            x[i] = bar.until - begin;
            y[i++] = Double.NaN;
        }
        var series = chart.addSeries(ending, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
        series.setFillColor(COLORS.get(ending));
        series.setLineColor(COLORS.get(ending));
        series.setLineStyle(SeriesLines.NONE);
        series.setMarker(SeriesMarkers.NONE);
    }

    private void label(XYChart chart, Lanes axes, Bar bar, double width) {
        double room = bar.length() / width * PLOT_WIDTH - 4;
        var label = Stream.of("%s, took %,.0f ms", "%2$,.0f ms")
                .map(words -> new Label(words.formatted(bar.ending, bar.length()), WORDS, 0))
                .filter(words -> words.width() <= room)
                .findFirst();
        if (label.isEmpty()) {
            return;
        }
        var series = chart.addSeries(
                bar.task + " at " + bar.from,
                new double[] {(bar.from + bar.until) / 2 - begin},
                new double[] {axes.y(bar.task)});
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setMarker(label.get());
        series.setMarkerColor(Theme.textOn(COLORS.get(bar.ending)));
        series.setShowInLegend(false);
    }

    /** What the run shows: who ended it, or how much of the work overlapped. */
    private String finding() {
        var failed =
                bars.stream().filter(bar -> bar.ending.equals("failed")).min(Comparator.comparingDouble(Bar::until));
        long cancelled =
                bars.stream().filter(bar -> bar.ending.equals("cancelled")).count();
        if (failed.isPresent()) {
            var rest = cancelled > 0
                    ? "%d cancelled, all over at %,.0f ms".formatted(cancelled, end)
                    : "the others go on until %,.0f ms".formatted(end);
            return "Failure of %s at %,.0f ms: %s".formatted(failed.get().task, failed.get().until - begin, rest);
        }
        if (cancelled > 0) {
            return "%d of %d tasks cancelled, all over at %,.0f ms".formatted(cancelled, bars.size(), end);
        }
        return "%d %s done after %,.0f ms; they took %,.0f ms together, the longest %,.0f ms"
                .formatted(
                        bars.size(),
                        bars.size() == 1 ? "task" : "tasks",
                        end,
                        bars.stream().mapToDouble(Bar::length).sum(),
                        bars.stream().mapToDouble(Bar::length).max().orElseThrow());
    }
}
