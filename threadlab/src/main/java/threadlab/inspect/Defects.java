package threadlab.inspect;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;

/**
 * The defects of Java releases that a table such as {@code data/defects/hangs.csv} lists. Its columns: {@code number},
 * {@code in} (only rows with {@code Java} count), {@code affected} ({@code 25, 26} or {@code 21 to 23}) and
 * {@code repaired in} ({@code 25.0.3, 26.0.1}; other vendors' releases do not count).
 */
final class Defects {

    private static final Pattern RANGE = Pattern.compile("(\\d+)(?: to (\\d+))?");
    private static final Pattern RELEASE = Pattern.compile("[1-9]\\d*((\\.0)*\\.[1-9]\\d*)*");

    /** A defect that a release has, and the update of the same Java that repairs it, where one is listed. */
    record Known(String number, Optional<Runtime.Version> repaired) {

        @Override
        public String toString() {
            return number + repaired.map(" (repaired in %s)"::formatted).orElse("");
        }
    }

    private Defects() {}

    /** The defects that the table lists for a release. */
    static List<Known> of(Table defects, Runtime.Version release) {
        var known = new ArrayList<Known>();
        for (Row row : defects) {
            var repaired = words(row, "repaired in")
                    .filter(word -> RELEASE.matcher(word).matches())
                    .map(Runtime.Version::parse)
                    .filter(version -> version.feature() == release.feature())
                    .findFirst();
            if (row.getString("in").equals("Java")
                    && words(row, "affected").anyMatch(word -> includes(word, release.feature()))
                    && repaired.stream().allMatch(version -> release.compareToIgnoreOptional(version) < 0)) {
                known.add(new Known(row.getString("number"), repaired));
            }
        }
        return known;
    }

    private static Stream<String> words(Row row, String column) {
        var value = Objects.requireNonNullElse(row.getObject(column), "").toString();
        return Arrays.stream(value.split("[,;] *")).map(word -> word.replaceFirst(" \\(.*", ""));
    }

    private static boolean includes(String word, int feature) {
        var range = RANGE.matcher(word);
        if (!range.matches()) {
            return false;
        }
        int first = Integer.parseInt(range.group(1));
        int last = range.group(2) == null ? first : Integer.parseInt(range.group(2));
        return first <= feature && feature <= last;
    }
}
