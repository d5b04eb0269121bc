package threadlab.load;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.Table;

/**
 * What the clients saw while the clock ran, moment by moment; see {@link Load#timeline}.
 *
 * @param all in order of time
 */
record Moments(List<Moment> all) implements Message {

    /**
     * Where the load stood.
     *
     * @param seconds since the clock started
     * @param waiting requests that were sent and had not ended
     * @param good requests that had ended with a good answer
     * @param ended requests that had ended
     */
    record Moment(double seconds, int waiting, int good, int ended) implements Serializable {}

    /** With this many, a message is still a short line, however long the load runs. */
    private static final int IN_A_MESSAGE = 100;

    Moments() {
        this(new ArrayList<>());
    }

    /** The same moments in messages of a few seconds each. */
    List<Moments> parts() {
        return IntStream.iterate(0, from -> from < all.size(), from -> from + IN_A_MESSAGE)
                .mapToObj(from -> all.subList(from, Math.min(from + IN_A_MESSAGE, all.size())))
                .map(part -> new Moments(List.copyOf(part)))
                .toList();
    }

    Table table() {
        var seconds = DoubleColumn.create("seconds");
        var waiting = IntColumn.create("waiting");
        var good = DoubleColumn.create("good/s");
        var failed = DoubleColumn.create("failed/s");
        var last = new Moment(0, 0, 0, 0);
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
