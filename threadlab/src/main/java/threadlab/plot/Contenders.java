package threadlab.plot;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Results;
import threadlab.support.Arguments;

/** The contenders of one chart: how each is drawn, and what the chart's title calls it. */
final class Contenders {

    private final Map<String, Kind> kinds = new LinkedHashMap<>();
    /** The Java version that each runs on, where the table gives it. */
    private final Map<String, Integer> javas = new HashMap<>();

    /** The contenders of a table, in order of first appearance; a number in a column {@code java} is their version. */
    Contenders(Table rows) {
        Results.require(rows, "contender");
        var words = "the table \"%s\" does not say what its contenders run on: add a column \"kind\" of %s";
        Arguments.require(rows.containsColumn("kind"), words, rows.name(), Arrays.toString(Kind.values()));
        for (var row : rows) {
            kinds.putIfAbsent(row.getString("contender"), Kind.of(row.getString("kind")));
        }
        if (rows.containsColumn("java") && rows.column("java") instanceof NumericColumn<?> versions) {
            for (int i = 0; i < rows.rowCount(); i++) {
                javas.put(rows.stringColumn("contender").get(i), (int) versions.getDouble(i));
            }
        }
    }

    /** The rows of one contender, which may be none. */
    static Table rows(Table rows, String contender) {
        return rows.where(rows.stringColumn("contender").isEqualTo(contender));
    }

    List<String> names() {
        return List.copyOf(kinds.keySet());
    }

    /** A contender's look: a colour of its kind, another for each; for virtual threads on a given Java, that version's. */
    Theme.Look look(String contender) {
        var own = kinds.get(contender);
        if (own == Kind.VIRTUAL && javas.containsKey(contender)) {
            return Theme.onJava(javas.get(contender));
        }
        var alike = names().stream().filter(other -> Theme.alike(kinds.get(other), own));
        return Theme.look(own, alike.toList().indexOf(contender));
    }

    /** The kind of thread that it runs on, in a word; empty for what is no thread. */
    String thread(String contender) {
        var own = kinds.get(contender);
        return own.isThread() ? own.toString() : "";
    }

    /** The kind of thread if only this contender runs on it, else the rest of the name, if no other has it. */
    String shortName(String contender) {
        var own = kinds.get(contender);
        if (own == null || !own.isThread()) {
            return contender;
        }
        long alike = kinds.values().stream().filter(own::equals).count();
        if (alike == 1) {
            return own.toString();
        }
        var prefix = own + ", ";
        var rest = contender.startsWith(prefix) ? contender.substring(prefix.length()) : contender;
        boolean ambiguous = kinds.keySet().stream()
                .anyMatch(other -> !other.equals(contender) && (other.equals(rest) || other.endsWith(", " + rest)));
        return ambiguous ? contender : rest;
    }
}
