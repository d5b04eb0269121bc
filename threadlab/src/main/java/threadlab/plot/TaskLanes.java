package threadlab.plot;

import java.awt.Color;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.Table;
import threadlab.plot.Lanes.Bar;

/** Draws when tasks ran: a lane for each task, a colour for how it ended. */
final class TaskLanes {

    private static final Map<String, Color> COLORS = new LinkedHashMap<>();

    static {
        COLORS.put("done", Theme.RIGHT);
        COLORS.put("failed", Theme.FAILED);
        COLORS.put("cancelled", Theme.CANCELLED);
    }

    private final List<Bar> bars;
    private final double begin;
    private final double end;

    TaskLanes(Table trace) {
        bars = Bar.of(trace, "task", "ending");
        begin = bars.stream().mapToDouble(Bar::from).min().orElseThrow();
        end = bars.stream().mapToDouble(Bar::until).max().orElseThrow() - begin;
    }

    /** The chart, whose axis of time ends here at the earliest, in ms. */
    XYChart chart(double axis) {
        var lanes = new Lanes(bars.stream().map(Bar::lane).distinct().toList());
        var chart = lanes.timeChart("time since the first task began (ms)", "task", Math.max(axis, end), 50, 0);
        var shown = bars.stream()
                .map(bar -> new Bar(bar.lane(), bar.group(), bar.from() - begin, bar.until() - begin))
                .toList();
        COLORS.forEach((ending, color) -> {
            var own = of(ending, shown);
            if (!own.isEmpty()) {
                lanes.bars(chart, ending, color, own);
            }
        });
        for (var bar : shown) {
            var time = "%,.0f ms".formatted(bar.length());
            lanes.write(chart, bar, COLORS.get(bar.group()), Theme.TASK, bar.group() + ", took " + time, time);
        }
        return chart.figures(figures());
    }

    private static List<Bar> of(String ending, List<Bar> bars) {
        return bars.stream().filter(bar -> bar.group().equals(ending)).toList();
    }

    /** Which task failed first, how many were cancelled and when all were over; or the longest of those that were done. */
    private String figures() {
        var failed = of("failed", bars).stream().min(Comparator.comparingDouble(Bar::until));
        int cancelled = of("cancelled", bars).size();
        var over = "all over at %,.0f ms".formatted(end);
        if (failed.isPresent()) {
            return "failure of %s at %,.0f ms, %d cancelled, %s"
                    .formatted(failed.get().lane(), failed.get().until() - begin, cancelled, over);
        }
        if (cancelled > 0) {
            return "%d of %d tasks cancelled, %s".formatted(cancelled, bars.size(), over);
        }
        double longest = bars.stream().mapToDouble(Bar::length).max().orElseThrow();
        return "%d done after %,.0f ms, the longest took %,.0f ms".formatted(bars.size(), end, longest);
    }
}
