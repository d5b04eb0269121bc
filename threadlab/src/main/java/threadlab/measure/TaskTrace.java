package threadlab.measure;

import java.util.Comparator;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * When each task began and ended, and how, by the tasks' own account.
 *
 * <pre>{@code
 * scope.fork(() -> trace.of("insert", () -> insert(order)));
 * }</pre>
 */
public final class TaskTrace {

    /** How a task ended, as {@link java.util.concurrent.Future.State} tells of a future. */
    private enum State {
        /** It returned. */
        DONE,
        /** It threw an exception, and nobody had interrupted it. */
        FAILED,
        /** It threw an exception because it was interrupted. */
        CANCELLED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private record Row(String task, long from, long until, State ending) {}

    private final long start = System.nanoTime();
    private final ConcurrentLinkedQueue<Row> rows = new ConcurrentLinkedQueue<>();

    /** A trace without tasks, whose clock starts now. */
    public TaskTrace() {}

    /**
     * Runs a task in the calling thread and notes when it began and ended.
     *
     * @param <T> what the task returns
     * @param task its name
     * @param body what it does
     * @return what the task returns
     * @throws Exception what the task throws
     */
    public <T> T of(String task, Callable<T> body) throws Exception {
        Objects.requireNonNull(task, "the task needs a name");
        long from = System.nanoTime();
        var ending = State.FAILED;
        try {
            var result = body.call();
            ending = State.DONE;
            return result;
        } catch (InterruptedException interrupted) {
            ending = State.CANCELLED;
            throw interrupted;
        } finally {
            // a socket that is closed by an interrupt throws another exception, but the thread's status tells
            if (ending == State.FAILED && Thread.currentThread().isInterrupted()) {
                ending = State.CANCELLED;
            }
            rows.add(new Row(task, from - start, System.nanoTime() - start, ending));
        }
    }

    /**
     * The tasks that have ended.
     *
     * @return columns {@code task}, {@code from (ms)} and {@code until (ms)} since the trace was made, {@code ending}
     *     ({@code done}, {@code failed} or {@code cancelled}); one row per task, in the order in which they began
     */
    public Table table() {
        var table = Table.create(
                "tasks",
                StringColumn.create("task"),
                DoubleColumn.create("from (ms)"),
                DoubleColumn.create("until (ms)"),
                StringColumn.create("ending"));
        rows.stream().sorted(Comparator.comparingLong(Row::from)).forEach(row -> {
            table.stringColumn("task").append(row.task);
            table.doubleColumn("from (ms)").append(row.from / 1e6);
            table.doubleColumn("until (ms)").append(row.until / 1e6);
            table.stringColumn("ending").append(row.ending.toString());
        });
        return table;
    }
}
