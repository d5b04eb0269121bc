package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

class AgainstPrintedTest {

    private final Table costs = Table.create(
            "costs",
            StringColumn.create("what", "start (µs)", "start (µs)", "memory (kB)", "memory (kB)"),
            StringColumn.create("contender", "platform", "virtual", "platform", "virtual"),
            StringColumn.create("kind", "platform", "virtual", "platform", "virtual"),
            DoubleColumn.create("here", 60.0, 2.0, 40.0, 1.6),
            DoubleColumn.create("printed", 1000.0, 1.0, 2000.0, 10.0));

    @Test
    void a_mark_for_each_value_on_a_logarithmic_axis() {
        var chart = Plots.againstPrinted(costs);
        assertEquals(2, chart.getSeries("virtual, printed").getXData().length);
        assertTrue(chart.getStyler().isXAxisLogarithmic());
    }

    @Test
    void a_missing_value_leaves_its_mark_out() {
        costs.doubleColumn("here").setMissing(2);
        var chart = Plots.againstPrinted(costs);
        assertEquals(1, chart.getSeries("platform, here").getXData().length);
    }

    @Test
    void a_table_without_its_columns_is_refused() {
        assertThrows(IllegalArgumentException.class, () -> Plots.againstPrinted(costs.rejectColumns("printed")));
    }
}
