package threadlab.guess;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import threadlab.support.Arguments;

/**
 * What a reader expects of an experiment: a number, a line, one of several answers, an order, or bars on lanes. The page
 * lets the reader make it by hand; each kind has a method that types it. Nobody has to guess: without a guess nothing
 * waits and nothing is drawn.
 *
 * <p>A guess may change until it is read, from any thread.
 */
public abstract sealed class Guess permits FigureGuess, ChoiceGuess, OrderGuess, LanesGuess {

    /**
     * A part of a guess, as the page and the disk know it.
     *
     * @param n the size of a value, the place in an order, or the number of a bar; otherwise 1
     * @param words the answer or the item chosen, or the lane of a bar; otherwise empty
     * @param value what is expected there: a figure, an answer's or an item's number as they were given, from 1, or the
     *     beginning of a bar in ms
     */
    public record Mark(int n, String words, double value) {}

    private final String about;
    private final String figure;
    private List<Mark> marks = List.of();
    private List<Mark> measured = List.of();

    Guess(String about, String figure) {
        this.about = Objects.requireNonNull(about, "a guess needs words that say what is asked");
        this.figure = Objects.requireNonNull(figure, "a guess needs the name of its figure, with the unit");
    }

    /**
     * Begins a guess of one number.
     *
     * @param about what is guessed, in words; a lesson's guesses have different ones
     * @param figure what the number is, with its unit, such as {@code seconds}
     * @return the next step: the scale
     */
    public static FigureGuess.Scale number(String about, String figure) {
        return new FigureGuess.Scale(about, figure, false);
    }

    /**
     * Begins a guess of how many there are of something.
     *
     * @param about what is guessed, as for {@link #number}
     * @param figure what is counted, such as {@code carriers}
     * @return the next step: the scale, which has whole numbers only
     */
    public static FigureGuess.Scale count(String about, String figure) {
        return new FigureGuess.Scale(about, figure, true);
    }

    /**
     * Begins a guess of a line.
     *
     * @param about what is guessed, in words that say what n is, such as {@code n tasks that each sleep 1 s}
     * @param figure what the line's values are, with their unit, such as {@code seconds}
     * @param sizes the 2 to 12 sizes that will be measured, 1 or more
     * @return the next step: the scale
     */
    public static FigureGuess.Scale line(String about, String figure, int... sizes) {
        return new FigureGuess.Scale(about, figure, sizes);
    }

    /**
     * A guess that is one of several answers.
     *
     * @param about what is asked, in words; a lesson's guesses have different ones
     * @param options the 2 to 7 answers, all different
     * @return the guess, still open
     */
    public static ChoiceGuess choice(String about, String... options) {
        return new ChoiceGuess(about, options);
    }

    /**
     * A guess that is an order.
     *
     * @param about what is asked, in words that say what stands first; a lesson's guesses have different ones
     * @param items the 2 to 7 items, all different, not in the right order
     * @return the guess, still open
     */
    public static OrderGuess order(String about, String... items) {
        return new OrderGuess(about, items);
    }

    /**
     * Begins a guess of what happens when, as bars on lanes.
     *
     * @param about what is asked, in words; a lesson's guesses have different ones
     * @param lanes the 1 to 8 lanes, all different, the first on top
     * @return the next step: the time axis
     */
    public static LanesGuess.Axis lanes(String about, String... lanes) {
        return new LanesGuess.Axis(about, lanes);
    }

    /**
     * What is guessed.
     *
     * @return the words with which the guess was begun
     */
    public final String about() {
        return about;
    }

    /**
     * What the values are.
     *
     * @return the figure with its unit
     */
    public final String figure() {
        return figure;
    }

    /**
     * The parts of the guess.
     *
     * @return them; empty without a guess
     */
    public final synchronized List<Mark> marks() {
        return marks;
    }

    /**
     * Replaces the guess, as when the reader has made one on the page.
     *
     * @param made its parts; none for no guess
     * @throws IllegalArgumentException if this guess has no such parts
     */
    public final synchronized void set(List<Mark> made) {
        check(made);
        marks = List.copyOf(made);
    }

    /**
     * What came out, where a claim or a cell has compared it with this guess.
     *
     * @return its parts, as those of a guess; of bars the end of the last one, in ms; none before
     */
    public final synchronized List<Mark> measured() {
        return measured;
    }

    /** Keeps what came out. */
    final synchronized void measured(List<Mark> found) {
        measured = List.copyOf(found);
    }

    /** Refuses parts that this guess cannot have. */
    abstract void check(List<Mark> made);

    /**
     * What the page needs to let the reader guess.
     *
     * @return names and values as JSON knows them
     */
    public abstract Map<String, ?> spec();

    /** How to type this guess, as it continues "add". */
    abstract String typing();

    /**
     * The guess in words.
     *
     * @return such as {@code 8 s at 100,000}; empty without a guess
     */
    public abstract String told();

    /** The guess in words, and how to make one where the page shows no widget. */
    @Override
    public final String toString() {
        return marks().isEmpty()
                ? "No guess yet of \"%s\" (%s). Where nothing can be drawn here, type it: add %s"
                        .formatted(about, figure, typing())
                : "Your guess of \"%s\": %s.".formatted(about, told());
    }

    /** Several words, all different. */
    static List<String> different(String what, int most, String... words) {
        var all = List.of(words);
        Arguments.inRange("the number of " + what, all.size(), 1, most);
        Arguments.require(all.stream().distinct().count() == all.size(), "two %s are the same: %s", what, all);
        return all;
    }
}
