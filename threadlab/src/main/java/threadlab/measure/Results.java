package threadlab.measure;

import java.util.List;
import java.util.stream.Collectors;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.support.Arguments;

/**
 * Reads tables in the columns of {@link Trials}: a contender's rows, the median of a figure, its spread over trials.
 *
 * <p>A contender is identified by its name in the table, or by its kind if no other contender has that kind:
 * {@code "virtual"} also means {@code virtual, one per task} if that is the only contender on virtual threads.
 */
// longer than other classes: one method for each question about a table; authors of cells look up its columns and units
public final class Results {

    /** The columns that every table of trials has. */
    static final List<String> COLUMNS = List.of("contender", "kind", "n", "trial", "seconds", "outcome");

    private Results() {}

    /**
     * The rows of one contender.
     *
     * @param trials a table with a column {@code contender}
     * @param contender its name, or its kind where no other contender has it
     * @return its rows, at every size and of every outcome
     * @throws IllegalArgumentException if no contender is meant, or more than one
     */
    public static Table of(Table trials, String contender) {
        if (contenders(trials).contains(contender) || !trials.containsColumn("kind")) {
            return where(trials, "contender", contender);
        }
        var alike = trials.where(trials.stringColumn("kind").isEqualTo(contender));
        var meant = distinct(alike.stringColumn("contender"));
        var several = "\"%s\" matches more than one contender of \"%s\": name one of %s";
        Arguments.require(meant.size() <= 1, several, contender, trials.name(), quoted(meant));
        return where(trials, "contender", meant.isEmpty() ? contender : meant.getFirst());
    }

    /**
     * The rows of one contender at one size.
     *
     * @param trials a table with the columns {@code contender} and {@code n}
     * @param contender its name, or its kind where no other contender has it
     * @param n the size
     * @return its rows at that size, of every outcome
     * @throws IllegalArgumentException if no contender is meant, or more than one, or it has no row at that size
     */
    public static Table of(Table trials, String contender, int n) {
        require(trials, "n");
        var own = of(trials, contender);
        var rows = own.where(own.intColumn("n").isEqualTo(n));
        Arguments.require(!rows.isEmpty(), "\"%s\" has no row at %,d; it has rows at %s", contender, n, sizes(own));
        return rows;
    }

    /**
     * The rows in which a column of words holds a word.
     *
     * @param table any table
     * @param column the column, such as {@code workload}
     * @param word the whole word, such as {@code sleep 1 s per task}
     * @return these rows
     * @throws IllegalArgumentException if no row holds the word
     */
    public static Table where(Table table, String column, String word) {
        require(table, column);
        var words = table.stringColumn(column);
        var rows = table.where(words.isEqualTo(word));
        var none = "no row of \"%s\" holds \"%s\" in its column \"%s\"; there are %s";
        Arguments.require(!rows.isEmpty(), none, table.name(), word, column, quoted(distinct(words)));
        return rows;
    }

    /**
     * The median over the trials of one contender at the one size at which it ran.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param contender its name, or its kind where no other contender has it
     * @return the median of the table's {@link #figure}, in its unit, over the trials that ended well; NaN if none did
     * @throws IllegalArgumentException if no contender is meant, or more than one, or it ran at several sizes
     */
    public static double median(Table trials, String contender) {
        return median(trials, contender, figure(trials));
    }

    /**
     * The median over the trials of one contender at one size.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param contender its name, or its kind where no other contender has it
     * @param n the size
     * @return the median of the table's {@link #figure}, in its unit, over the trials that ended well; NaN if none did
     * @throws IllegalArgumentException if no contender is meant, or more than one, or it did not run at that size
     */
    public static double median(Table trials, String contender, int n) {
        return median(trials, contender, n, figure(trials));
    }

    /**
     * The median of a figure over the trials of one contender at the one size at which it ran.
     *
     * @param trials a table with the columns {@code contender} and, if there is more than one size, {@code n}
     * @param contender its name, or its kind where no other contender has it
     * @param figure the column
     * @return the median, in the figure's unit, over the trials that ended well; NaN if none did
     * @throws IllegalArgumentException if no contender is meant, or more than one, or it ran at several sizes
     */
    public static double median(Table trials, String contender, String figure) {
        require(trials, "contender", figure);
        var own = of(trials, contender);
        var sizes = own.containsColumn("n") ? sizes(own) : "";
        boolean several = own.containsColumn("n") && own.intColumn("n").countUnique() > 1;
        Arguments.require(!several, "\"%s\" ran at several sizes (%s): name one of them", contender, sizes);
        return numbers(ok(own), figure).median();
    }

    /**
     * The median of a figure over the trials of one contender at one size.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param contender its name, or its kind where no other contender has it
     * @param n the size
     * @param figure the column
     * @return the median, in the figure's unit, over the trials that ended well; NaN if none did
     * @throws IllegalArgumentException if no contender is meant, or more than one, or it did not run at that size
     */
    public static double median(Table trials, String contender, int n, String figure) {
        require(trials, "contender", figure);
        return numbers(ok(of(trials, contender, n)), figure).median();
    }

    /**
     * The value of a figure in a table of one row, such as that of one load.
     *
     * @param row a table of one row
     * @param figure the column
     * @return the value, in the figure's unit, whatever the outcome; NaN if it is missing
     * @throws IllegalArgumentException if the table has more than one row
     */
    public static double value(Table row, String figure) {
        require(row, figure);
        var column = numbers(row, figure);
        var such = row.containsColumn("contender") ? row.getString(0, "contender") : "virtual";
        var more = "\"%s\" has %,d rows, so \"%s\" has no single value: choose a row, such as Results.of(…, \"%s\")";
        Arguments.require(row.rowCount() == 1, more, row.name(), row.rowCount(), figure, such);
        return column.getDouble(0);
    }

    /**
     * Puts the trials of each contender at each size into one row.
     *
     * @param trials a table with the columns of {@link Trials}; without {@code n} all trials have the size 1
     * @param figure the column to summarize
     * @return columns {@code contender}, {@code n}, {@code ok} (trials that ended well), {@code failed} (those that did
     *     not), and {@code min}, {@code median}, {@code max} of the figure over the trials that ended well (missing
     *     where there is none), in the figure's unit; rows in order of the contenders' first appearance, then of n
     */
    public static Table spread(Table trials, String figure) {
        require(trials, "contender", figure);
        numbers(trials, figure);
        var spread = Table.create(trials.name(), StringColumn.create("contender"));
        List.of("n", "ok", "failed").forEach(counted -> spread.addColumns(IntColumn.create(counted)));
        List.of("min", "median", "max").forEach(of -> spread.addColumns(DoubleColumn.create(of)));
        boolean sized = trials.containsColumn("n");
        for (String contender : contenders(trials)) {
            var own = trials.where(trials.stringColumn("contender").isEqualTo(contender));
            var sizes = sized ? own.intColumn("n").asList() : List.of(1);
            for (int n : sizes.stream().distinct().sorted().toList()) {
                var group = sized ? own.where(own.intColumn("n").isEqualTo(n)) : own;
                var values = numbers(ok(group), figure);
                spread.stringColumn("contender").append(contender);
                spread.intColumn("n").append(n);
                spread.intColumn("ok").append(values.size());
                spread.intColumn("failed").append(group.rowCount() - values.size());
                spread.doubleColumn("min").append(values.min());
                spread.doubleColumn("median").append(values.median());
                spread.doubleColumn("max").append(values.max());
            }
        }
        return spread;
    }

    /**
     * Divides a figure of one contender by that of another in the same round, at each size: what changes from round to
     * round, such as a busy neighbour, affects both.
     *
     * @param trials a table with the columns of {@link Trials}
     * @param figure the column to compare
     * @param contender its name, or its kind where no other contender has it
     * @param other the contender that it is compared with
     * @return columns {@code contender} (both names), {@code n}, {@code trial} and {@code ratio}, without a unit; of loads
     *     also {@code bottleneck}, what limited either; one row for each round in which both ended well
     * @throws IllegalArgumentException if a contender is not meant, or no round has both
     */
    public static Table ratios(Table trials, String figure, String contender, String other) {
        require(trials, "contender", "n", "trial", figure);
        var ratios = Table.create(figure, StringColumn.create("contender"), IntColumn.create("n"));
        ratios.addColumns(IntColumn.create("trial"), DoubleColumn.create("ratio"));
        boolean loads = trials.containsColumn("bottleneck");
        if (loads) {
            ratios.addColumns(StringColumn.create("bottleneck"));
        }
        var divisors = ok(of(trials, other));
        for (var row : ok(of(trials, contender))) {
            int n = row.getInt("n");
            int trial = row.getInt("trial");
            var same = divisors.intColumn("n")
                    .isEqualTo(n)
                    .and(divisors.intColumn("trial").isEqualTo(trial));
            for (var pair : divisors.where(same)) {
                if (row.isMissing(figure) || pair.isMissing(figure)) {
                    continue; // a run in which no request was answered has no latency
                }
                ratios.stringColumn("contender")
                        .append(row.getString("contender") + " ÷ " + pair.getString("contender"));
                ratios.intColumn("n").append(n);
                ratios.intColumn("trial").append(trial);
                ratios.doubleColumn("ratio").append(number(row, figure) / number(pair, figure));
                if (loads) {
                    var named = List.of(row.getString("bottleneck"), pair.getString("bottleneck"));
                    ratios.stringColumn("bottleneck")
                            .append(named.get(named.getFirst().equals("none") ? 1 : 0));
                }
            }
        }
        var none = "\"%s\" and \"%s\" never both ended well in the same round and have \"%s\": run both again";
        Arguments.require(!ratios.isEmpty(), none, contender, other, figure);
        return ratios;
    }

    private static double number(Row row, String figure) {
        return ((Number) row.getObject(figure)).doubleValue();
    }

    /**
     * The trials that ended well: all rows if the table has no column {@code outcome}, as with a program or an article.
     *
     * @param trials a table
     * @return its rows with the outcome {@code ok}
     */
    public static Table ok(Table trials) {
        boolean told = trials.containsColumn("outcome");
        return told ? trials.where(trials.stringColumn("outcome").isEqualTo(Trials.OK)) : trials;
    }

    /**
     * The contenders of a table, in order of their first appearance.
     *
     * @param trials a table with a column {@code contender}
     * @return their names
     */
    public static List<String> contenders(Table trials) {
        require(trials, "contender");
        return distinct(trials.stringColumn("contender"));
    }

    /**
     * The column that a table of trials is about: the first column of numbers other than those that every table of
     * trials has, or {@code seconds} if there is none.
     *
     * @param trials a table with the columns of {@link Trials}
     * @return the column's name
     * @throws IllegalArgumentException if the table has no such column
     */
    public static String figure(Table trials) {
        for (var column : trials.columns()) {
            if (column instanceof NumericColumn<?> && !COLUMNS.contains(column.name())) {
                return column.name();
            }
        }
        if (trials.containsColumn("seconds")) {
            return "seconds";
        }
        throw new IllegalArgumentException(
                "the table \"%s\" has no column of numbers; it has %s".formatted(trials.name(), trials.columnNames()));
    }

    /**
     * Writes what a notebook measured here into a small CSV file, for the chart of a class: the figures, the claims and
     * the machine, in the columns of {@link KeptResults}. It contains no personal names and no paths.
     *
     * @param notebook the notebook's name, such as {@code "start-here"}
     * @return where the file is, in the folder {@code results/shared} beside the notebooks, and what it contains
     * @throws IllegalStateException if no results of that notebook are kept, or the file cannot be written
     */
    public static String share(String notebook) {
        return KeptResults.share(notebook, KeptResults.FOLDER);
    }

    /**
     * Refuses a table that lacks a column or has no rows.
     *
     * @param table what was given
     * @param columns the names that must be there
     * @throws IllegalArgumentException if a column or all rows are missing; the message also names what there is
     */
    public static void require(Table table, String... columns) {
        var unmeasured = "there is no table yet: run the cell that measures it, and wait until it ends";
        Arguments.require(table != null, unmeasured);
        for (String column : columns) {
            var missing = "the table \"%s\" has no column \"%s\"; it has %s";
            Arguments.require(table.containsColumn(column), missing, table.name(), column, table.columnNames());
        }
        var empty = "the table \"%s\" has no rows: run the cell that measures first";
        Arguments.require(!table.isEmpty(), empty, table.name());
    }

    private static List<String> distinct(StringColumn words) {
        return words.asList().stream().distinct().toList();
    }

    private static String quoted(List<String> names) {
        return names.stream().collect(Collectors.joining("\", \"", "\"", "\""));
    }

    private static String sizes(Table rows) {
        var sizes = rows.intColumn("n").asList().stream().distinct().sorted();
        return sizes.map("%,d"::formatted).collect(Collectors.joining(", "));
    }

    private static NumericColumn<?> numbers(Table rows, String figure) {
        if (rows.column(figure) instanceof NumericColumn<?> numbers) {
            return numbers;
        }
        throw new IllegalArgumentException(
                "the column \"%s\" of \"%s\" holds no numbers".formatted(figure, rows.name()));
    }
}
