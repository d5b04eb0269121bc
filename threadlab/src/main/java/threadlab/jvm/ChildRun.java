package threadlab.jvm;

import java.time.Duration;
import tech.tablesaw.api.Table;

/** What is left of a child JVM that has ended: how it ended, what it wrote, what it used. */
public final class ChildRun {

    private final Ending ending;
    private final String explanation;
    private final int exitCode;
    private final Duration wall;
    private final long peakMemory;
    private final int peakThreads;
    private final String output;
    private final Table table;

    ChildRun(
            Ending ending,
            String explanation,
            int exitCode,
            Duration wall,
            long peakMemory,
            int peakThreads,
            String output,
            Table table) {
        this.ending = ending;
        this.explanation = explanation;
        this.exitCode = exitCode;
        this.wall = wall;
        this.peakMemory = peakMemory;
        this.peakThreads = peakThreads;
        this.output = output;
        this.table = table;
    }

    /**
     * How it ended.
     *
     * @return {@link Ending#FINISHED}, or what went wrong
     */
    public Ending ending() {
        return ending;
    }

    /**
     * Whether it did what it should.
     *
     * @return true for {@link Ending#FINISHED}
     */
    public boolean ok() {
        return ending == Ending.FINISHED;
    }

    /**
     * How it ended, in words: what killed it, which limit it met, and what to do.
     *
     * @return one sentence, or two
     */
    public String explanation() {
        return explanation;
    }

    /**
     * The exit code; 128 + the signal's number if a signal killed it.
     *
     * @return 0 to 255
     */
    public int exitCode() {
        return exitCode;
    }

    /**
     * The time from the start of the process to its end, the start of the JVM included.
     *
     * @return the wall time
     */
    public Duration wall() {
        return wall;
    }

    /**
     * The most memory of the machine that the JVM held at once: the peak of its resident set, read from the operating
     * system every 20 ms.
     *
     * @return bytes; -1 where the system does not tell
     */
    public long peakMemory() {
        return peakMemory;
    }

    /**
     * The most native threads that were seen alive in it at once, the JVM's own included; read every 20 ms.
     *
     * @return threads; -1 where the system does not tell
     */
    public int peakThreads() {
        return peakThreads;
    }

    /**
     * What it wrote, to standard output and standard error, in the order in which it came.
     *
     * @return the last million characters
     */
    public String output() {
        return output;
    }

    /**
     * The CSV that it wrote.
     *
     * @return one row per line, with the columns that were promised; whole numbers are an {@code IntColumn} or, beyond
     *     its range, a {@code LongColumn}, other numbers a {@code DoubleColumn}
     * @throws IllegalStateException if there is none, with the reason
     */
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
