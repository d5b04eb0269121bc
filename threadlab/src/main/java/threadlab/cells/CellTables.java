package threadlab.cells;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tech.tablesaw.api.ColumnType;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import tech.tablesaw.columns.Column;
import tech.tablesaw.io.DataFrameReader;
import tech.tablesaw.io.csv.CsvReadOptions;

/**
 * Says where Tablesaw takes texts for numbers, as it guesses the types of a file's columns: 02, which may be a number of
 * a month or of a customer, becomes 2. {@link CellFiles} lets cells call it.
 */
public final class CellTables {

    private static final Pattern FIELD = Pattern.compile("(?:^|[,\"])0\\d+(?:[,\"]|$)");
    private static final Pattern WITH_ZERO = Pattern.compile("0\\d+");

    private CellTables() {}

    /**
     * Reads a file in the place of {@link DataFrameReader#csv(String)}.
     *
     * @param reader that of the cell
     * @param path to the file
     * @return the table
     */
    public static Table csv(DataFrameReader reader, String path) {
        return said(reader.csv(path), Path.of(path));
    }

    /**
     * Reads a file in the place of {@link DataFrameReader#csv(File)}.
     *
     * @param reader that of the cell
     * @param file to be read
     * @return the table
     */
    public static Table csv(DataFrameReader reader, File file) {
        return said(reader.csv(file), file.toPath());
    }

    private static Table said(Table table, Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            if (lines.noneMatch(line -> FIELD.matcher(line).find())) {
                return table;
            }
            var texts = Table.read()
                    .usingOptions(CsvReadOptions.builder(file.toFile()).columnTypes(_ -> ColumnType.STRING));
            var changed = table.columns().stream()
                    .filter(NumericColumn.class::isInstance)
                    .map(Column::name)
                    .filter(name -> texts.stringColumn(name).asList().stream()
                            .anyMatch(text -> WITH_ZERO.matcher(text).matches()))
                    .toList();
            if (!changed.isEmpty()) {
                System.out.printf(
                        "The zeros in front are lost in %s, where 02 is 2. To keep them, read the file by"
                                + " Table.read().usingOptions(CsvReadOptions.builder(\"%s\").columnTypesPartial(Map.of(%s))),"
                                + " after import tech.tablesaw.io.csv.CsvReadOptions.%n",
                        String.join(", ", changed),
                        file,
                        changed.stream()
                                .map("\"%s\", ColumnType.STRING"::formatted)
                                .collect(Collectors.joining(", ")));
            }
        } catch (IOException | UncheckedIOException e) {
            // it is only a hint, and the file has been read
        }
        return table;
    }
}
