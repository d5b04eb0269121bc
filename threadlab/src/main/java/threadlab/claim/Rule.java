package threadlab.claim;

import java.util.function.DoubleUnaryOperator;
import threadlab.support.Arguments;
import threadlab.support.Numbers;

/** What a claim allows at a size, and the share of it that a measured number uses. */
interface Rule {

    /** The share used, 0 or more; above 1 the measured number breaks the rule. */
    double used(double measured, double n);

    /** The rule with its numbers, in words. */
    String bound(double n);

    /** What theory gives at a size, NaN for nothing. */
    double theory(double n);

    /** The deviation from theory that is allowed at a size, as a share: 0 for a count, NaN without theory. */
    double slack(double n);

    /** Near a number, on both sides. */
    record Within(double share, DoubleUnaryOperator expected) implements Rule {
        @Override
        public double used(double measured, double n) {
            double number = expected.applyAsDouble(n);
            return Rule.share(Math.abs(measured - number), share * Math.abs(number));
        }

        @Override
        public double theory(double n) {
            return expected.applyAsDouble(n);
        }

        @Override
        public double slack(double n) {
            return share;
        }

        @Override
        public String bound(double n) {
            return (share == 0 ? "exactly " : "within " + percent(share) + " of ") + number(expected.applyAsDouble(n));
        }
    }

    /**
     * Up to a bound or down to it.
     *
     * @param predicted the number from theory, from which the margin extends to the bound; null if there is none
     */
    record OneSided(boolean above, DoubleUnaryOperator predicted, DoubleUnaryOperator bound) implements Rule {
        @Override
        public double used(double measured, double n) {
            double to = bound.applyAsDouble(n);
            if (predicted == null) {
                var negative =
                        "%s leaves no margin to measure: with a bound below 0, give the number from theory with predicted(…)";
                Arguments.require(!(to < 0), negative, words(above, to));
                return above ? share(measured, to) : measured < 0 ? Double.POSITIVE_INFINITY : share(to, measured);
            }
            double from = predicted.applyAsDouble(n);
            var broken =
                    "the prediction itself breaks the claim, because %s is not %s: put the bound on its other side";
            Arguments.require(!(above ? to < from : to > from), broken, number(from), words(above, to));
            return above ? share(measured - from, to - from) : share(from - measured, from - to);
        }

        @Override
        public double slack(double n) {
            double from = theory(n);
            return share(Math.abs(bound.applyAsDouble(n) - from), Math.abs(from));
        }

        @Override
        public double theory(double n) {
            return predicted == null ? Double.NaN : predicted.applyAsDouble(n);
        }

        @Override
        public String bound(double n) {
            var theory = predicted == null ? "" : " (predicted " + number(predicted.applyAsDouble(n)) + ")";
            return words(above, bound.applyAsDouble(n)) + theory;
        }
    }

    /** The used share of what is allowed; 0 of 0 is 0. */
    static double share(double used, double allowed) {
        return used <= 0 ? 0 : used / allowed;
    }

    private static String words(boolean above, double bound) {
        return (above ? "at most " : "at least ") + number(bound);
    }

    /** Four significant digits, so that a difference of one per mille is visible. */
    static String number(double value) {
        return Numbers.rounded(value, 4);
    }

    static String percent(double share) {
        return Numbers.rounded(share * 100, 2) + " %";
    }
}
