package threadlab.homework;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The numbers in one learner's exercises.
 *
 * <p>A neighbour's answer is of no use if its numbers are others. They follow from the names of a class and of a
 * learner, so that the learner's machine and the grader's choose the same.
 *
 * @param seed the name of the class, the same for all its learners
 * @param pseudonym the learner's name in this class: letters and digits, the last of which is a check digit
 */
public record Variant(String seed, String pseudonym) {
    private static final String DIGITS = "abcdefghijklmnopqrstuvwxyz234567";

    /** Checks the pseudonym: a mistyped one would give numbers of nobody. */
    public Variant {
        if (!valid(pseudonym)) {
            throw new IllegalArgumentException(
                    "\"%s\" is no pseudonym of a class: put the one you were given, 8 letters and digits such as"
                                    .formatted(pseudonym)
                            + " \"k3m7q2a6\", into the cell above, and run both cells again.");
        }
    }

    /**
     * Whether a pseudonym has its check digit: any one wrong character, and most swapped ones, change it.
     *
     * @param pseudonym what a learner has written
     * @return whether it can be one
     */
    public static boolean valid(String pseudonym) {
        if (pseudonym == null || pseudonym.length() != 8) {
            return false;
        }
        int sum = 0;
        for (int i = 0; i < 8; i++) {
            int digit = DIGITS.indexOf(pseudonym.charAt(i));
            if (digit < 0) {
                return false;
            }
            sum += i < 7 ? (2 * i + 1) * digit : -digit;
        }
        return Math.floorMod(sum, DIGITS.length()) == 0;
    }

    /**
     * Chooses this learner's number.
     *
     * @param name what the number is called in the exercise
     * @param choices all numbers that it may have
     * @return one of the choices, always the same for this class, learner and name
     */
    public int number(String name, int... choices) {
        var text = String.join("\n", seed, pseudonym, name);
        try {
            var hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return choices[Math.floorMod(ByteBuffer.wrap(hash).getInt(), choices.length)];
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java has SHA-256", e);
        }
    }
}
