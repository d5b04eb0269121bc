package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

class DefectsTest {

    private static final Table LISTED = Table.create(
            StringColumn.create("number", "A", "B", "C", "D", "E"),
            StringColumn.create("in", "Java", "Java", "Java", "Java", "HikariCP 7.0.2"),
            StringColumn.create("affected", "21 to 23", "25, 26", "25", "22; an update of 21 (number not read)", "21"),
            StringColumn.create("repaired in", "24", "25.0.3, 26.0.1, 27", "Corretto 25.0.2.10.1", null, "7.1.0"));

    @ParameterizedTest
    @CsvSource({
        "17.0.15, []",
        "21.0.9, [A]",
        "22, '[A, D]'",
        "25, '[B (repaired in 25.0.3), C]'",
        "25.0.2+10-LTS, '[B (repaired in 25.0.3), C]'",
        "25.0.3, [C]",
        "26-ea, [B (repaired in 26.0.1)]",
        "27, []"
    })
    void a_release_has_what_is_listed_for_its_java_and_not_repaired_in_its_updates(String release, String known) {
        assertEquals(known, Defects.of(LISTED, Runtime.Version.parse(release)).toString());
    }
}
