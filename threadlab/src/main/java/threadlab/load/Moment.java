package threadlab.load;

import java.util.List;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.Table;

/**
 * Where a load stood while the clock ran; see {@link Load#timeline}.
 *
 * @param seconds since the clock started
 * @param waiting requests that were sent and had not ended
 * @param good requests that had ended with a good answer
 * @param ended requests that had ended
 */
record Moment(double seconds, int waiting, int good, int ended) {

    /** Before anything was sent. */
    static final Moment NONE = new Moment(0, 0, 0, 0);

    /** Moments in order of time. */
    static Table table(List<Moment> all) {
        var seconds = DoubleColumn.create("seconds");
        var waiting = IntColumn.create("waiting");
        var good = DoubleColumn.create("good/s");
        var failed = DoubleColumn.create("failed/s");
        var last = NONE;
        for (Moment now : all) {
            double time = now.seconds - last.seconds;
            int answered = now.good - last.good;
            seconds.append(now.seconds);
            waiting.append(now.waiting);
            good.append(answered / time);
            failed.append((now.ended - last.ended - answered) / time);
            last = now;
        }
        return Table.create("timeline", seconds, waiting, good, failed);
    }
}
