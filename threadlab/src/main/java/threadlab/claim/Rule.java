package threadlab.claim;

import java.util.function.DoubleUnaryOperator;
import threadlab.measure.Numbers;

/** What a claim allows at a size, and the share of it that a measured number uses. */
interface Rule {

    /** 0 or more; above 1 the measured number breaks the rule. */
    double used(double measured, double n);

    /** The rule with its numbers, in words. */
    String bound(double n);

    /** Near a number, on both sides. */
    record Within(double share, DoubleUnaryOperator expected) implements Rule {
        @Override
        public double used(double measured, double n) {
            double number = expected.applyAsDouble(n);
            return Rule.share(Math.abs(measured - number), share * Math.abs(number));
        }

        @Override
        public String bound(double n) {
            return (share == 0 ? "exactly " : "within " + percent(share) + " of ") + number(expected.applyAsDouble(n));
        }
    }

    /** At most a bound, without a prediction. */
    record AtMost(DoubleUnaryOperator bound) implements Rule {
        @Override
        public double used(double measured, double n) {
            return share(measured, notNegative("atMost", bound.applyAsDouble(n)));
        }

        @Override
        public String bound(double n) {
            return "at most " + number(bound.applyAsDouble(n));
        }
    }

    /** At least a bound, without a prediction. */
    record AtLeast(DoubleUnaryOperator bound) implements Rule {
        @Override
        public double used(double measured, double n) {
            double least = notNegative("atLeast", bound.applyAsDouble(n));
            return measured < 0 ? Double.POSITIVE_INFINITY : share(least, measured);
        }

        @Override
        public String bound(double n) {
            return "at least " + number(bound.applyAsDouble(n));
        }
    }

    /** Between a predicted number and a bound that lies above it or below, or beyond the predicted number. */
    record FromPredicted(boolean above, DoubleUnaryOperator predicted, DoubleUnaryOperator bound) implements Rule {
        @Override
        public double used(double measured, double n) {
            double from = predicted.applyAsDouble(n);
            double to = bound.applyAsDouble(n);
            if (above ? to < from : to > from) {
                throw new IllegalArgumentException(
                        "the prediction itself breaks the claim: %s is not %s; put the bound on its other side"
                                .formatted(number(from), words(to)));
            }
            return above ? share(measured - from, to - from) : share(from - measured, from - to);
        }

        @Override
        public String bound(double n) {
            return words(bound.applyAsDouble(n)) + " (predicted " + number(predicted.applyAsDouble(n)) + ")";
        }

        private String words(double bound) {
            return (above ? "at most " : "at least ") + number(bound);
        }
    }

    /** The share of what is allowed, where 0 of 0 is 0. */
    static double share(double used, double allowed) {
        return used <= 0 ? 0 : used / allowed;
    }

    private static double notNegative(String rule, double bound) {
        if (bound < 0) {
            throw new IllegalArgumentException(
                    "%s(%s) has no margin to measure: before a bound below 0, name the number that theory gives with predicted(…)"
                            .formatted(rule, number(bound)));
        }
        return bound;
    }

    /** Four significant digits, so that a share of a per mille is still seen. */
    static String number(double value) {
        return Numbers.rounded(value, 4);
    }

    static String percent(double share) {
        return Numbers.rounded(share * 100, 2) + " %";
    }
}
