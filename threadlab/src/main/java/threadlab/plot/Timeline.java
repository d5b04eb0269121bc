package threadlab.plot;

import java.awt.Color;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.plot.Lanes.Bar;

/** Draws a trace of mounted stretches: a lane for each carrier, a bar for each stretch, a colour for each thread. */
final class Timeline {

    private static final Pattern POOL = Pattern.compile("ForkJoinPool-\\d+-");
    /** Orders names that end in numbers by the number: v2 before v10. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private final List<Bar> bars;
    private final List<String> carriers;
    private final List<String> threads;
    private final boolean platform;
    private final Lanes lanes;
    final double end;

    Timeline(Table trace) {
        bars = Bar.of(trace, "carrier", "thread").stream()
                .map(bar -> new Bar(POOL.matcher(bar.lane()).replaceFirst(""), bar.group(), bar.from(), bar.until()))
                .sorted(Comparator.comparingDouble(Bar::from))
                .toList();
        carriers = bars.stream().map(Bar::lane).distinct().sorted(BY_NUMBER).toList();
        threads = bars.stream().map(Bar::group).distinct().sorted(BY_NUMBER).toList();
        platform = bars.stream().allMatch(bar -> bar.lane().equals(bar.group()));
        lanes = new Lanes(carriers);
        end = bars.stream().mapToDouble(Bar::until).max().orElseThrow();
    }

    XYChart chart() {
        return until(end).figures(figures());
    }

    /** The run up to a moment, on the axes of the whole run and without a title. */
    Card until(double moment) {
        int laneHeight = Math.clamp(360 / carriers.size(), 24, 80);
        var chart = lanes.timeChart("time (ms)", platform ? "thread" : "carrier", end, laneHeight, -30);
        chart.getStyler().setLegendVisible(false);
        for (var thread : threads) {
            var own = of(thread).map(bar -> bar.before(moment)).toList();
            lanes.bars(chart, thread, color(thread), own);
        }
        if (!platform) {
            // a bar that is still growing gets no name, which would move in every frame
            bars.stream()
                    .filter(bar -> bar.until() <= moment)
                    .forEach(bar -> lanes.write(chart, bar, color(bar.group()), Theme.NAME, bar.group()));
        }
        return chart;
    }

    private Stream<Bar> of(String thread) {
        return bars.stream().filter(bar -> bar.group().equals(thread));
    }

    private Color color(String thread) {
        return platform ? Theme.look(Kind.PLATFORM, 0).color() : Theme.distinct(threads.indexOf(thread));
    }

    /** The figures of the whole run. */
    private String figures() {
        // the number of threads in stretches can reach its maximum only where a stretch begins
        int busy = Collections.max(
                bars.stream().map(bar -> busyAt(bar.from()).size()).toList());
        if (platform) {
            return "%s: up to %d busy at the same time".formatted(count(threads.size(), "platform thread"), busy);
        }
        long hopped = hopped();
        var on = count(threads.size(), "thread") + " on " + count(carriers.size(), "carrier");
        return "%s: at most %d mounted at once; %s ran on more than one carrier"
                .formatted(on, busy, hopped == 0 ? "none" : hopped);
    }

    private long hopped() {
        return threads.stream()
                .filter(thread -> of(thread).map(Bar::lane).distinct().count() > 1)
                .count();
    }

    /** What the whole run shows. */
    String sentence() {
        if (platform) {
            return "Each thread has a lane of its own";
        }
        return "Threads take turns on the carriers" + (hopped() == 0 ? "" : ", and come back on another one");
    }

    /** The threads in a stretch at a moment, in order of name. */
    List<String> busyAt(double moment) {
        return bars.stream()
                .filter(bar -> bar.from() <= moment && moment < bar.until())
                .map(Bar::group)
                .sorted(BY_NUMBER)
                .toList();
    }

    /** The word for a thread that is in a stretch. */
    String state() {
        return platform ? "busy" : "mounted";
    }

    /** The run for a player, with times rounded to µs to keep the page small. */
    Replay.Run run() {
        var looks = new ArrayList<List<String>>();
        for (var thread : threads) {
            looks.add(List.of(thread, Theme.hex(color(thread)), Theme.hex(Theme.textOn(color(thread)))));
        }
        var shown = new ArrayList<List<Number>>();
        for (var bar : bars) {
            int thread = threads.indexOf(bar.group());
            shown.add(List.of(thread, carriers.indexOf(bar.lane()), rounded(bar.from()), rounded(bar.until())));
        }
        var accent = Theme.hex(Theme.look(Kind.VIRTUAL, 0).color());
        return new Replay.Run(
                carriers, looks, shown, rounded(end), state(), !platform, figures(), Replay.SECONDS, accent);
    }

    private static double rounded(double ms) {
        return Math.rint(ms * 1_000) / 1_000;
    }

    private static String count(int n, String what) {
        return n + " " + what + (n == 1 ? "" : "s");
    }
}
