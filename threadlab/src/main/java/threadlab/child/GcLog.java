package threadlab.child;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** What a JVM logs of its garbage collector with {@code -Xlog:gc}. */
public final class GcLog {

    private static final Pattern PAUSE =
            Pattern.compile("\\[([0-9.]+)s\\].* Pause (.+?)(?: ([0-9]+)M->([0-9]+)M.*)? ([0-9.]+)ms");

    private GcLog() {}

    /**
     * {@return the pauses} Columns {@code seconds} (since the start of the JVM), {@code pause} (such as {@code Young}
     * and its cause), {@code before (MiB)} and {@code after (MiB)} (heap in use; missing for a pause that frees
     * nothing), {@code ms}.
     *
     * @param log the output, whatever else it holds
     */
    public static Table pauses(String log) {
        var pauses = PAUSE.matcher(log).results().toList();
        return Table.create(
                "pauses of the garbage collector",
                DoubleColumn.create("seconds", pauses.stream().mapToDouble(pause -> number(pause, 1))),
                StringColumn.create("pause", pauses.stream().map(pause -> pause.group(2))),
                DoubleColumn.create("before (MiB)", pauses.stream().mapToDouble(pause -> number(pause, 3))),
                DoubleColumn.create("after (MiB)", pauses.stream().mapToDouble(pause -> number(pause, 4))),
                DoubleColumn.create("ms", pauses.stream().mapToDouble(pause -> number(pause, 5))));
    }

    private static double number(MatchResult pause, int part) {
        return pause.group(part) == null ? Double.NaN : Double.parseDouble(pause.group(part));
    }
}
