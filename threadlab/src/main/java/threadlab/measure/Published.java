package threadlab.measure;

import java.util.Map;
import tech.tablesaw.api.Table;
import threadlab.support.Arguments;

/** A published figure of a workload, by contender and size: see {@code data/published/published.csv}. */
public final class Published {

    /** A unit as a multiple of another. */
    private record Scale(String of, double factor) {}

    private static final Map<String, Scale> SCALES = Map.of(
            "ms", new Scale("s", 1e-3),
            "us", new Scale("s", 1e-6),
            "kB", new Scale("B", 1e3),
            "MB", new Scale("B", 1e6));

    private final Table rows;
    private final String unit;

    private Published(Table rows, String unit) {
        this.rows = rows;
        this.unit = unit;
    }

    /**
     * The figures of one metric of one workload.
     *
     * @param published a table with the columns of {@code published.csv}
     * @param workload what was run, in the table's words
     * @param metric what was measured, in the table's words
     * @param unit the unit to give the figures in; they may be printed in another one, such as ms for s
     * @return the figures
     * @throws IllegalArgumentException if the table has no such workload or metric, or in a unit that cannot be converted
     */
    public static Published of(Table published, String workload, String metric, String unit) {
        var rows = Results.where(Results.where(published, "workload", workload), "metric", metric);
        rows.stringColumn("unit").forEach(printed -> factor(printed, unit));
        return new Published(rows, unit);
    }

    /**
     * The only figure of a contender at a size.
     *
     * @param contender its name, or its kind where no other contender has it
     * @param n the size
     * @return the figure in the unit that was asked for; NaN where the run is printed as failed
     * @throws IllegalArgumentException if nothing, or more than one figure, is printed for it
     */
    public double at(String contender, int n) {
        var row = Results.of(rows, contender, n);
        return Results.value(row, "value") * factor(row.getString(0, "unit"), unit);
    }

    private static double factor(String printed, String wanted) {
        var from = scale(printed);
        var to = scale(wanted);
        var known = from.of.equals(printed) ? printed : printed + " or " + from.of;
        var words = "a figure printed in %s cannot be converted to %s: ask for %s";
        Arguments.require(from.of.equals(to.of), words, printed, wanted, known);
        return from.factor / to.factor;
    }

    private static Scale scale(String unit) {
        return SCALES.getOrDefault(unit, new Scale(unit, 1));
    }
}
