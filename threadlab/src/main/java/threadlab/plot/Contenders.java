package threadlab.plot;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Results;

/** The contenders of one chart: how each is drawn, and what the chart's title calls it. */
final class Contenders {

    private final Map<String, Kind> kinds = new LinkedHashMap<>();

    /** Those of a table with the columns {@code contender} and {@code kind}, in order of their first appearance. */
    Contenders(Table rows) {
        Results.require(rows, "contender");
        if (!rows.containsColumn("kind")) {
            throw new IllegalArgumentException(
                    "the table \"%s\" does not say what its contenders run on: add a column \"kind\" of %s"
                            .formatted(rows.name(), Arrays.toString(Kind.values())));
        }
        for (var row : rows) {
            kinds.putIfAbsent(row.getString("contender"), Kind.of(row.getString("kind")));
        }
    }

    List<String> names() {
        return List.copyOf(kinds.keySet());
    }

    /** Its look: the colours of its kind, each contender another one. */
    Theme.Look look(String contender) {
        var own = kinds.get(contender);
        var alike = names().stream()
                .filter(other -> Theme.alike(kinds.get(other), own))
                .toList();
        return Theme.look(own, alike.indexOf(contender));
    }

    /** The kind of thread, where only this contender runs on it; the rest of the name, where all run on the same kind. */
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
        return alike == kinds.size() && contender.startsWith(prefix) ? contender.substring(prefix.length()) : contender;
    }
}
