package threadlab.attach;

import tech.tablesaw.api.Table;

/**
 * Little's law on a running service: X, W, L = X · W, beside what was in use of each limited thing. As the last
 * expression of a cell it shows the arithmetic and names the limit that is met.
 */
public final class Limits {

    private final double throughput;
    private final double seconds;
    private final Table table;
    private final String met;
    private final String arithmetic;

    Limits(double throughput, double seconds, Table table, String met, String arithmetic) {
        this.throughput = throughput;
        this.seconds = seconds;
        this.table = table;
        this.met = met;
        this.arithmetic = arithmetic;
    }

    /**
     * X, the throughput.
     *
     * @return requests per second
     */
    public double throughput() {
        return throughput;
    }

    /**
     * W, the mean latency.
     *
     * @return seconds
     */
    public double seconds() {
        return seconds;
    }

    /**
     * L = X · W, the requests that are inside, in the mean.
     *
     * @return requests
     */
    public double inside() {
        return throughput * seconds;
    }

    /**
     * What is limited.
     *
     * @return columns {@code limit} (such as {@code connections}), {@code in use}, {@code of} (how many there are; missing
     *     where it is not known), {@code share (%)}, {@code waiting} (threads that want one), {@code met}
     *     ({@code yes}, {@code no}, or {@code –}), {@code seen in} (where the figures are from)
     */
    public Table table() {
        return table.copy();
    }

    /**
     * The limit that is met.
     *
     * @return its name in the table; {@code none} if none of those that can be seen
     */
    public String met() {
        return met;
    }

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        return arithmetic;
    }
}
