package threadlab.plot;

import java.util.ArrayList;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;
import threadlab.measure.Results;

/** The titles of charts of trials: a sentence that says what the rows show. */
final class Findings {

    private Findings() {}

    /** Compares the contenders at the largest size that more than one of them reached. */
    static String comparison(Table spread, Contenders contenders, String figure) {
        var sizes = spread.intColumn("n").unique();
        sizes.sortDescending();
        for (int n : sizes.asIntArray()) {
            var rows = spread.where(spread.intColumn("n").isEqualTo(n)).sortDescendingOn("median");
            if (rows.rowCount() > 1) {
                int last = rows.rowCount() - 1;
                return String.format(
                        Locale.ROOT,
                        "%s: %s %s, %s %s %s",
                        subject(spread.name(), n),
                        contenders.shortName(rows.stringColumn("contender").get(0)),
                        Plots.number(rows.doubleColumn("median").get(0)),
                        contenders.shortName(rows.stringColumn("contender").get(last)),
                        Plots.number(rows.doubleColumn("median").get(last)),
                        unit(figure));
            }
        }
        return String.format(
                Locale.ROOT,
                "%s: %s at %,d",
                spread.stringColumn("contender").get(0),
                Plots.number(spread.doubleColumn("median").get(spread.rowCount() - 1)),
                spread.intColumn("n").get(spread.rowCount() - 1));
    }

    /** Says of each contender how near it comes to the prediction, or how far it is from it. */
    static String agreement(Table spread, Contenders contenders, DoubleUnaryOperator predicted) {
        var names = Results.contenders(spread);
        var parts = new ArrayList<String>();
        for (String contender : names) {
            double ratio = 1;
            for (var row : Rows.of(spread, contender)) {
                double next = row.getDouble("median") / predicted.applyAsDouble(row.getInt("n"));
                ratio = Math.abs(Math.log(next)) > Math.abs(Math.log(ratio)) ? next : ratio;
            }
            var name = names.size() == 1 ? "measured" : contenders.shortName(contender);
            parts.add(name + " " + distance(ratio));
        }
        var last = parts.getLast();
        boolean share = last.contains("within") || last.contains("1/");
        return sentence(String.join(", ", parts)) + (share ? " of the prediction" : " the prediction");
    }

    /** How far a measured value is from the predicted one: in percent, or as a factor where it is twice or half. */
    private static String distance(double ratio) {
        double percent = 100 * Math.abs(ratio - 1);
        if (percent < 20) {
            return "within " + Numbers.rounded(percent, 2) + " %";
        }
        if (ratio > 0.5 && ratio < 2) {
            return "up to " + Numbers.rounded(percent, 2) + (ratio > 1 ? " % above" : " % below");
        }
        return ratio > 1 ? "up to " + Plots.number(ratio) + " ×" : "down to 1/" + Plots.number(1 / ratio);
    }

    /** Names the contender whose figure rises most from its smallest load to its largest. */
    static String steepest(Table spread, Contenders contenders, String figure, double capacity) {
        var unit = figure.replaceFirst("^.*\\((.*)\\)$|^.*$", " $1").stripTrailing();
        var finding = "";
        double most = 0;
        for (String contender : Results.contenders(spread)) {
            var own = Rows.of(spread, contender);
            var medians = own.doubleColumn("median");
            double ratio = medians.get(own.rowCount() - 1) / medians.get(0);
            if (ratio > most) {
                most = ratio;
                finding = String.format(
                        Locale.ROOT,
                        "%s: %s at %.0f %% of its ceiling, %s at %.0f %%",
                        contenders.shortName(contender),
                        Plots.number(medians.get(0)) + unit,
                        100 * own.intColumn("n").min() / capacity,
                        Plots.number(medians.get(own.rowCount() - 1)) + unit,
                        100 * own.intColumn("n").max() / capacity);
            }
        }
        return sentence(finding);
    }

    /** How many trials are not in the picture. */
    static String failures(Table trials) {
        int failed = trials.rowCount() - Results.ok(trials).rowCount();
        return failed == 0 ? "" : String.format(Locale.ROOT, " (%d failed)", failed);
    }

    static String sentence(String text) {
        return text.isEmpty() ? "" : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    /** The size in the experiment's own words: 500 tasks, where it is called "n tasks"; its details are left out. */
    private static String subject(String experiment, int n) {
        var size = String.format(Locale.ROOT, "%,d", n);
        return experiment.startsWith("n ")
                ? size + experiment.substring(1).replaceFirst("[:,(].*", "").stripTrailing()
                : "At " + size;
    }

    private static String unit(String figure) {
        return figure.equals("seconds") ? "s" : figure.replaceFirst(".*\\((.*)\\)", "$1");
    }
}
