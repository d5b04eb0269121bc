package threadlab.claim;

import java.util.function.DoubleUnaryOperator;

/** A prediction that still needs its one-sided bound, with or without a number from theory. */
public abstract sealed class Bounds permits Prediction, Prediction.Predicted {

    Bounds() {}

    /** Judges the claim by a bound: an upper one if above is true, else a lower one. */
    abstract Claim judged(boolean above, DoubleUnaryOperator bound);

    /**
     * What was measured is at most a bound.
     *
     * @param bound the bound at size n, in the unit of the figure: the predicted number or more or, if none was given,
     *     0 or more
     * @return the judged claim
     */
    public Claim atMost(DoubleUnaryOperator bound) {
        return judged(true, bound);
    }

    /**
     * What was measured is at most a bound that is the same at every size.
     *
     * @param bound the bound, in the unit of the figure: the predicted number or more or, if none was given, 0 or more
     * @return the judged claim
     */
    public Claim atMost(double bound) {
        return atMost(n -> bound);
    }

    /**
     * What was measured is at least a bound.
     *
     * @param bound the bound at size n, in the unit of the figure: the predicted number or less or, if none was given,
     *     0 or more
     * @return the judged claim
     */
    public Claim atLeast(DoubleUnaryOperator bound) {
        return judged(false, bound);
    }

    /**
     * What was measured is at least a bound that is the same at every size.
     *
     * @param bound the bound, in the unit of the figure: the predicted number or less or, if none was given, 0 or more
     * @return the judged claim
     */
    public Claim atLeast(double bound) {
        return atLeast(n -> bound);
    }
}
