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

    /** If a run takes more than this share of the sum of its tasks' times, they ran one after the other. */
    private static final double SERIAL = 0.9;

    private final List<Bar> bars;
    private final double begin;
    private final double end;

    TaskLanes(Table trace) {
        bars = Bar.of(trace, "task", "ending");
        begin = bars.stream().mapToDouble(Bar::from).min().orElseThrow();
        end = bars.stream().mapToDouble(Bar::until).max().orElseThrow() - begin;
    }

    /**
     * The chart.
     *
     * @param axis where the axis of time ends at the earliest, in ms
     */
    XYChart chart(double axis) {
        var lanes = new Lanes(bars.stream().map(Bar::lane).distinct().toList());
        var chart = lanes.timeChart("time since the first task began (ms)", "task", Math.max(axis, end), 50, 0);
        var shown = bars.stream()
                .map(bar -> new Bar(bar.lane(), bar.group(), bar.from() - begin, bar.until() - begin))
                .toList();
        COLORS.forEach((ending, color) -> {
            var own = shown.stream().filter(bar -> bar.group().equals(ending)).toList();
            if (!own.isEmpty()) {
                lanes.bars(chart, ending, color, own);
            }
        });
        for (var bar : shown) {
            var time = "%,.0f ms".formatted(bar.length());
            lanes.write(chart, bar, COLORS.get(bar.group()), Theme.TASK, bar.group() + ", took " + time, time);
        }
        chart.setTitle(finding());
        return chart;
    }

    /** Says what the run shows: which task ended it, or how much of the work overlapped. */
    private String finding() {
        var failed =
                bars.stream().filter(bar -> bar.group().equals("failed")).min(Comparator.comparingDouble(Bar::until));
        long cancelled =
                bars.stream().filter(bar -> bar.group().equals("cancelled")).count();
        if (failed.isPresent()) {
            var rest = cancelled > 0
                    ? "%d cancelled, all over at %,.0f ms".formatted(cancelled, end)
                    : "the others go on until %,.0f ms".formatted(end);
            return "%s\nFailure of %s at %,.0f ms: %s"
                    .formatted(
                            cancelled > 0 ? "One failure cancels the others" : "A failure leaves the others running",
                            failed.get().lane(),
                            failed.get().until() - begin,
                            rest);
        }
        if (cancelled > 0) {
            return "Tasks are cancelled before they are done\n%d of %d tasks, all over at %,.0f ms"
                    .formatted(cancelled, bars.size(), end);
        }
        var lengths = bars.stream().mapToDouble(Bar::length).summaryStatistics();
        return "%s\n%d done after %,.0f ms, the longest took %,.0f ms"
                .formatted(
                        end < SERIAL * lengths.getSum()
                                ? "Tasks run at the same time"
                                : "Tasks run one after the other",
                        bars.size(),
                        end,
                        lengths.getMax());
    }
}
