package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static threadlab.Expect.refused;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.tablesaw.api.ColumnType;

class CsvTest {

    @Test
    void a_column_with_decimal_points_holds_decimals_even_if_all_of_them_are_whole() {
        var csv = new Csv(List.of("what", "n", "kB", "mixed"));
        List.of("what,n,kB,mixed", "a,1,1.000,1.0", "b,2,-2.000,none").forEach(csv::take);
        assertEquals(
                List.of(ColumnType.STRING, ColumnType.INTEGER, ColumnType.DOUBLE, ColumnType.STRING),
                csv.table("run").types());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "done; never printed the header \"n,seconds\"",
                "n,seconds; no row after the header",
                "n,seconds|1,2|3; row 2 of its CSV has 1 fields instead of 2: \"3\""
            })
    void what_was_promised_and_is_not_there_is_told(String lines, String why) {
        var csv = new Csv(List.of("n", "seconds"));
        List.of(lines.split("\\|")).forEach(csv::take);
        refused(why, () -> csv.table("run"));
    }
}
