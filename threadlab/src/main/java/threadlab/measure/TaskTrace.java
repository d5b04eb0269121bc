package threadlab.measure;

import java.util.Comparator;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * When each task began and ended, and how, as the tasks themselves report it.
 *
 * <pre>{@code
 * scope.fork(() -> trace.of("insert", () -> insert(order)));
 * }</pre>
 */
public final class TaskTrace {

    private record Stint(String task, long from, long until, String ending) {}

    private final LongSupplier nanoClock;
    private final long start;
    private final ConcurrentLinkedQueue<Stint> rows = new ConcurrentLinkedQueue<>();

    /** A trace without tasks, whose clock starts now. */
    public TaskTrace() {
        this(System::nanoTime);
    }

    TaskTrace(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        start = nanoClock.getAsLong();
    }

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
        long from = nanoClock.getAsLong();
        var ending = "failed";
        try {
            var result = body.call();
            ending = "done";
            return result;
        } catch (InterruptedException interrupted) {
            ending = "cancelled";
            throw interrupted;
        } finally {
            // a socket closed by an interrupt throws another exception, but the interrupt status is set
            if (ending.equals("failed") && Thread.currentThread().isInterrupted()) {
                ending = "cancelled";
            }
            rows.add(new Stint(task, from - start, nanoClock.getAsLong() - start, ending));
        }
    }

    /**
     * The tasks that have ended.
     *
     * @return columns {@code task}, {@code from (ms)} and {@code until (ms)} since the trace was made, {@code ending}
     *     ({@code done}, {@code failed} or {@code cancelled}); one row per task, in the order in which they began
     */
    public Table table() {
        var ended = rows.stream().sorted(Comparator.comparingLong(Stint::from)).toList();
        return Table.create(
                "tasks",
                StringColumn.create("task", ended.stream().map(Stint::task)),
                DoubleColumn.create("from (ms)", ended.stream().mapToDouble(row -> row.from / 1e6)),
                DoubleColumn.create("until (ms)", ended.stream().mapToDouble(row -> row.until / 1e6)),
                StringColumn.create("ending", ended.stream().map(Stint::ending)));
    }
}
