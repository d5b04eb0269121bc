package threadlab.claim;

import java.util.Collections;
import java.util.List;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;
import threadlab.measure.Trials;
import threadlab.support.Arguments;

/**
 * What a claim is about: the trials of one or all contenders, and the column to judge.
 *
 * @param trials a table with the columns of {@link Trials}; for one number a table with one row
 * @param figure the column's name
 * @param isNumber whether it is one number
 */
record Subject(Table trials, String figure, boolean isNumber) {

    /**
     * A median of one contender at one size, NaN if no trial ended well, with the smallest and the largest trial.
     *
     * @param bottleneck what other than the server limited most of these trials; empty for nothing, or if they do not say
     */
    record Point(String contender, int n, double median, double min, double max, int trials, String bottleneck) {}

    static Subject of(Table trials) {
        Results.require(trials, "contender", "n");
        return new Subject(trials, Results.figure(trials), false);
    }

    static Subject of(double number) {
        var table = Table.create(
                "one number",
                StringColumn.create("contender", ""),
                IntColumn.create("n", new int[] {1}),
                DoubleColumn.create("measured", number));
        return new Subject(table, "measured", true);
    }

    Subject contender(String name) {
        var words = "one number has no contenders: leave contender(\"%s\") out, or give the table";
        Arguments.require(!isNumber, words, name);
        return new Subject(Results.of(trials, name), figure, false);
    }

    Subject figure(String column) {
        Results.require(trials, column);
        return new Subject(trials, column, isNumber);
    }

    List<Point> points() {
        return Results.spread(trials, figure).stream()
                .map(row -> new Point(
                        row.getString("contender"),
                        row.getInt("n"),
                        row.getDouble("median"),
                        row.getDouble("min"),
                        row.getDouble("max"),
                        row.getInt("ok"),
                        bottleneck(row.getString("contender"), row.getInt("n"))))
                .toList();
    }

    /** As loads say it of their rows. */
    private String bottleneck(String contender, int n) {
        if (!trials.containsColumn("bottleneck")) {
            return "";
        }
        var named = Results.ok(Results.of(trials, contender, n))
                .stringColumn("bottleneck")
                .asList();
        return List.of("CPUs", "generator").stream()
                .filter(one -> 2 * Collections.frequency(named, one) > named.size())
                .findFirst()
                .orElse("");
    }

    /**
     * Whether a number of this figure is on the slow side of another: a lower rate, a longer time. A ratio may be on
     * either side of its law, since each of the two may have been slowed.
     */
    boolean isSlower(double number, double than) {
        if (figure.equals("ratio")) {
            return !Double.isNaN(than);
        }
        boolean time = figure.equals("seconds") || figure.contains("(ms)") || figure.contains("(s)");
        return figure.endsWith("/s") ? number < than : time && number > than;
    }

    /** The points of the only contender, in order of size. */
    List<Point> ofOneContender() {
        Arguments.require(!isNumber, "one number does not grow: give growsBy the table with its sizes");
        var points = points();
        var names = points.stream().map(Point::contender).distinct().toList();
        var several = "growsBy judges one contender, and the table has %s: choose one with contender(\"%s\")";
        Arguments.require(names.size() == 1, several, names, names.getFirst());
        return points;
    }

    /** The trials that failed, in words; empty if none did. */
    String failures() {
        if (isNumber || Results.ok(trials).rowCount() == trials.rowCount()) {
            return "";
        }
        var failed = trials.where(trials.stringColumn("outcome").isNotEqualTo(Trials.OK));
        var count = "%,d %s".formatted(failed.rowCount(), failed.rowCount() == 1 ? "trial" : "trials");
        var first = failed.getString(0, "contender") + ": " + failed.getString(0, "outcome");
        return "; %s did not end well (%s)".formatted(count, first);
    }
}
