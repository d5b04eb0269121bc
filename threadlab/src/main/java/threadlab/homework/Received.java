package threadlab.homework;

import java.util.Collection;
import threadlab.support.Numbers;

/** The public check of homework: whether an answer is there. Whether it is right is judged after handing in. */
public final class Received {
    private Received() {}

    /**
     * Looks at an answer.
     *
     * @param answer what the learner wrote, or what the learner's code gave
     * @return a sentence; it begins with ✎ if the answer is missing, that is null, not a number or empty
     */
    public static String answer(Object answer) {
        boolean missing = answer == null
                || answer instanceof Double number && number.isNaN()
                || answer instanceof CharSequence text && text.isEmpty()
                || answer instanceof Collection<?> all && all.isEmpty();
        if (missing) {
            return "✎ not answered yet: put your answer into the cell above, then run that cell and this one.";
        }
        var what =
                answer instanceof Number number ? Numbers.rounded(number.doubleValue(), 6) : "an answer that compiles";
        return "Received: %s. Whether it is right is judged after you have handed it in.".formatted(what);
    }
}
