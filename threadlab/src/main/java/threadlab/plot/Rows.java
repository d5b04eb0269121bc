package threadlab.plot;

import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;

/** Reads the rows that a chart draws. */
final class Rows {

    private Rows() {}

    static double[] doubles(Table rows, String column) {
        return ((NumericColumn<?>) rows.column(column)).asDoubleArray();
    }

    /** Those of one contender; none where it has none. */
    static Table of(Table rows, String contender) {
        return rows.where(rows.stringColumn("contender").isEqualTo(contender));
    }
}
