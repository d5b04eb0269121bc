package threadlab.guess;

/**
 * A guess beside what came out, where no claim compares them. As a cell's value it ends the guess.
 *
 * @param guess the guess, which may be open
 * @param sentence what came out, and by how much the reader was wrong
 */
public record Gap(Guess guess, String sentence) {

    @Override
    public String toString() {
        return sentence;
    }
}
