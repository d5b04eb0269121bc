package threadlab.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import tech.tablesaw.api.Table;

/**
 * Tables on one page, to print or to keep. As the last expression of a cell, a page is shown with a link that saves
 * it as a file; nothing is written until the reader uses the link.
 *
 * <pre>{@code
 * Printable.of("My threads").and("This machine", Machine.here().table())
 * }</pre>
 *
 * @param title the heading of the page
 * @param parts its tables by heading, from top to bottom
 */
public record Printable(String title, Map<String, Table> parts) {

    /**
     * A page without tables.
     *
     * @param title the heading of the page
     * @return the page
     */
    public static Printable of(String title) {
        Arguments.notBlank(title, "a page needs a title, such as \"My threads\"");
        return new Printable(title, Map.of());
    }

    /**
     * Appends a table, or replaces the one with the same heading.
     *
     * @param heading the heading above the table
     * @param table what to show; it is copied
     * @return a page that also has this table
     */
    public Printable and(String heading, Table table) {
        var more = new LinkedHashMap<>(parts);
        more.put(Objects.requireNonNull(heading, "a table needs a heading"), table.copy());
        return new Printable(title, more);
    }

    @Override
    public String toString() {
        var text = new StringBuilder(title);
        parts.forEach((heading, table) ->
                text.append("\n\n").append(heading).append('\n').append(table.printAll()));
        return text.toString();
    }
}
