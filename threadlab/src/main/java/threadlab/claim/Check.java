package threadlab.claim;

import java.util.function.DoublePredicate;
import threadlab.support.Numbers;

/**
 * Judges a reader's answer to an exercise and explains a wrong one.
 *
 * <p>The stub of an exercise sets the answer to {@link #OPEN}, which tells an unanswered exercise from a wrong answer.
 *
 * @param state what the answer is
 * @param text what to tell the reader
 */
public record Check(State state, String text) {

    /** The answer that a stub holds: not a number, so equal to no answer. */
    public static final double OPEN = Double.NaN;

    /** What an answer is. */
    public enum State {
        /** The stub was not changed. */
        OPEN,
        /** As expected. */
        RIGHT,
        /** Anything else. */
        WRONG
    }

    /**
     * Begins the check of a number.
     *
     * @param answer what the reader wrote
     * @return the answer, to be judged with {@link Answer#expect}
     */
    public static Answer answer(double answer) {
        return new Answer(answer);
    }

    @Override
    public String toString() {
        return switch (state) {
                    case OPEN -> "✎ ";
                    case RIGHT -> "✔ ";
                    case WRONG -> "✘ ";
                }
                + text;
    }

    /** An answer, and the explanation of the first mistake that it shows. */
    public static final class Answer {
        private final double answer;
        private String mistaken;

        private Answer(double answer) {
            this.answer = answer;
        }

        /**
         * Adds an explanation for one kind of mistake.
         *
         * @param made whether the answer is that mistake; the first that matches is explained
         * @param explanation what went wrong, in a sentence
         * @return this answer
         */
        public Answer mistake(DoublePredicate made, String explanation) {
            if (mistaken == null && made.test(answer)) {
                mistaken = explanation;
            }
            return this;
        }

        /**
         * Judges the answer.
         *
         * @param expected the right answer
         * @param tolerance the largest difference that still counts as right, in the answer's unit
         * @param why the reason, in a sentence
         * @param hint a hint for a mistake without an explanation of its own
         * @return the check
         */
        public Check expect(double expected, double tolerance, String why, String hint) {
            if (Double.isNaN(answer)) {
                var ask = "not answered yet: put your answer into the cell above, then run that cell and this one.";
                return new Check(State.OPEN, ask);
            }
            if (Math.abs(answer - expected) <= tolerance) {
                return new Check(State.RIGHT, why);
            }
            var help = mistaken == null ? hint : mistaken;
            return new Check(State.WRONG, Numbers.rounded(answer, 6) + " is not the answer. " + help);
        }
    }
}
