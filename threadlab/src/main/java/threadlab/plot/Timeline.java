package threadlab.plot;

import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Results;

/** Draws a trace of mounted stretches: a lane per carrier, a bar per stretch, a colour per thread. */
final class Timeline {

    static final int MOST_LANES = 40;

    private static final int LEGEND_THREADS = 12;
    private static final double HALF_BAR = 0.36;
    private static final Font NAME = new Font(Font.SANS_SERIF, Font.BOLD, 11);
    private static final Pattern POOL = Pattern.compile("ForkJoinPool-\\d+-");
    /** Names that end in numbers are read as a list: v2 before v10. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());
    /** The part of a chart's width that its plot gets, about. */
    private static final double PLOT_WIDTH = Theme.WIDTH - 130;

    private record Bar(String thread, String lane, double from, double until) {}

    private final List<Bar> bars = new ArrayList<>();
    private final List<String> lanes;
    private final List<String> threads;
    private final boolean platform;
    private final double end;

    Timeline(Table trace) {
        Results.require(trace, "thread", "carrier", "from (ms)", "until (ms)");
        for (Row row : trace) {
            bars.add(new Bar(
                    row.getString("thread"),
                    POOL.matcher(row.getString("carrier")).replaceFirst(""),
                    row.getDouble("from (ms)"),
                    row.getDouble("until (ms)")));
        }
        bars.sort(Comparator.comparingDouble(Bar::from));
        lanes = bars.stream().map(Bar::lane).distinct().sorted(BY_NUMBER).toList();
        threads = bars.stream().map(Bar::thread).distinct().sorted(BY_NUMBER).toList();
        platform = bars.stream().allMatch(bar -> bar.lane.equals(bar.thread));
        end = bars.stream().mapToDouble(Bar::until).max().orElseThrow();
        if (lanes.size() > MOST_LANES) {
            throw new IllegalArgumentException(
                    "a timeline of %,d lanes cannot be read: draw at most %d, such as trace.where(…) with fewer threads"
                            .formatted(lanes.size(), MOST_LANES));
        }
    }

    double end() {
        return end;
    }

    XYChart chart() {
        var chart = until(end);
        chart.setTitle(finding());
        return chart;
    }

    /** What had happened until a moment, on the axes of the whole run; without a title. */
    XYChart until(double moment) {
        boolean legend = !platform && threads.size() <= LEGEND_THREADS;
        int laneHeight = Math.clamp(360 / lanes.size(), 24, 80);
        var axes = new Lanes(lanes);
        var chart = axes.chart("time (ms)", platform ? "thread" : "carrier", laneHeight, legend ? 0 : -30);
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setXAxisMax(end);
        chart.getStyler().setLegendVisible(legend);
        chart.getStyler().setYAxisTitleVisible(false);
        for (String thread : threads) {
            bars(chart, axes, thread, moment);
        }
        for (String thread : threads) {
            labels(chart, axes, thread, moment);
        }
        return chart;
    }

    private void bars(XYChart chart, Lanes axes, String thread, double moment) {
        var own = bars.stream().filter(bar -> bar.thread.equals(thread)).toList();
        var x = new double[own.size() * 5];
        var y = new double[own.size() * 5];
        int i = 0;
        for (Bar bar : own) {
            double from = Math.min(bar.from, moment);
            double until = Math.min(bar.until, moment);
            double middle = axes.y(bar.lane);
            for (int corner = 0; corner < 4; corner++) {
                x[i] = corner < 2 ? from : until;
                y[i++] = middle + (corner == 0 || corner == 3 ? -HALF_BAR : HALF_BAR);
            }
            // XChart ends a polygon at a missing value
            x[i] = until;
            y[i++] = Double.NaN;
        }
        var series = chart.addSeries(thread, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
        series.setFillColor(color(thread));
        series.setLineColor(color(thread));
        series.setLineStyle(SeriesLines.NONE);
        series.setMarker(SeriesMarkers.NONE);
    }

    private void labels(XYChart chart, Lanes axes, String thread, double moment) {
        var label = new Label(thread, NAME, 0);
        var fitting = bars.stream()
                .filter(bar -> bar.thread.equals(thread) && !platform)
                // a bar that still grows gets no name, because the name would move in every frame of a replay
                .filter(bar -> bar.until <= moment && (bar.until - bar.from) / end * PLOT_WIDTH > label.width() + 2)
                .toList();
        if (fitting.isEmpty()) {
            return;
        }
        var series = chart.addSeries(
                "label of " + thread,
                fitting.stream().mapToDouble(bar -> (bar.from + bar.until) / 2).toArray(),
                fitting.stream().mapToDouble(bar -> axes.y(bar.lane)).toArray());
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setMarker(label);
        series.setMarkerColor(Theme.textOn(color(thread)));
        series.setShowInLegend(false);
    }

    private Color color(String thread) {
        return platform ? Theme.look(Kind.PLATFORM, 0).color() : Theme.distinct(threads.indexOf(thread));
    }

    /** What the whole run shows. */
    private String finding() {
        int most = mostAtOnce();
        if (platform) {
            return "%s: up to %d busy at the same time".formatted(count(threads.size(), "platform thread"), most);
        }
        long moved =
                threads.stream().filter(thread -> lanesOf(thread).size() > 1).count();
        return "%s on %s: at most %d mounted at once; %s hopped"
                .formatted(
                        count(threads.size(), "thread"),
                        count(lanes.size(), "carrier"),
                        most,
                        moved == 0 ? "none" : moved);
    }

    private Set<String> lanesOf(String thread) {
        var own = new HashSet<String>();
        bars.stream().filter(bar -> bar.thread.equals(thread)).forEach(bar -> own.add(bar.lane));
        return own;
    }

    /** The threads in a stretch at a moment, in the order of their names. */
    List<String> busyAt(double moment) {
        return bars.stream()
                .filter(bar -> bar.from <= moment && moment < bar.until)
                .map(Bar::thread)
                .sorted(BY_NUMBER)
                .toList();
    }

    /** What a thread is in a stretch. */
    String state() {
        return platform ? "busy" : "mounted";
    }

    /** The same run as a script that plays it; empty where the run is too long for a page. */
    String player() {
        return Player.script(
                lanes,
                threads.stream()
                        .map(thread -> List.of(thread, hex(color(thread)), hex(Theme.textOn(color(thread)))))
                        .toList(),
                bars.stream()
                        .map(bar ->
                                new double[] {threads.indexOf(bar.thread), lanes.indexOf(bar.lane), bar.from, bar.until
                                })
                        .toList(),
                end,
                state(),
                !platform,
                finding());
    }

    private static String hex(Color color) {
        return "#%06X".formatted(color.getRGB() & 0xFFFFFF);
    }

    /** The most stretches that overlap; the number changes only where one begins. */
    private int mostAtOnce() {
        return bars.stream().mapToInt(bar -> busyAt(bar.from).size()).max().orElse(0);
    }

    private static String count(int n, String what) {
        return n + " " + what + (n == 1 ? "" : "s");
    }
}
