package threadlab.claim;

import java.util.List;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;
import threadlab.measure.Results;
import threadlab.measure.Trials;

/**
 * What a claim is about: the trials of one or all contenders, and the column to judge.
 *
 * @param trials a table with the columns of {@link Trials}; for one number a table with one row
 * @param figure the column's name
 * @param contender the only contender that is judged, or null for all
 * @param isNumber whether it is one number
 */
record Subject(Table trials, String figure, String contender, boolean isNumber) {

    /** A median of one contender at one size: NaN where no trial ended well. */
    record Point(String contender, int n, double median, int failed) {}

    static Subject of(Table trials) {
        Results.require(trials, "contender", "n");
        return new Subject(trials, Results.figure(trials), null, false);
    }

    static Subject of(double number) {
        var table = Table.create(
                "one number",
                StringColumn.create("contender", ""),
                IntColumn.create("n", new int[] {1}),
                DoubleColumn.create("measured", number));
        return new Subject(table, "measured", null, true);
    }

    Subject contender(String name) {
        var names = Results.contenders(trials);
        if (!names.contains(name)) {
            throw new IllegalArgumentException(
                    isNumber
                            ? "one number has no contenders: leave contender(\"" + name + "\") out, or give the table"
                            : "there is no contender \"" + name + "\" in the table; it has " + names);
        }
        return new Subject(trials, figure, name, isNumber);
    }

    Subject figure(String column) {
        Results.require(trials, column);
        return new Subject(trials, column, contender, isNumber);
    }

    List<Point> points() {
        return Results.spread(trials, figure).stream()
                .map(row -> new Point(
                        row.getString("contender"), row.getInt("n"), row.getDouble("median"), row.getInt("failed")))
                .filter(point -> contender == null || contender.equals(point.contender))
                .toList();
    }

    /** The points of the one contender, in order of their sizes. */
    List<Point> ofOneContender() {
        if (isNumber) {
            throw new IllegalArgumentException("one number does not grow: give growsBy the table with its sizes");
        }
        var points = points();
        var names = points.stream().map(Point::contender).distinct().toList();
        if (names.size() > 1) {
            throw new IllegalArgumentException("growsBy looks at one contender, and the table has " + names
                    + ": choose one with contender(\"" + names.getFirst() + "\")");
        }
        return points;
    }

    /** The trials that failed among those of the points, in words; empty if there is none. */
    String failures(List<Point> points) {
        int failed = points.stream().mapToInt(Point::failed).sum();
        if (failed == 0) {
            return "";
        }
        var judged = points.stream().map(Point::contender).toList();
        var first = trials.stream()
                .filter(row -> judged.contains(row.getString("contender")))
                .filter(row -> !row.getString("outcome").equals(Trials.OK))
                .findFirst()
                .orElseThrow();
        return "; %s %s did not end well (%s: %s)"
                .formatted(
                        Numbers.rounded(failed, 1),
                        failed == 1 ? "trial" : "trials",
                        first.getString("contender"),
                        first.getString("outcome"));
    }
}
