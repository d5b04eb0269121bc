package whatwaits.rules;

/**
 * What the system says of a process, without a question to its JVM; figures are NaN where it does not say.
 *
 * @param waitingForCpu its threads that could run and waited for a CPU, the mean; without those that compile or collect
 * @param connections established ones to the ports on which it listens, the fewest at any moment
 * @param unread those of them whose request it has not read yet, the fewest at any moment
 * @param unaccepted those that it has not accepted yet, the fewest at any moment
 */
public record Outside(double waitingForCpu, double connections, double unread, double unaccepted) {

    /** Nothing is known. */
    public static final Outside UNKNOWN = new Outside(Double.NaN, Double.NaN, Double.NaN, Double.NaN);
}
