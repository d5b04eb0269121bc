package threadlab.attach;

import java.util.List;
import tech.tablesaw.api.Table;

/**
 * The threads of one moment, in groups: those of a group wait for the same kind of thing at the same line. As the last
 * expression of a cell it shows the numbers that matter, and each stack once.
 */
public final class ThreadDump {

    private final List<ThreadState> threads;
    private final String source;

    ThreadDump(List<ThreadState> threads, String source) {
        this.threads = threads;
        this.source = source;
    }

    List<ThreadState> threads() {
        return threads;
    }

    /**
     * The groups, the largest first; threads of the watching itself are left out.
     *
     * @return columns {@code waits for} (see {@link WaitsFor}), {@code what} (the lock, the pool, the queue: its class and
     *     number), {@code kind} ({@code virtual} or {@code platform}), {@code threads}, {@code on a carrier} (those that
     *     hold one), {@code holder} (the thread that holds the lock, if it is known), {@code where} (the first frame that is
     *     not the JDK's, with its line), {@code stack} (of one of them, innermost frame first)
     */
    public Table table() {
        throw new UnsupportedOperationException("soon");
    }

    /**
     * How many threads wait for one kind of thing.
     *
     * @param what such as {@code WaitsFor.LOCK}
     * @return threads, virtual and platform
     */
    public int count(WaitsFor what) {
        throw new UnsupportedOperationException("soon");
    }

    /**
     * Who holds a carrier now without computing: pinned, or in a call that blocks it.
     *
     * @return columns {@code thread}, {@code carrier}, {@code why}, {@code where}, {@code stack}
     */
    public Table pinned() {
        throw new UnsupportedOperationException("soon");
    }

    /** The groups for a reader. */
    @Override
    public String toString() {
        return "%d threads, from %s".formatted(threads.size(), source);
    }
}
