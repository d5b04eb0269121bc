package threadlab.plot;

import java.awt.Color;
import java.time.Duration;
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
import threadlab.support.Arguments;

/**
 * Draws a trace of mounted stretches: a lane for each carrier, a bar for each stretch, a colour for each thread. Below
 * the lanes may be rows for what the threads do between their stretches, which is inferred.
 */
final class Timeline {

    private static final String SLEEPS = "sleeps";
    private static final String WANTS = "wants a carrier";
    private static final String RESTS = "sleeps or waits";
    private static final Pattern POOL = Pattern.compile("ForkJoinPool-\\d+-");
    /** Orders names that end in numbers by the number: v2 before v10. */
    private static final Comparator<String> BY_NUMBER =
            Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder());

    private final List<Bar> bars;
    private final List<String> carriers;
    private final List<String> threads;
    private final boolean platform;
    private final List<String> rows;
    private final List<Bar> rests;
    private final Duration sleep;
    private final Lanes lanes;
    final double end;

    /** The stretches alone. */
    Timeline(Table trace) {
        this(trace, false, null);
    }

    /**
     * The stretches and, for at most 40 virtual threads, the rests.
     *
     * @param sleep how long each thread sleeps after each stretch; null if that is not known
     */
    Timeline(Table trace, boolean resting, Duration sleep) {
        this.sleep = sleep;
        bars = Bar.of(trace, "carrier", "thread").stream()
                .map(bar -> new Bar(POOL.matcher(bar.lane()).replaceFirst(""), bar.group(), bar.from(), bar.until()))
                .sorted(Comparator.comparingDouble(Bar::from))
                .toList();
        carriers = bars.stream().map(Bar::lane).distinct().sorted(BY_NUMBER).toList();
        threads = bars.stream().map(Bar::group).distinct().sorted(BY_NUMBER).toList();
        platform = bars.stream().allMatch(bar -> bar.lane().equals(bar.group()));
        Arguments.require(
                sleep == null || !platform, "platform threads wait for no carrier: leave out the sleep of %s", sleep);
        rests = !resting || platform || threads.size() > Lanes.MOST ? List.of() : rests();
        rows = rests.stream().map(Bar::lane).distinct().sorted().toList();
        lanes = new Lanes(Stream.concat(carriers.stream(), rows.stream()).toList());
        end = Stream.concat(bars.stream(), rests.stream())
                .mapToDouble(Bar::until)
                .max()
                .orElseThrow();
    }

    /** Where the threads are outside their stretches, as far as it follows from these and from a known sleep. */
    private List<Bar> rests() {
        var found = new ArrayList<Bar>();
        for (var thread : threads) {
            var own = of(thread).toList();
            if (sleep != null) {
                found.add(new Bar(WANTS, thread, 0, own.getFirst().from()));
            }
            for (int i = 0; i < own.size(); i++) {
                double from = own.get(i).until();
                boolean last = i == own.size() - 1;
                if (sleep == null && !last) {
                    found.add(new Bar(RESTS, thread, from, own.get(i + 1).from()));
                } else if (sleep != null) {
                    double awake = from + sleep.toNanos() / 1e6;
                    double next = last ? awake : own.get(i + 1).from();
                    var words = "%s goes on %.3f ms after a stretch: the sleep can be at most that long, not %s ms";
                    Arguments.require(awake <= next, words, thread, next - from, Plots.number(awake - from));
                    found.add(new Bar(SLEEPS, thread, from, awake));
                    found.add(new Bar(WANTS, thread, awake, next));
                }
            }
        }
        return found.stream().filter(bar -> bar.length() > 0).toList();
    }

    XYChart chart() {
        return until(end).figures(figures());
    }

    /** The run up to a moment, on the axes of the whole run and without a title. */
    Card until(double moment) {
        int laneHeight = Math.clamp(360 / (carriers.size() + rows.size()), 24, 80);
        var chart = lanes.timeChart(
                rows.isEmpty() ? "time (ms)" : "time (ms); pale: inferred",
                platform ? "thread" : "carrier",
                end,
                laneHeight,
                -30);
        chart.getStyler().setLegendVisible(false);
        for (var thread : threads) {
            var own = of(thread).map(bar -> bar.before(moment)).toList();
            lanes.bars(chart, thread, color(thread), own);
            if (!rows.isEmpty()) {
                var resting = rests.stream().filter(bar -> bar.group().equals(thread));
                var past = resting.map(bar -> bar.before(moment)).toList();
                int strip = threads.indexOf(thread);
                lanes.strips(chart, thread + " rests", Theme.pale(color(thread)), past, strip, threads.size());
            }
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
    Replay.Film run() {
        var looks = new ArrayList<List<String>>();
        for (var thread : threads) {
            looks.add(List.of(thread, Theme.hex(color(thread)), Theme.hex(Theme.textOn(color(thread)))));
        }
        var accent = Theme.hex(Theme.look(Kind.VIRTUAL, 0).color());
        return new Replay.Film(
                carriers,
                looks,
                played(bars, carriers),
                rows,
                played(rests, rows),
                inferred(),
                rounded(end),
                state(),
                !platform,
                figures(),
                Replay.SECONDS,
                accent);
    }

    private List<List<Number>> played(List<Bar> shown, List<String> lanes) {
        return shown.stream()
                .map(bar -> List.<Number>of(
                        threads.indexOf(bar.group()),
                        lanes.indexOf(bar.lane()),
                        rounded(bar.from()),
                        rounded(bar.until())))
                .toList();
    }

    /** What the trace does not hold but the picture shows. */
    private String inferred() {
        if (rows.isEmpty()) {
            return "";
        }
        return rows.contains(RESTS)
                ? "Striped: inferred. Between two stretches a thread sleeps or waits."
                : "Striped: inferred. Each thread starts at 0 ms and sleeps %s ms after a stretch; then it wants a carrier."
                        .formatted(Plots.number(sleep.toNanos() / 1e6));
    }

    private static double rounded(double ms) {
        return Math.rint(ms * 1_000) / 1_000;
    }

    private static String count(int n, String what) {
        return n + " " + what + (n == 1 ? "" : "s");
    }
}
