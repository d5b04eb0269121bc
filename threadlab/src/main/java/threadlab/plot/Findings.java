package threadlab.plot;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.regex.Pattern;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Writes the titles of charts of trials: each is a sentence that says what the rows show. */
final class Findings {

    /** The name of an experiment up to the first punctuation mark after the size. */
    private static final Pattern SIZE = Pattern.compile("(^|.*?\\s)n(\\s[^:,(]*|$)");

    private static final int SHORT_UNIT = 3;
    /** Medians this close to their prediction count as lying on it. */
    private static final double NEAR = 0.25;
    /** The least trial of one contender must exceed the largest of another by this factor for a title to call it more. */
    private static final double ALIKE = 1.1;

    private Findings() {}

    /** Compares the contenders at the largest size that more than one of them reached. */
    static String comparison(Table spread, Contenders contenders, String figure) {
        var sizes = spread.intColumn("n").unique();
        sizes.sortDescending();
        for (int n : sizes.asIntArray()) {
            var rows = spread.where(spread.intColumn("n").isEqualTo(n)).sortDescendingOn("median");
            if (rows.rowCount() > 1) {
                int last = rows.rowCount() - 1;
                var most = contenders.shortName(rows.stringColumn("contender").get(0));
                var least = contenders.shortName(rows.stringColumn("contender").get(last));
                boolean apart = rows.doubleColumn("min").get(0)
                        > ALIKE * rows.doubleColumn("max").get(last);
                return "%s\n%s: %s %s, %s %s"
                        .formatted(
                                sentence(
                                        apart
                                                ? more(most, least, figure)
                                                : noun(most) + " and " + noun(least) + " hardly differ"),
                                subject(spread.name(), n),
                                most,
                                value(rows.doubleColumn("median").get(0), figure, false),
                                least,
                                value(rows.doubleColumn("median").get(last), figure, true));
            }
        }
        int last = spread.rowCount() - 1;
        return "%s: %s at %,d"
                .formatted(
                        spread.stringColumn("contender").get(0),
                        Plots.number(spread.doubleColumn("median").get(last)),
                        spread.intColumn("n").get(last));
    }

    /**
     * Compares what each contender reached with the prediction, at the size where the contenders are furthest apart.
     */
    static String agreement(Table spread, Contenders contenders, String figure, DoubleUnaryOperator predicted) {
        int n = furthestApart(spread);
        var parts = new ArrayList<String>();
        for (var row : spread.where(spread.intColumn("n").isEqualTo(n))) {
            parts.add(contenders.shortName(row.getString("contender")) + " "
                    + value(row.getDouble("median"), figure, false));
        }
        double most = NEAR;
        var finding = "What was measured lies on the prediction";
        for (var row : spread) {
            double off = Math.abs(row.getDouble("median") / predicted.applyAsDouble(row.getInt("n")) - 1);
            if (off > most) {
                most = off;
                finding = sentence(contenders.shortName(row.getString("contender")) + " leaves the prediction");
            }
        }
        return "%s\n%s: %s; predicted %s"
                .formatted(
                        finding,
                        subject(spread.name(), n),
                        String.join(", ", parts),
                        value(predicted.applyAsDouble(n), figure, true));
    }

    /**
     * The size with the largest ratio of the largest median to the smallest; the largest size if they hardly differ.
     */
    private static int furthestApart(Table spread) {
        int[] sizes = spread.intColumn("n").asSet().stream()
                .mapToInt(Integer::intValue)
                .sorted()
                .toArray();
        int furthest = sizes[sizes.length - 1];
        double most = 1.1;
        for (int n : sizes) {
            var medians = spread.where(spread.intColumn("n").isEqualTo(n)).doubleColumn("median");
            double ratio = medians.max() / medians.min();
            if (ratio > most) {
                most = ratio;
                furthest = n;
            }
        }
        return furthest;
    }

    /** Names the contender whose figure rises most from its smallest load to its largest. */
    static String steepest(Table spread, Contenders contenders, String figure, double capacity) {
        var unit = unitInBrackets(figure);
        var finding = "";
        double most = 0;
        for (String contender : Results.contenders(spread)) {
            var own = Rows.of(spread, contender);
            var medians = own.doubleColumn("median");
            double ratio = medians.get(own.rowCount() - 1) / medians.get(0);
            if (ratio > most) {
                most = ratio;
                finding =
                        "%s waits longer as the load grows\n%s: %s of %s at %.0f %% of what can be served, %s at %.0f %%"
                                .formatted(
                                        sentence(contenders.shortName(contender)),
                                        contenders.shortName(contender),
                                        withoutUnit(figure),
                                        Plots.number(medians.get(0)) + unit,
                                        100 * own.intColumn("n").min() / capacity,
                                        Plots.number(medians.get(own.rowCount() - 1)) + unit,
                                        100 * own.intColumn("n").max() / capacity);
            }
        }
        return finding;
    }

    /** Says which of two contenders has the larger figure. */
    static String more(String first, String second, String figure) {
        boolean plural = !noun(first).equals(first);
        var verb = figure.equals("seconds")
                ? (plural ? "take longer" : "takes longer")
                : (plural ? "have more " : "has more ") + withoutUnit(figure);
        return "%s %s than %s".formatted(noun(first), verb, noun(second));
    }

    /** What a title calls a contender: a kind alone is an adjective. */
    private static String noun(String contender) {
        return contender.matches("platform|virtual") ? contender + " threads" : contender;
    }

    /** Says how the trials are drawn, given how many each place has. */
    static String trials(double[] counts) {
        int most = (int) Arrays.stream(counts).max().orElse(1);
        return most > 1 ? "median of " + most + ", bars are the range" : "one trial each";
    }

    /** A measured number with three significant digits: 2 becomes 2.00. */
    static String digits(double value) {
        int decimals = 2 - (int) Math.floor(Math.log10(Math.abs(value)));
        return Math.abs(value) >= 0.001 && decimals > 0
                ? ("%." + decimals + "f").formatted(value)
                : Plots.number(value);
    }

    /** Says how many trials are not in the picture. */
    static String failures(Table trials) {
        int failed = trials.rowCount() - Results.ok(trials).rowCount();
        return failed == 0 ? "" : " (%d failed)".formatted(failed);
    }

    static String sentence(String text) {
        return text.isEmpty() ? "" : text.substring(0, 1).toUpperCase() + text.substring(1);
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

    /**
     * The unit in the figure's name, such as ms in "latency (ms)"; otherwise the name without a formula such as (λ ·
     * W).
     */
    private static String unit(String figure) {
        return figure.equals("seconds")
                ? "s"
                : figure.replaceFirst("^.* \\((\\S+)\\)$", "$1").replaceFirst(" \\(.*\\)$", "");
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
