package whatwaits.rules;

/**
 * Why it is open whether a limit is met.
 *
 * @param kind for programs: {@code unseen}, {@code shuffled}, {@code cut}, {@code circle}, {@code once}, {@code unknown}, {@code queue},
 *     {@code crowd} or {@code heap}
 * @param why one sentence, without its full stop
 * @param command what would decide
 * @param line to look at first; null where none stands out
 */
public record Undecided(String kind, String why, String command, String line) {

    Undecided(String kind, String why, String command) {
        this(kind, why, command, null);
    }

    @Override
    public String toString() {
        return why + ". To decide: " + command + ".";
    }
}
