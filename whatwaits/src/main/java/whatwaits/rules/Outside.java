package whatwaits.rules;

/**
 * What is known of a process besides its threads, from the system and a recording; figures are NaN where nothing is.
 *
 * @param waitingForCpu its threads that could run and waited for a CPU, the mean; without those that compile or collect
 * @param connections established ones to the ports on which it listens, the fewest at any moment
 * @param unread those of them whose request it has not read yet, the fewest at any moment
 * @param unaccepted those that it has not accepted yet, the fewest at any moment
 * @param collecting share of the time in which full collections, of the whole heap, stopped all its threads
 */
public record Outside(double waitingForCpu, double connections, double unread, double unaccepted, double collecting) {

    /** Nothing is known. */
    public static final Outside UNKNOWN = new Outside(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);

    /**
     * {@return the same with another share for its full collections}
     *
     * @param share as {@link #collecting}
     */
    public Outside withCollecting(double share) {
        return new Outside(waitingForCpu, connections, unread, unaccepted, share);
    }
}
