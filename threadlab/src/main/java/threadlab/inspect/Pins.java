package threadlab.inspect;

import java.util.List;
import java.util.stream.Stream;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** The rows about threads that hold a carrier while they wait. */
final class Pins {

    /** Seen in a dump. */
    static final String NOW = "now";

    /** Seen in one dump, but not in another a moment before or after. */
    private static final String ONCE = "now, in one of two dumps";

    private Pins() {}

    static Table none() {
        return Table.create(
                "pinned threads",
                StringColumn.create("seen"),
                StringColumn.create("thread"),
                StringColumn.create("operation"),
                StringColumn.create("reason"),
                StringColumn.create("carrier"),
                DoubleColumn.create("milliseconds"),
                StringColumn.create("where"),
                StringColumn.create("stack"));
    }

    static void add(
            Table table,
            String seen,
            String thread,
            String operation,
            String reason,
            String carrier,
            double milliseconds,
            List<String> stack,
            Frames frames) {
        table.stringColumn("seen").append(seen);
        table.stringColumn("thread").append(thread);
        table.stringColumn("operation").append(operation);
        table.stringColumn("reason").append(reason);
        table.stringColumn("carrier").append(carrier);
        table.doubleColumn("milliseconds").append(milliseconds);
        table.stringColumn("where").append(frames.where(stack));
        table.stringColumn("stack").append(String.join("\n", stack));
    }

    /** The rows of two looks at the same JVM. */
    static Table twoLooks(Table first, Table second) {
        var both = none();
        second.forEach(row -> add(both, second, row, isIn(first, row) ? NOW : ONCE));
        first.stream().filter(row -> !isIn(second, row)).forEach(row -> add(both, first, row, ONCE));
        return both;
    }

    private static void add(Table table, Table look, Row row, String seen) {
        table.addRow(row.getRowNumber(), look);
        table.stringColumn("seen").set(table.rowCount() - 1, seen);
    }

    /** Whether a look has the same thread in the same call. */
    private static boolean isIn(Table look, Row row) {
        return look.stream().anyMatch(other -> Stream.of("thread", "where", "operation")
                .allMatch(column -> other.getString(column).equals(row.getString(column))));
    }

    /** Why a waiting thread does not leave its carrier. */
    static String reason(ThreadState thread, WaitReason waits, String version) {
        var stack = thread.stack();
        if (stack.stream().anyMatch(frame -> frame.contains(".<clinit>("))) {
            return "a class is being initialized";
        }
        if (stack.stream()
                .skip(1)
                .anyMatch(frame -> frame.contains(".ClassLoader.loadClass(") || frame.contains(".Class.forName"))) {
            return "a class is being loaded";
        }
        if (waits == WaitReason.FILE || waits == WaitReason.SOCKET && !isParked(stack)) {
            return "a system call, during which the JDK keeps the carrier";
        }
        if (stack.stream().skip(2).anyMatch(frame -> frame.endsWith("(Native Method)"))) {
            return "a native method on the stack";
        }
        return Integer.parseInt(version.replaceFirst("\\D.*", "")) < 24
                ? "synchronized, or a native frame on the stack"
                : "a native frame on the stack";
    }

    private static boolean isParked(List<String> stack) {
        return stack.stream().limit(3).anyMatch(frame -> frame.contains(".park"));
    }
}
