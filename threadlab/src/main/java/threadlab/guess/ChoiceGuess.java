package threadlab.guess;

import java.util.List;
import java.util.Map;
import threadlab.support.Arguments;

/** A guess that is one of several answers. */
public final class ChoiceGuess extends Guess {

    private static final int MOST = 7;

    private final List<String> options;

    ChoiceGuess(String about, String... options) {
        super(about, "choice");
        this.options = different("answers", MOST, options);
        Arguments.inRange("the number of answers", options.length, 2, MOST);
    }

    /**
     * Types the guess.
     *
     * @param option one of the answers
     * @return this guess
     */
    public ChoiceGuess is(String option) {
        set(List.of(new Mark(1, option, options.indexOf(option) + 1)));
        return this;
    }

    /**
     * Compares the guess with what came out.
     *
     * @param option the answer that was right
     * @return a sentence, as the last line of a cell
     */
    public Gap was(String option) {
        known(option);
        measured(List.of(new Mark(1, option, options.indexOf(option) + 1)));
        var mine = told();
        var words = mine.isEmpty()
                ? "It was %2$s."
                : mine.equals(option) ? "You chose %s: right." : "You chose %s; it was %s.";
        return new Gap(this, words.formatted(mine, option), Map.of("words", option));
    }

    private void known(String option) {
        Arguments.require(options.contains(option), "\"%s\" is none of the answers: give one of %s", option, options);
    }

    @Override
    void check(List<Mark> made) {
        made.forEach(mark -> known(mark.words()));
        Arguments.require(made.size() <= 1, "%d answers were chosen: choose one", made.size());
    }

    @Override
    public Map<String, ?> spec() {
        return Map.of("kind", "choice", "options", options);
    }

    @Override
    String typing() {
        return ".is(…) with one of \"" + String.join("\", \"", options) + "\"";
    }

    @Override
    public String told() {
        return marks().stream().findFirst().map(Mark::words).orElse("");
    }
}
