package threadlab.support;

import java.time.Duration;
import tech.tablesaw.api.Table;

/**
 * How far a long measurement has got, such as a run of {@code Trials}.
 *
 * @param experiment the experiment's name
 * @param state whether the run continues
 * @param running what runs now, in words; empty when nothing does
 * @param counted what is counted, in the plural: {@code trials} or {@code requests}
 * @param done how many have ended, warm-up included
 * @param planned how many the whole run has, warm-up included
 * @param measured how many have been measured
 * @param elapsed the time since the run began
 * @param left the time until it ends if the remaining ones take as long as the earlier ones; null while that is unknown
 * @param rows the trials measured so far; not to be changed
 */
public record Progress(
        String experiment,
        State state,
        String running,
        String counted,
        int done,
        int planned,
        int measured,
        Duration elapsed,
        Duration left,
        Table rows) {

    /** Whether a run continues. */
    public enum State {
        /** It is running. */
        RUNNING,
        /** It has ended. */
        FINISHED,
        /** An interrupt or a failure ended it early. */
        INTERRUPTED
    }
}
