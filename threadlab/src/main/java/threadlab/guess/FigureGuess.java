package threadlab.guess;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import threadlab.support.Arguments;
import threadlab.support.Numbers;

/** A guess of a number on a scale, or of a line with a value at each size that will be measured. */
public final class FigureGuess extends Guess {

    /** A scale is logarithmic where its upper end is this many times its lower end. */
    private static final double WIDE = 20;

    private static final int MOST_SIZES = 12;

    /** The place of the only value of a number. */
    private static final int NUMBER = 1;

    private final Scale scale;
    private final double low;
    private final double high;
    /** What the charts under which the guess is drawn show at its sizes, by contender. */
    private final Map<String, List<Mark>> charted = new ConcurrentHashMap<>();

    private FigureGuess(Scale scale, double low, double high) {
        super(scale.about, scale.figure);
        this.scale = scale;
        this.low = low;
        this.high = high;
    }

    /** A guess that still lacks the ends of its scale. */
    public static final class Scale {

        private final String about;
        private final String figure;
        private final List<Integer> sizes;
        private final boolean isLine;
        private final boolean isWhole;

        /** Of one number. */
        Scale(String about, String figure, boolean isWhole) {
            this.about = about;
            this.figure = figure;
            this.sizes = List.of(NUMBER);
            this.isLine = false;
            this.isWhole = isWhole;
        }

        /** Of a line. */
        Scale(String about, String figure, int... sizes) {
            this.about = about;
            this.figure = figure;
            this.sizes = Arrays.stream(sizes).sorted().distinct().boxed().toList();
            this.isLine = true;
            this.isWhole = false;
            Arguments.inRange("the number of different sizes", this.sizes.size(), 2, MOST_SIZES);
            Arguments.require(this.sizes.getFirst() >= 1, "size %s is below 1", this.sizes.getFirst());
        }

        /**
         * Sets both ends of the scale, which is logarithmic if the upper end is at least 20 times the lower one.
         *
         * @param low the lower end, in the unit of the figure
         * @param high the upper end
         * @return the guess, still without a value
         */
        public FigureGuess between(double low, double high) {
            var wrong = "a scale between %s and %s has no room: give the lower end first, then a higher one";
            Arguments.require(low < high && low >= 0 && Double.isFinite(high), wrong, low, high);
            return new FigureGuess(this, low, high);
        }

        /**
         * Sets the upper end of a linear scale that begins at 0.
         *
         * @param high the upper end, in the unit of the figure
         * @return the guess, still without a value
         */
        public FigureGuess upTo(double high) {
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
    public FigureGuess is(double... typed) {
        var each = isLine() ? "one value for each size: " + words(scale.sizes) : "one number";
        Arguments.require(typed.length == scale.sizes.size(), "%d values were given: give %s", typed.length, each);
        set(IntStream.range(0, typed.length)
                .mapToObj(i -> new Mark(scale.sizes.get(i), "", typed[i]))
                .toList());
        return this;
    }

    @Override
    void check(List<Mark> marks) {
        for (var mark : marks) {
            Arguments.require(scale.sizes.contains(mark.n()), "%,d is none of the sizes %s", mark.n(), scale.sizes);
            var wrong = "a guess of %s is not a number of 0 or more";
            Arguments.require(Double.isFinite(mark.value()) && mark.value() >= 0, wrong, mark.value());
        }
    }

    @Override
    public Map<String, ?> spec() {
        return Map.of(
                "kind",
                "figures",
                "unit",
                unit(),
                "sizes",
                scale.sizes,
                "line",
                scale.isLine,
                "whole",
                scale.isWhole,
                "low",
                low,
                "high",
                high,
                "log",
                isLogarithmic());
    }

    /**
     * The values of the guess.
     *
     * @return a value for each size that has one, in the unit of the figure; a number's size is 1; empty without a guess
     */
    public NavigableMap<Integer, Double> values() {
        var values = new TreeMap<Integer, Double>();
        marks().forEach(mark -> values.put(mark.n(), mark.value()));
        return values;
    }

    /**
     * Whether a line is guessed.
     *
     * @return false for a number
     */
    public boolean isLine() {
        return scale.isLine;
    }

    private boolean isLogarithmic() {
        return low > 0 && high / low >= WIDE;
    }

    /** As it follows a number: {@code " s"}, {@code "/s"}, or nothing where a figure counts something. */
    private String unit() {
        var figure = figure();
        if (figure.equals("seconds")) {
            return " s";
        }
        if (figure.endsWith("/s")) {
            return "/s";
        }
        int open = figure.lastIndexOf('(');
        return open < 0 || !figure.endsWith(")") ? "" : " " + figure.substring(open + 1, figure.length() - 1);
    }

    @Override
    String typing() {
        return isLine() ? ".is(…) with a value for each of " + words(scale.sizes) : ".is(…) with your number";
    }

    @Override
    public String told() {
        return values().entrySet().stream()
                .map(each -> Numbers.rounded(each.getValue(), 3) + unit() + (isLine() ? at(each.getKey()) : ""))
                .collect(Collectors.joining(", "));
    }

    /**
     * Remembers what a chart under which this guess is drawn shows of a contender, for whoever compares many guesses.
     *
     * @param contender its name
     * @param sizes the sizes of its trials
     * @param values its values there
     */
    public void charted(String contender, double[] sizes, double[] values) {
        charted.put(
                contender,
                IntStream.range(0, sizes.length)
                        .filter(i -> scale.sizes.contains((int) sizes[i]) && Double.isFinite(values[i]))
                        .mapToObj(i -> new Mark((int) sizes[i], "", values[i]))
                        .toList());
    }

    /**
     * Keeps what was measured: of a line, all that a chart has shown of the contender.
     *
     * @param contender its name, such as the table's; empty for a number
     * @param n the size that was measured; any for a number
     * @param value what was measured, in the unit of the figure; NaN for nothing
     */
    public void measured(String contender, int n, double value) {
        var only = charted.size() == 1 ? charted.values().iterator().next() : List.<Mark>of();
        int at = isLine() ? n : NUMBER;
        boolean counts = Double.isFinite(value) && scale.sizes.contains(at);
        measured(charted.getOrDefault(contender, counts ? List.of(new Mark(at, "", value)) : only));
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
        var mine = values().get(isLine() ? n : Integer.valueOf(NUMBER));
        if (mine == null || !Double.isFinite(measured)) {
            return "";
        }
        var verb = isLine() ? "drew" : "guessed";
        return "You %s %s%s%s; it was %s%s: %s."
                .formatted(
                        verb,
                        Numbers.rounded(mine, 3),
                        unit(),
                        isLine() ? at(n) : "",
                        Numbers.rounded(measured, 3),
                        unit(),
                        wrong(verb, mine, measured));
    }

    static String wrong(String verb, double mine, double measured) {
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
