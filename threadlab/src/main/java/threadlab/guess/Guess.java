package threadlab.guess;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import threadlab.support.Arguments;
import threadlab.support.Numbers;

/**
 * What a reader expects of an experiment: a number on a scale, or a line with a value at each size that will be
 * measured. The page lets the reader draw it; {@link #is} types it. Nobody has to guess: without a guess nothing waits
 * and nothing is drawn.
 *
 * <p>A guess may change until it is read, from any thread.
 */
public final class Guess {

    /** A scale is logarithmic where its upper end is this many times its lower end. */
    private static final double WIDE = 20;

    private static final int MOST_SIZES = 12;

    /** The place of the only value of a number. */
    private static final int NUMBER = 1;

    private final String about;
    private final String figure;
    private final List<Integer> sizes;
    private final boolean isLine;
    private final boolean isCount;
    private final double low;
    private final double high;
    private NavigableMap<Integer, Double> values = Collections.emptyNavigableMap();

    private Guess(Scale scale, double low, double high) {
        about = scale.about;
        figure = scale.figure;
        sizes = scale.sizes;
        isLine = scale.isLine;
        isCount = scale.isCount;
        this.low = low;
        this.high = high;
    }

    /**
     * Begins a guess of one number.
     *
     * @param about what is guessed, in words; a lesson's guesses have different ones
     * @param figure what the number is, with its unit, such as {@code seconds}
     * @return the next step: the scale
     */
    public static Scale number(String about, String figure) {
        return new Scale(about, figure, List.of(NUMBER), false, false);
    }

    /**
     * Begins a guess of how many there are of something.
     *
     * @param about what is guessed, as for {@link #number}
     * @param figure what is counted, such as {@code carriers}
     * @return the next step: the scale, which has whole numbers only
     */
    public static Scale count(String about, String figure) {
        return new Scale(about, figure, List.of(NUMBER), false, true);
    }

    /**
     * Begins a guess of a line.
     *
     * @param about what is guessed, in words that say what n is, such as {@code n tasks that each sleep 1 s}
     * @param figure what the line's values are, with their unit, such as {@code seconds}
     * @param sizes the 2 to 12 sizes that will be measured, 1 or more
     * @return the next step: the scale
     */
    public static Scale line(String about, String figure, int... sizes) {
        var sorted = Arrays.stream(sizes).sorted().distinct().boxed().toList();
        Arguments.inRange("the number of different sizes", sorted.size(), 2, MOST_SIZES);
        Arguments.require(sorted.getFirst() >= 1, "size %s is below 1", sorted.getFirst());
        return new Scale(about, figure, sorted, true, false);
    }

    /** A guess that still lacks the ends of its scale. */
    public static final class Scale {

        private final String about;
        private final String figure;
        private final List<Integer> sizes;
        private final boolean isLine;
        private final boolean isCount;

        private Scale(String about, String figure, List<Integer> sizes, boolean isLine, boolean isCount) {
            this.about = about;
            this.figure = figure;
            this.sizes = sizes;
            this.isLine = isLine;
            this.isCount = isCount;
        }

        /**
         * Sets both ends of the scale, which is logarithmic if the upper end is at least 20 times the lower one.
         *
         * @param low the lower end, in the unit of the figure
         * @param high the upper end
         * @return the guess, still without a value
         */
        public Guess between(double low, double high) {
            var wrong = "a scale between %s and %s has no room: give the lower end first, then a higher one";
            Arguments.require(low < high && low >= 0 && Double.isFinite(high), wrong, low, high);
            return new Guess(this, low, high);
        }

        /**
         * Sets the upper end of a linear scale that begins at 0.
         *
         * @param high the upper end, in the unit of the figure
         * @return the guess, still without a value
         */
        public Guess upTo(double high) {
            return between(0, high);
        }

        @Override
        public String toString() {
            return "\"" + about + "\" has no scale yet: add upTo(…) or between(…, …).";
        }
    }

    /**
     * Types the guess.
     *
     * @param typed a number's value, or a line's values, one for each of its sizes, in the unit of the figure
     * @return this guess
     */
    public Guess is(double... typed) {
        var each = isLine ? "one value for each size: " + words(sizes) : "one number";
        Arguments.require(typed.length == sizes.size(), "%d values were given: give %s", typed.length, each);
        set(Arrays.stream(typed).boxed().toList());
        return this;
    }

    /**
     * Replaces the guess, as when the reader has drawn it.
     *
     * @param drawn a value for each size, null where there is none; all null for no guess
     */
    public synchronized void set(List<Double> drawn) {
        Arguments.require(drawn.size() == sizes.size(), "%d values for %d sizes", drawn.size(), sizes.size());
        var fresh = new TreeMap<Integer, Double>();
        for (int i = 0; i < drawn.size(); i++) {
            var value = drawn.get(i);
            if (value != null) {
                var wrong = "a guess of %s is not a number of 0 or more";
                Arguments.require(Double.isFinite(value) && value >= 0, wrong, value);
                fresh.put(sizes.get(i), value);
            }
        }
        values = Collections.unmodifiableNavigableMap(fresh);
    }

    /**
     * The values of the guess.
     *
     * @return a value for each size that has one, in the unit of the figure; a number's size is 1; empty without a guess
     */
    public synchronized NavigableMap<Integer, Double> values() {
        return values;
    }

    /**
     * What is guessed.
     *
     * @return the words with which the guess was begun
     */
    public String about() {
        return about;
    }

    /**
     * What the values are.
     *
     * @return the figure with its unit
     */
    public String figure() {
        return figure;
    }

    /**
     * Where a line has values.
     *
     * @return the sizes, ascending; for a number only 1
     */
    public List<Integer> sizes() {
        return sizes;
    }

    /**
     * Whether a line is guessed.
     *
     * @return false for a number
     */
    public boolean isLine() {
        return isLine;
    }

    /**
     * Whether something is counted.
     *
     * @return true if only whole numbers make sense
     */
    public boolean isCount() {
        return isCount;
    }

    /**
     * The scale's lower end.
     *
     * @return in the unit of the figure
     */
    public double low() {
        return low;
    }

    /**
     * The scale's upper end.
     *
     * @return in the unit of the figure
     */
    public double high() {
        return high;
    }

    /**
     * Whether the scale is logarithmic.
     *
     * @return true if its upper end is at least 20 times the lower one
     */
    public boolean isLogarithmic() {
        return low > 0 && high / low >= WIDE;
    }

    /**
     * The figure's unit as it follows a number.
     *
     * @return such as {@code " s"}, {@code "/s"}, or nothing where a figure counts something
     */
    public String unit() {
        if (figure.equals("seconds")) {
            return " s";
        }
        if (figure.endsWith("/s")) {
            return "/s";
        }
        int open = figure.lastIndexOf('(');
        return open < 0 || !figure.endsWith(")") ? "" : " " + figure.substring(open + 1, figure.length() - 1);
    }

    /** The guess in words, and how to make one where the page shows no widget. */
    @Override
    public String toString() {
        var made = values();
        if (made.isEmpty()) {
            var example = isLine ? "is(…) with a value for each of " + words(sizes) : "is(…) with your number";
            return "No guess yet of \"%s\" (%s). Where nothing can be drawn here, type it: add .%s"
                    .formatted(about, figure, example);
        }
        var told = made.entrySet().stream()
                .map(each -> Numbers.rounded(each.getValue(), 3) + unit() + (isLine ? at(each.getKey()) : ""))
                .collect(Collectors.joining(", "));
        return "Your guess of \"%s\": %s.".formatted(about, told);
    }

    private static String at(int size) {
        return " at %,d".formatted(size);
    }

    private static String words(List<Integer> sizes) {
        return sizes.stream().map("%,d"::formatted).collect(Collectors.joining(", "));
    }

    /**
     * By how much the reader was wrong.
     *
     * @param n the size that was measured; any for a number
     * @param measured what was measured, in the unit of the figure
     * @return a sentence, such as {@code You drew 8 s at 100,000; it was 1.2 s: you drew 6.7 times as much.}; empty without a
     *     guess at that size or a measurement
     */
    public String gap(int n, double measured) {
        var mine = values().get(isLine ? n : Integer.valueOf(NUMBER));
        if (mine == null || !Double.isFinite(measured)) {
            return "";
        }
        var what = isLine ? "You drew %s%s%s" : "You guessed %s%s%s";
        var begun = what.formatted(Numbers.rounded(mine, 3), unit(), isLine ? at(n) : "");
        var verb = isLine ? "drew" : "guessed";
        return "%s; it was %s%s: %s."
                .formatted(begun, Numbers.rounded(measured, 3), unit(), wrong(verb, mine, measured));
    }

    private static String wrong(String verb, double mine, double measured) {
        if (Numbers.rounded(mine, 3).equals(Numbers.rounded(measured, 3))) {
            return "exactly right";
        }
        if (mine >= 2 * measured && measured > 0) {
            return "you " + verb + " " + Numbers.rounded(mine / measured, 2) + " times as much";
        }
        if (measured >= 2 * mine && mine > 0) {
            return Numbers.rounded(measured / mine, 2) + " times as much";
        }
        double percent = 100 * Math.abs(mine / measured - 1);
        var side = mine > measured ? "too high" : "too low";
        return measured == 0 || mine == 0 ? side : Numbers.rounded(percent, percent < 1 ? 1 : 2) + " % " + side;
    }
}
