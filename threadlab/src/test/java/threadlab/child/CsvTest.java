package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
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
}
