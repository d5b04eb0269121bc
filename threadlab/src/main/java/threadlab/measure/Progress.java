package threadlab.measure;

import java.time.Duration;
import java.util.function.Function;
import tech.tablesaw.api.Table;

/**
 * Where a run of {@link Trials} stands.
 *
 * @param experiment the experiment's name
 * @param state whether the run goes on
 * @param running what runs now, in words; empty when nothing does
 * @param done turns that have ended, warm-up included
 * @param planned all turns of the run, warm-up included
 * @param elapsed since the run began
 * @param left until it ends if the remaining turns take as long as those before; null while that is unknown
 * @param rows the trials measured so far; not to be changed
 * @param picture what to draw from the rows; null for nothing
 */
public record Progress(
        String experiment,
        State state,
        String running,
        int done,
        int planned,
        Duration elapsed,
        Duration left,
        Table rows,
        Function<Table, ?> picture) {

    /** Whether a run goes on. */
    public enum State {
        /** A trial is running. */
        RUNNING,
        /** All turns have ended. */
        FINISHED,
        /** An interrupt ended the run before its last turn. */
        INTERRUPTED
    }
}
