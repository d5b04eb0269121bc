package threadlab.guess;

import java.util.Map;

/**
 * A guess beside what came out, where no claim compares them. As a cell's value it ends the guess.
 *
 * @param guess the guess, which may be open
 * @param sentence what came out, and by how much the reader was wrong
 * @param was what came out, as the page's {@code reveal} takes it
 */
public record Gap(Guess guess, String sentence, Map<String, ?> was) {

    @Override
    public String toString() {
        return sentence;
    }
}
