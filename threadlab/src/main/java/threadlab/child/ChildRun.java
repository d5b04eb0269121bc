package threadlab.child;

import java.time.Duration;
import tech.tablesaw.api.Table;

/**
 * The outcome of a child JVM that has ended.
 *
 * @param reason why it ended; {@link ExitReason#FINISHED} if it did what it should
 * @param explanation the same in one or two sentences: what killed it, which limit it met, and what to do
 * @param peakMemory the most memory that it held at once, in bytes: the peak of its resident set, read from the
 *     operating system every 20 ms; -1 where the system does not report it
 * @param peakThreads the most native threads seen alive in it at once, including the JVM's own, read every 20 ms; -1
 *     where the system does not report it
 * @param throttled how long it was throttled because the CPU time of {@link ChildJvm#quota} was used up, summed over
 *     the CPUs; zero without a quota
 * @param output the last million characters that it wrote to standard output and standard error, in order of arrival
 * @param table the CSV that it wrote, one row per line, with the promised columns; null if there is none
 */
public record ChildRun(
        ExitReason reason,
        String explanation,
        long peakMemory,
        int peakThreads,
        Duration throttled,
        String output,
        Table table) {

    /** {@return whether it did what it should, with {@link ExitReason#FINISHED}} */
    public boolean ok() {
        return reason == ExitReason.FINISHED;
    }

    /**
     * {@return a copy of the CSV that it wrote; whole numbers are in an {@code IntColumn} or, beyond its range, a
     * {@code LongColumn}, other numbers in a {@code DoubleColumn}}
     *
     * @throws IllegalStateException if there is none, with the reason
     */
    @Override
    public Table table() {
        if (table == null) {
            throw new IllegalStateException("there is no table: " + explanation);
        }
        return table.copy();
    }

    @Override
    public String toString() {
        return explanation;
    }
}
