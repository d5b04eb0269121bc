package threadlab.support;

import java.time.Duration;
import java.util.function.Function;

/** Checks arguments; what is not allowed throws an {@link IllegalArgumentException} that names it and what is. */
public final class Arguments {

    private Arguments() {}

    /**
     * Refuses what does not hold.
     *
     * @param holds whether it does
     * @param otherwise what is wrong and what to do, as for {@link String#formatted}
     * @param values what the message names
     */
    public static void require(boolean holds, String otherwise, Object... values) {
        if (!holds) {
            throw new IllegalArgumentException(otherwise.formatted(values));
        }
    }

    /**
     * Checks a whole number.
     *
     * @param what the method that takes it, such as {@code clients}
     * @param value the argument
     * @param least the smallest that is allowed
     * @param most the largest that is allowed
     * @return the argument
     */
    public static int inRange(String what, int value, int least, int most) {
        return inRange(what, value, least, most, "");
    }

    /**
     * Checks a whole number; the message says more about its range.
     *
     * @param what the method that takes it, such as {@code clients}
     * @param value the argument
     * @param least the smallest that is allowed
     * @param most the largest that is allowed
     * @param more ends the message, such as {@code , the CPUs of this machine}
     * @return the argument
     */
    public static int inRange(String what, int value, int least, int most, String more) {
        return (int) inRange(what, (double) value, least, most, more);
    }

    /**
     * Checks a number.
     *
     * @param what the method that takes it, such as {@code quota}
     * @param value the argument
     * @param least the smallest that is allowed
     * @param most the largest that is allowed
     * @param more ends the message, such as {@code , the CPUs of this machine}
     * @return the argument
     */
    public static double inRange(String what, double value, double least, double most, String more) {
        return inRange(what, value, least, most, more, number -> Numbers.rounded(number, 4));
    }

    /**
     * Checks a time.
     *
     * @param what the method that takes it, such as {@code timeOut}
     * @param value the argument
     * @param least the shortest that is allowed
     * @param most the longest that is allowed
     * @return the argument
     */
    public static Duration inRange(String what, Duration value, Duration least, Duration most) {
        return inRange(what, value, least, most, "", time -> Numbers.rounded(time.toNanos() / 1e9, 4) + " s");
    }

    private static <T extends Comparable<T>> T inRange(
            String what, T value, T least, T most, String more, Function<T, String> words) {
        boolean inside = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
        var range = words.apply(least) + " to " + words.apply(most) + more;
        require(inside, "%s(%s) is out of range: it must be from %s", what, words.apply(value), range);
        return value;
    }

    /**
     * Checks that a text is not missing or blank.
     *
     * @param text the argument
     * @param message what is missing, with an example
     * @return the argument
     */
    public static String notBlank(String text, String message) {
        require(text != null && !text.isBlank(), "%s", message);
        return text;
    }
}
