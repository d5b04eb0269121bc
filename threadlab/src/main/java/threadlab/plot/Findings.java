package threadlab.plot;

import java.util.Arrays;
import java.util.List;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Writes the line of figures below the title of a chart of trials. */
final class Findings {

    /** The name of an experiment up to the first punctuation mark after the size. */
    private static final Pattern SIZE = Pattern.compile("(^|.*?\\s)n(\\s[^:,(]*|$)");

    private static final int SHORT_UNIT = 3;

    private Findings() {}

    /** Compares the contenders at the largest size that more than one of them reached. */
    static String comparison(Table spread, Contenders contenders, String figure) {
        int n = sizes(spread).reversed().stream()
                .filter(size -> at(spread, size).rowCount() > 1)
                .findFirst()
                .orElse(sizes(spread).getLast());
        return subject(spread.name(), n) + ": " + values(at(spread, n), contenders, figure);
    }

    /** Compares the contenders with the prediction, at the size where they are furthest apart. */
    static String agreement(Table spread, Contenders contenders, String figure, DoubleUnaryOperator predicted) {
        int n = furthestApart(spread);
        var theory = value(predicted.applyAsDouble(n), figure, true);
        return subject(spread.name(), n) + ": " + values(at(spread, n), contenders, figure) + "; predicted " + theory;
    }

    private static List<Integer> sizes(Table spread) {
        return spread.intColumn("n").asSet().stream().sorted().toList();
    }

    private static Table at(Table spread, int n) {
        return spread.where(spread.intColumn("n").isEqualTo(n)).sortDescendingOn("median");
    }

    /** The size with the largest ratio of the largest median to the smallest; the largest size if they hardly differ. */
    private static int furthestApart(Table spread) {
        int furthest = sizes(spread).getLast();
        double most = 1.1;
        for (int n : sizes(spread)) {
            var medians = at(spread, n).doubleColumn("median");
            double ratio = medians.max() / medians.min();
            if (ratio > most) {
                most = ratio;
                furthest = n;
            }
        }
        return furthest;
    }

    /** The medians of the contenders at one size, the largest first. */
    private static String values(Table rows, Contenders contenders, String figure) {
        return rows.stream()
                .map(row -> beforeNumber(contenders.shortName(row.getString("contender")))
                        + value(row.getDouble("median"), figure, row.getRowNumber() == rows.rowCount() - 1))
                .collect(Collectors.joining(", "));
    }

    /** A name and what parts it from its value: two numbers in a row would read as one. */
    private static String beforeNumber(String name) {
        return name + (Character.isDigit(name.charAt(name.length() - 1)) ? ": " : " ");
    }

    /** Says how the trials are drawn, given how many each place has. */
    static String trials(double[] counts) {
        int most = (int) Arrays.stream(counts).max().orElse(1);
        return most > 1 ? "median of " + most + ", bars are the range" : "one trial each";
    }

    /** A measured number with three significant digits: 2 becomes 2.00. */
    static String digits(double value) {
        int decimals = 2 - (int) Math.floor(Math.log10(Math.abs(value)));
        boolean fixed = Math.abs(value) >= 0.001 && decimals > 0;
        return fixed ? ("%." + decimals + "f").formatted(value) : Plots.number(value);
    }

    /** Says how many trials are not in the picture. */
    static String failures(Table trials) {
        int failed = trials.rowCount() - Results.ok(trials).rowCount();
        return failed == 0 ? "" : " (%d failed)".formatted(failed);
    }

    /** The size in the experiment's own words: 500 tasks if it is called "n tasks", without the details that follow. */
    private static String subject(String experiment, int n) {
        var size = "%,d".formatted(n);
        var words = SIZE.matcher(experiment);
        return words.find() ? words.group(1) + size + words.group(2).stripTrailing() : "At " + size;
    }

    /** A number with its unit; a long unit, such as requests/s, follows only the last number. */
    private static String value(double number, String figure, boolean last) {
        var unit = unit(figure);
        return Plots.number(number) + (last || unit.length() <= SHORT_UNIT ? " " + unit : "");
    }

    /** The unit in the name, such as ms in "latency (ms)"; otherwise the name without a formula such as (λ · W). */
    private static String unit(String figure) {
        var unit = figure.replaceFirst("^.* \\((\\S+)\\)$", "$1").replaceFirst(" \\(.*\\)$", "");
        return figure.equals("seconds") ? "s" : unit;
    }

    /** The name of the figure's axis. */
    static String axis(String figure) {
        return figure.equals("seconds") ? "wall time (s)" : figure;
    }

    /** A name such as "latency (ms)" without its unit. */
    static String withoutUnit(String name) {
        return name.replaceFirst(" *\\(.*\\)", "");
    }

    /** The unit in parentheses at the end of a name, after a space; nothing if there are no parentheses. */
    static String unitInBrackets(String figure) {
        return figure.replaceFirst("^.*\\((.*)\\)$|^.*$", " $1").stripTrailing();
    }
}
