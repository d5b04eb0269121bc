package threadlab.plot;

import java.util.List;
import tech.tablesaw.aggregate.AggregateFunctions;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;

/** Reads the rows that a chart draws. */
final class Rows {

    private Rows() {}

    static double[] doubles(Table rows, String column) {
        return ((NumericColumn<?>) rows.column(column)).asDoubleArray();
    }

    /** The rows of one contender, which may be none. */
    static Table of(Table rows, String contender) {
        return rows.where(rows.stringColumn("contender").isEqualTo(contender));
    }

    /** The smallest, median and largest value of a figure and of its prediction, for each group of rows. */
    static Table spread(Table rows, String figure, String... by) {
        var spread = rows.summarize(
                        List.of(figure, "predicted"),
                        AggregateFunctions.median,
                        AggregateFunctions.min,
                        AggregateFunctions.max,
                        AggregateFunctions.count)
                .by(by);
        spread.column("Median [" + figure + "]").setName("median");
        spread.column("Min [" + figure + "]").setName("min");
        spread.column("Max [" + figure + "]").setName("max");
        spread.column("Count [" + figure + "]").setName("trials");
        spread.column("Median [predicted]").setName("predicted");
        return spread;
    }
}
