package threadlab.measure;

import java.util.Arrays;
import java.util.List;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import tech.tablesaw.columns.Column;

/** Reads tables in the columns of {@link Trials}: which figure they hold, and its spread over the trials. */
public final class Results {

    /** The columns that every table of trials has. */
    static final List<String> COLUMNS = List.of("contender", "n", "trial", "seconds", "outcome");

    private Results() {}

    /**
     * Puts the trials of each contender at each size into one row.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to sum up
     * @return columns {@code contender}, {@code n}, {@code ok} (trials that ended well), {@code failed} (those that did
     *     not), and {@code min}, {@code median}, {@code max} of the figure over the trials that ended well (missing
     *     where there is none), in the figure's unit; rows in order of the contenders' first appearance, then of n
     */
    public static Table spread(Table trials, String figure) {
        require(trials, "contender", "n", figure);
        if (!(trials.column(figure) instanceof NumericColumn<?>)) {
            throw new IllegalArgumentException(
                    "the column \"%s\" of the table \"%s\" holds no numbers: name another figure"
                            .formatted(figure, trials.name()));
        }
        var spread = Table.create(
                trials.name(),
                StringColumn.create("contender"),
                IntColumn.create("n"),
                IntColumn.create("ok"),
                IntColumn.create("failed"),
                DoubleColumn.create("min"),
                DoubleColumn.create("median"),
                DoubleColumn.create("max"));
        for (String contender : contenders(trials)) {
            var own = trials.where(trials.stringColumn("contender").isEqualTo(contender));
            var sizes = own.intColumn("n").unique();
            sizes.sortAscending();
            for (int n : sizes.asIntArray()) {
                var group = own.where(own.intColumn("n").isEqualTo(n));
                var values = ((NumericColumn<?>) ok(group).column(figure)).asDoubleArray();
                Arrays.sort(values);
                spread.stringColumn("contender").append(contender);
                spread.intColumn("n").append(n);
                spread.intColumn("ok").append(values.length);
                spread.intColumn("failed").append(group.rowCount() - values.length);
                spread.doubleColumn("min").append(values.length == 0 ? Double.NaN : values[0]);
                spread.doubleColumn("median").append(median(values));
                spread.doubleColumn("max").append(values.length == 0 ? Double.NaN : values[values.length - 1]);
            }
        }
        return spread;
    }

    /**
     * The trials that ended well: all of a table that has no column {@code outcome}, as a program or an article gives.
     *
     * @param trials a table
     * @return its rows with the outcome {@code ok}
     */
    public static Table ok(Table trials) {
        return trials.containsColumn("outcome")
                ? trials.where(trials.stringColumn("outcome").isEqualTo(Trials.OK))
                : trials;
    }

    /**
     * The contenders of a table, in order of their first appearance.
     *
     * @param trials a table with a column {@code contender}
     * @return their names
     */
    public static List<String> contenders(Table trials) {
        require(trials, "contender");
        return trials.stringColumn("contender").asList().stream().distinct().toList();
    }

    /**
     * The column that a table of trials is about: the first column of numbers beside those that every table of trials
     * has, or {@code seconds} if there is none.
     *
     * @param trials a table with the columns of {@link Trials}
     * @return the column's name
     * @throws IllegalArgumentException if the table has neither
     */
    public static String figure(Table trials) {
        return trials.columns().stream()
                .filter(column -> column instanceof NumericColumn<?> && !COLUMNS.contains(column.name()))
                .map(Column::name)
                .findFirst()
                .or(() ->
                        trials.columnNames().stream().filter("seconds"::equals).findFirst())
                .orElseThrow(() ->
                        new IllegalArgumentException("the table \"%s\" has no column of numbers to look at: it has %s"
                                .formatted(trials.name(), trials.columnNames())));
    }

    /**
     * Refuses a table that lacks a column or has no rows.
     *
     * @param table what was given
     * @param columns the names that must be there
     * @throws IllegalArgumentException names what is missing and what there is
     */
    public static void require(Table table, String... columns) {
        if (table == null) {
            throw new IllegalArgumentException(
                    "there is no table yet: run the cell that measures it, and wait until it has ended");
        }
        for (String column : columns) {
            if (!table.containsColumn(column)) {
                throw new IllegalArgumentException("the table \"%s\" has no column \"%s\"; it has %s"
                        .formatted(table.name(), column, table.columnNames()));
            }
        }
        if (table.isEmpty()) {
            throw new IllegalArgumentException(
                    "the table \"" + table.name() + "\" has no rows: run the cell that measures first");
        }
    }

    private static double median(double[] sorted) {
        int n = sorted.length;
        return n == 0 ? Double.NaN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    }
}
