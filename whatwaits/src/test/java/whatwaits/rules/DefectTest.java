package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DefectTest {

    private static final List<Defect> LISTED = List.of(
            new Defect("A", "21 to 23", "24"),
            new Defect("B", "25, 26", "25.0.3, 26.0.1, 27"),
            new Defect("C", "25", "Corretto 25.0.2.10.1"),
            new Defect("D", "22; an update of 21 (number not read)", ""));

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
        assertEquals(known, Defect.of(LISTED, release).toString());
    }

    @ParameterizedTest
    @CsvSource({
        "21, 7.1.0, 7.0.2, 7.0.2, 21.0.9, true",
        "21, 7.1.0, 7.0.2, 6.3.0, 21.0.9, true",
        "21, 7.1.0, 7.0.2, 7.1.0, 21.0.9, false",
        "21, 7.1.0, 7.0.2, 7.0.2, 25.0.3, false",
        "25, '', 3.2.1, 3.2.2, 25.0.3, true",
        "25, '', 3.2.1, 3.1, 25.0.3, false",
        "25.0.4, '', 4.1.0, 4.1.1, 25.0.4+7-LTS, true",
        "25.0.4, '', 4.1.0, 4.1.1, 25.0.3, false",
        "'', '', '', 4.1.1, 25.0.3, true"
    })
    void a_library_has_what_was_seen_in_its_version_or_before_its_repair_on_the_java_of_the_program(
            String affected, String repaired, String seenIn, String library, String java, boolean has) {
        assertEquals(has, new Defect("A", affected, repaired).isIn(seenIn, library, java));
    }
}
