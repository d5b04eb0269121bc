package threadlab.claim;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.DoublePredicate;
import java.util.function.DoubleUnaryOperator;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;
import threadlab.measure.Results;
import threadlab.measure.Trials;

/**
 * A stated prediction and whether it held here.
 *
 * <p>A table is judged by the median over the trials of each contender at each size. A claim that does not hold is a
 * lesson, not an exception: the notebook goes on.
 *
 * @param statement the prediction in words
 * @param held whether the measurement agrees with it
 * @param detail what was measured
 */
public record Claim(String statement, boolean held, String detail) {

    /**
     * Begins a claim about a table of trials.
     *
     * @param statement the prediction in words
     * @param trials a table with the columns of {@link threadlab.measure.Trials}
     * @return what to choose the rows and the rule with
     */
    public static AboutTrials that(String statement, Table trials) {
        Results.require(trials, "contender", "n");
        return new AboutTrials(statement, trials, Results.figure(trials), null, "");
    }

    /**
     * Begins a claim about one number.
     *
     * @param statement the prediction in words
     * @param measured the number
     * @return what to choose the rule with
     */
    public static AboutNumber that(String statement, double measured) {
        return new AboutNumber(statement, measured, "");
    }

    @Override
    public String toString() {
        return (held ? "✔ " : "✘ ") + statement + ": " + detail;
    }

    private static Claim judged(String statement, boolean held, String detail, String hint) {
        return new Claim(statement, held, held ? detail : detail + ". " + advice(hint));
    }

    private static String advice(String hint) {
        var os = ManagementFactory.getOperatingSystemMXBean();
        double load = os.getSystemLoadAverage();
        int cpus = os.getAvailableProcessors();
        return "This machine has %d %s%s. Run the measuring cell again%s"
                .formatted(
                        cpus,
                        cpus == 1 ? "CPU" : "CPUs",
                        load < 0 ? "" : " and had %.1f runnable threads over the last minute".formatted(load),
                        hint.isEmpty() ? "." : ", or " + hint + ".");
    }

    /** Four significant digits, so that a share of a per mille is still seen. */
    private static String number(double value) {
        return Numbers.rounded(value, 4);
    }

    private static String percent(double share) {
        double percent = share * 100;
        return Numbers.rounded(percent, 2) + " %";
    }

    /** The share by which a measured number misses the expected one. */
    private static double deviation(double measured, double expected) {
        return Math.abs(measured - expected) / Math.abs(expected);
    }

    private static double share(double share) {
        if (!(share >= 0 && share < 1)) {
            throw new IllegalArgumentException(
                    "within(" + share + ") is no share: 5 % is written within(0.05), and it stays below 1");
        }
        return share;
    }

    /** A claim about one number, without its rule. */
    public static final class AboutNumber {
        private final String statement;
        private final double measured;
        private final String hint;

        private AboutNumber(String statement, double measured, String hint) {
            this.statement = statement;
            this.measured = measured;
            this.hint = hint;
        }

        /**
         * Adds what to do if the claim does not hold.
         *
         * @param whatToLookAt goes on after "Run the measuring cell again, or …"
         * @return the same with the hint
         */
        public AboutNumber hint(String whatToLookAt) {
            return new AboutNumber(statement, measured, whatToLookAt);
        }

        /**
         * The number is near another.
         *
         * @param share the largest deviation as a share of the expected number, such as 0.05
         * @param expected the expected number
         * @return the judged claim
         */
        public Claim within(double share, double expected) {
            double deviation = deviation(measured, expected);
            return judged(
                    statement,
                    deviation <= share(share),
                    "%s, expected %s: off by %s (allowed %s)"
                            .formatted(number(measured), number(expected), percent(deviation), percent(share)),
                    hint);
        }

        /**
         * The number is at most another.
         *
         * @param bound the largest number that the claim allows
         * @return the judged claim
         */
        public Claim atMost(double bound) {
            return judged(statement, measured <= bound, number(measured) + " (at most " + number(bound) + ")", hint);
        }

        /**
         * The number is at least another.
         *
         * @param bound the smallest number that the claim allows
         * @return the judged claim
         */
        public Claim atLeast(double bound) {
            return judged(statement, measured >= bound, number(measured) + " (at least " + number(bound) + ")", hint);
        }
    }

    /** A claim about a table of trials, without its rule. */
    public static final class AboutTrials {
        private final String statement;
        private final Table trials;
        private final String figure;
        private final String contender;
        private final String hint;

        private AboutTrials(String statement, Table trials, String figure, String contender, String hint) {
            this.statement = statement;
            this.trials = trials;
            this.figure = figure;
            this.contender = contender;
            this.hint = hint;
        }

        /**
         * Looks at one contender only.
         *
         * @param name the contender's name in the table
         * @return the same for that contender
         */
        public AboutTrials contender(String name) {
            if (!Results.contenders(trials).contains(name)) {
                throw new IllegalArgumentException(
                        "there is no contender \"" + name + "\" in the table; it has " + Results.contenders(trials));
            }
            return new AboutTrials(statement, trials, figure, name, hint);
        }

        /**
         * Looks at another column than the first named figure.
         *
         * @param column the column's name
         * @return the same for that column
         */
        public AboutTrials figure(String column) {
            Results.require(trials, column);
            return new AboutTrials(statement, trials, column, contender, hint);
        }

        /**
         * Adds what to do if the claim does not hold.
         *
         * @param whatToLookAt goes on after "Run the measuring cell again, or …"
         * @return the same with the hint
         */
        public AboutTrials hint(String whatToLookAt) {
            return new AboutTrials(statement, trials, figure, contender, Objects.requireNonNull(whatToLookAt));
        }

        /**
         * Every median is near a predicted number: {@code within(0.05).of(n -> n / 0.050)}.
         *
         * @param share the largest deviation as a share of the predicted number
         * @return what to give the prediction to
         */
        public Within within(double share) {
            return new Within(this, share(share));
        }

        /**
         * Every median is at most a bound.
         *
         * @param bound the bound at size n, in the figure's unit
         * @return the judged claim
         */
        public Claim atMost(DoubleUnaryOperator bound) {
            return ratios(bound, ratio -> ratio <= 1, "at most", false);
        }

        /**
         * Every median is at most a bound that is the same at every size.
         *
         * @param bound the bound, in the figure's unit
         * @return the judged claim
         */
        public Claim atMost(double bound) {
            return atMost(n -> bound);
        }

        /**
         * Every median is at least a bound.
         *
         * @param bound the bound at size n, in the figure's unit
         * @return the judged claim
         */
        public Claim atLeast(DoubleUnaryOperator bound) {
            return ratios(bound, ratio -> ratio >= 1, "at least", true);
        }

        /**
         * Every median is at least a bound that is the same at every size.
         *
         * @param bound the bound, in the figure's unit
         * @return the judged claim
         */
        public Claim atLeast(double bound) {
            return atLeast(n -> bound);
        }

        /**
         * The median at the largest size is larger than at the smallest.
         *
         * @param factor how many times as large it is at least, more than 1
         * @return the judged claim; it does not hold where fewer than two sizes ran
         */
        public Claim growsBy(double factor) {
            var points = points();
            var first = points.getFirst();
            var last = points.getLast();
            if (first.n == last.n) {
                return judged(statement, false, "only one size ran here, n = %,d".formatted(first.n), hint);
            }
            double grown = last.median / first.median;
            return judged(
                    statement,
                    grown >= factor && failures(points).isEmpty(),
                    "%s at %,d, %s at %,d: %s times as much (at least %s)%s"
                            .formatted(
                                    number(first.median),
                                    first.n,
                                    number(last.median),
                                    last.n,
                                    number(grown),
                                    number(factor),
                                    failures(points)),
                    hint);
        }

        private Claim ratios(DoubleUnaryOperator bound, DoublePredicate rule, String word, boolean least) {
            var points = points();
            Point worst = null;
            double worstRatio = Double.NaN;
            int good = 0;
            for (Point point : points) {
                double ratio = point.median / bound.applyAsDouble(point.n);
                good += rule.test(ratio) ? 1 : 0;
                if (worst == null || (least ? ratio < worstRatio : ratio > worstRatio) || Double.isNaN(ratio)) {
                    worst = point;
                    worstRatio = ratio;
                }
            }
            return judged(
                    statement,
                    good == points.size() && failures(points).isEmpty(),
                    "%d of %d points %s the bound (tightest: %s %s at %,d, bound %s)%s"
                            .formatted(
                                    good,
                                    points.size(),
                                    word,
                                    number(worst.median),
                                    worst.contender,
                                    worst.n,
                                    number(bound.applyAsDouble(worst.n)),
                                    failures(points)),
                    hint);
        }

        @Override
        public String toString() {
            return "\"" + statement
                    + "\" is not a claim yet: add within(…).of(…), atMost(…), atLeast(…) or growsBy(…).";
        }

        private record Point(String contender, int n, double median, int failed) {}

        private List<Point> points() {
            var points = new ArrayList<Point>();
            for (Row row : Results.spread(trials, figure)) {
                if (contender == null || contender.equals(row.getString("contender"))) {
                    points.add(new Point(
                            row.getString("contender"),
                            row.getInt("n"),
                            row.getDouble("median"),
                            row.getInt("failed")));
                }
            }
            return points;
        }

        private String failures(List<Point> points) {
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
            return "; %d %s did not end well (%s: %s)"
                    .formatted(
                            failed,
                            failed == 1 ? "trial" : "trials",
                            first.getString("contender"),
                            first.getString("outcome"));
        }
    }

    /** A claim about a table of trials that waits for its prediction. */
    public static final class Within {
        private final AboutTrials about;
        private final double share;

        private Within(AboutTrials about, double share) {
            this.about = about;
            this.share = share;
        }

        /**
         * Judges against a prediction.
         *
         * @param predicted the predicted figure at size n, in the figure's unit
         * @return the judged claim
         */
        public Claim of(DoubleUnaryOperator predicted) {
            var points = about.points();
            int good = 0;
            double largest = -1;
            int where = 0;
            for (var point : points) {
                double deviation = deviation(point.median, predicted.applyAsDouble(point.n));
                good += deviation <= share ? 1 : 0;
                if (deviation > largest || Double.isNaN(deviation)) {
                    largest = deviation;
                    where = point.n;
                }
            }
            return judged(
                    about.statement,
                    good == points.size() && about.failures(points).isEmpty(),
                    "%d of %d points within %s (largest deviation %s, at %,d)%s"
                            .formatted(
                                    good,
                                    points.size(),
                                    percent(share),
                                    percent(largest),
                                    where,
                                    about.failures(points)),
                    about.hint);
        }

        /**
         * Judges against a prediction that is the same at every size.
         *
         * @param predicted the predicted figure, in the figure's unit
         * @return the judged claim
         */
        public Claim of(double predicted) {
            return of(n -> predicted);
        }
    }
}
