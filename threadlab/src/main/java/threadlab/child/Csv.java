package threadlab.child;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tech.tablesaw.api.ColumnType;
import tech.tablesaw.api.Table;
import tech.tablesaw.io.csv.CsvReadOptions;

/** Finds the promised CSV in a program's output: from its header line to an empty line or the end. */
final class Csv {

    private static final Predicate<String> NUMBER =
            Pattern.compile("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?").asMatchPredicate();

    private static final List<ColumnType> TYPES =
            List.of(ColumnType.INTEGER, ColumnType.LONG, ColumnType.DOUBLE, ColumnType.STRING);

    private final List<String> columns;
    private final List<String> lines = new ArrayList<>();
    private boolean inside;

    Csv(List<String> columns) {
        this.columns = columns;
    }

    /** Takes the next line of standard output. */
    void take(String line) {
        inside = !line.isBlank() && (inside || lines.isEmpty() && line.equals(header()));
        if (inside) {
            lines.add(line);
        }
    }

    private String header() {
        return String.join(",", columns);
    }

    /**
     * {@return the lines as a table}
     *
     * @throws IllegalArgumentException if the CSV is missing or malformed; the message says how
     */
    Table table(String name) {
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("it never printed the header \"" + header() + "\"");
        }
        if (lines.size() == 1) {
            throw new IllegalArgumentException("it printed no row after the header \"" + header() + "\"");
        }
        for (int i = 1; i < lines.size(); i++) {
            var line = lines.get(i);
            int fields = line.split(",", -1).length;
            if (fields != columns.size()) {
                var shortened = line.length() <= 80 ? line : line.substring(0, 80) + "…";
                throw new IllegalArgumentException("row %,d of its CSV has %,d fields instead of %,d: \"%s\""
                        .formatted(i, fields, columns.size(), shortened));
            }
        }
        var options = CsvReadOptions.builderFromString(String.join("\n", lines))
                .tableName(name)
                .columnTypesToDetect(TYPES)
                .columnTypesPartial(decimals());
        return Table.read().usingOptions(options);
    }

    /**
     * Columns of numbers that are measured: their name ends in a unit, such as {@code (ms)}, or one has a decimal point.
     * Where these are whole, Tablesaw would detect integers.
     */
    private Map<String, ColumnType> decimals() {
        var rows = lines.stream().skip(1).map(line -> line.split(",", -1)).toList();
        return IntStream.range(0, columns.size())
                .filter(i -> rows.stream().allMatch(row -> NUMBER.test(row[i])))
                .filter(i -> columns.get(i).endsWith(")") || rows.stream().anyMatch(row -> row[i].contains(".")))
                .mapToObj(columns::get)
                .collect(Collectors.toMap(column -> column, column -> ColumnType.DOUBLE));
    }
}
