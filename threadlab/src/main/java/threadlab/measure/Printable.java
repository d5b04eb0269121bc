package threadlab.measure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import tech.tablesaw.api.Table;

/**
 * Some tables on one page, to print or to keep. As the last expression of a cell it shows them, with a link that saves the
 * page as a file; nothing is written before the reader asks for it.
 *
 * <pre>{@code
 * Printable.of("My threads").and("This machine", Machine.here().table())
 * }</pre>
 */
public final class Printable {

    private final String title;
    private final Map<String, Table> parts = new LinkedHashMap<>();

    private Printable(String title) {
        this.title = title;
    }

    /**
     * A page without tables.
     *
     * @param title what stands at the top of it
     * @return the page
     */
    public static Printable of(String title) {
        return new Printable(Arguments.notBlank(title, "a page needs a title, such as \"My threads\""));
    }

    /**
     * Adds a table at its end, in place of an earlier one with the same heading.
     *
     * @param heading what stands above it
     * @param table what to show; it is copied
     * @return this page
     */
    public Printable and(String heading, Table table) {
        parts.put(Objects.requireNonNull(heading, "a table needs a heading"), table.copy());
        return this;
    }

    /**
     * What stands at the top.
     *
     * @return the title
     */
    public String title() {
        return title;
    }

    /**
     * Its tables.
     *
     * @return each by its heading, from the top on
     */
    public Map<String, Table> parts() {
        return new LinkedHashMap<>(parts);
    }

    @Override
    public String toString() {
        var text = new StringBuilder(title);
        parts.forEach((heading, table) ->
                text.append("\n\n").append(heading).append('\n').append(table.printAll()));
        return text.toString();
    }
}
