package whatwaits.rules;

/**
 * Why it is open whether a limit is met.
 *
 * @param kind for programs: {@code unseen}, {@code shuffled}, {@code cut}, {@code circle}, {@code once}, {@code unknown}, {@code queue} or {@code heap}
 * @param why one sentence, without its full stop
 * @param command what would decide
 */
public record Undecided(String kind, String why, String command) {

    @Override
    public String toString() {
        return why + ". To decide: " + command + ".";
    }
}
