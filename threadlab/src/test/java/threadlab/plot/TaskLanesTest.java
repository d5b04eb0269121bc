package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static threadlab.Expect.refused;

import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

class TaskLanesTest {

    private final Table trace = Table.create(
            "tasks",
            StringColumn.create("task"),
            DoubleColumn.create("from (ms)"),
            DoubleColumn.create("until (ms)"),
            StringColumn.create("ending"));

    private void add(String task, double from, double until, String ending) {
        trace.stringColumn("task").append(task);
        trace.doubleColumn("from (ms)").append(from);
        trace.doubleColumn("until (ms)").append(until);
        trace.stringColumn("ending").append(ending);
    }

    private static String legend(XYChart chart) {
        return chart.getSeriesCollection().stream()
                .filter(series -> series.isShowInLegend())
                .map(series -> series.getName())
                .collect(Collectors.joining(", "));
    }

    @Test
    void compares_the_time_of_all_with_the_times_of_the_tasks() {
        add("insert", 1_000, 1_200, "done");
        add("send", 1_000, 2_300, "done");
        var chart = Plots.tasks(trace);
        assertEquals("2 done after 1,300 ms, the longest took 1,300 ms", chart.getTitle());
        assertEquals("done", legend(chart));
        assertEquals(1_300, chart.getStyler().getXAxisMax());
        assertEquals(1_650, Plots.tasks(trace, 1_650).getStyler().getXAxisMax());
    }

    @Test
    void names_who_failed_first_and_counts_the_cancelled() {
        add("insert", 5, 107, "cancelled");
        add("audit", 5, 60, "done");
        add("send", 5, 105, "failed");
        var chart = Plots.tasks(trace);
        assertEquals("failure of send at 100 ms, 1 cancelled, all over at 102 ms", chart.getTitle());
        assertEquals("done, failed, cancelled", legend(chart));
    }

    @Test
    void says_how_many_a_deadline_cancelled() {
        add("insert", 0, 150, "cancelled");
        add("audit", 0, 100, "done");
        var title = Plots.tasks(trace).getTitle();
        assertEquals("1 of 2 tasks cancelled, all over at 150 ms", title);
    }

    @Test
    void refuses_what_cannot_be_read() {
        for (int i = 0; i < 41; i++) {
            add("task " + i, 0, 1, "done");
        }
        refused("41 lanes", () -> Plots.tasks(trace));
    }
}
