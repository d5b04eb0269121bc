package threadlab.plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Results;

/** Draws what a sampler recorded: values against the seconds of their run. */
final class OverTime {

    /** A column that counts threads of one kind, whatever the run is about. */
    private static final String PLATFORM_THREADS = "platform threads";

    private record Line(Table run, String column, Kind kind) {}

    private OverTime() {}

    static XYChart chart(String values, List<Table> runs) {
        var lines = new ArrayList<Line>();
        for (Table run : runs) {
            Results.require(run, "seconds");
            watched(run).forEach(column -> lines.add(new Line(run, column, kind(run, column))));
        }
        var chart = new Card("time (s)", values, Card.height(lines.size()), List.of());
        var figures = new ArrayList<String>();
        for (int i = 0; i < lines.size(); i++) {
            var line = lines.get(i);
            var heights = Plots.doubles(line.run, line.column);
            var series = chart.addSeries(line.column, Plots.doubles(line.run, "seconds"), heights);
            series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Step);
            series.setMarker(SeriesMarkers.NONE);
            series.setLineColor(Theme.look(line.kind, alikeBefore(lines, i)).color());
            series.setLineWidth(1.6f);
            double most = Arrays.stream(heights).max().orElseThrow();
            figures.add(line.column + " reaches " + Plots.number(most));
        }
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setYAxisMin(0.0);
        return chart.figures(String.join(", ", figures));
    }

    /** The run in which a value is above 0, with one sample before it and one after; seconds count from the first. */
    static Table fromStart(Table samples, String column) {
        Results.require(samples, "seconds", column);
        int first = 0;
        var values = Plots.doubles(samples, column);
        while (first < values.length - 1 && values[first + 1] <= 0) {
            first++;
        }
        int end = values.length;
        while (end > first + 1 && values[end - 1] <= 0) {
            end--;
        }
        var run = samples.inRange(first, Math.min(end + 1, values.length));
        var seconds = run.numberColumn("seconds").asDoubleColumn();
        var own = run.selectColumns(column)
                .insertColumn(0, seconds.subtract(seconds.get(0)).setName("seconds"));
        return run.containsColumn("kind") ? own.addColumns(run.column("kind")) : own;
    }

    private static int alikeBefore(List<Line> lines, int i) {
        return (int) IntStream.range(0, i)
                .filter(before -> Theme.alike(lines.get(before).kind, lines.get(i).kind))
                .count();
    }

    private static Kind kind(Table run, String column) {
        if (column.equals(PLATFORM_THREADS)) {
            return Kind.PLATFORM;
        }
        return run.containsColumn("kind") ? Kind.of(run.getString(0, "kind")) : Kind.OTHER;
    }

    /** The columns that hold values. */
    static List<String> watched(Table samples) {
        var own = Set.of("seconds", "kind");
        return samples.columnNames().stream().filter(it -> !own.contains(it)).toList();
    }
}
