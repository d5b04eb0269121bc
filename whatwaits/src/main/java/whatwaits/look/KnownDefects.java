package whatwaits.look;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import whatwaits.rules.Defect;

/**
 * Reads the table of known defects, {@code data/defects/hangs.csv}, which the build packs: columns {@code number},
 * {@code in} (only rows with {@code Java} count), {@code what happens}, {@code affected}, {@code repaired in} and
 * {@code source}.
 */
final class KnownDefects {

    /** A field of CSV (RFC 4180), in quotes or not, and what ends it. */
    private static final Pattern FIELD = Pattern.compile("(?:\"((?:[^\"]|\"\")*)\"|([^,]*))(?:,|$)");

    private KnownDefects() {}

    static List<Defect> all() {
        var table = KnownDefects.class.getResourceAsStream("/whatwaits/hangs.csv");
        try (table) {
            var rows = new String(table.readAllBytes(), StandardCharsets.UTF_8).lines();
            return rows.map(KnownDefects::fields)
                    .filter(fields -> fields.get(1).equals("Java"))
                    .map(fields -> new Defect(fields.get(0), fields.get(3), fields.get(4)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> fields(String line) {
        var fields = new ArrayList<String>();
        var field = FIELD.matcher(line);
        while (fields.size() < 6 && field.find()) {
            fields.add(field.group(1) == null ? field.group(2) : field.group(1).replace("\"\"", "\""));
        }
        return fields;
    }
}
