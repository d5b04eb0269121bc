package threadlab.cells;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OverwrittenTest {

    /** With / for \\r and ; for a line end. */
    @ParameterizedTest
    @CsvSource({
        "a, a",
        "a;b/;c, a;b/;c",
        "10%/20%/30%, 10%/30%",
        "/10%/20%/30%, /30%",
        "10%/20%/, 10%/20%/",
        "/10%/20%/;done, /20%/;done",
        "/100%/5%, /100%/5%",
        "end of a line/10%/20%;next/1/2/3, end of a line/20%;next/3",
    })
    void what_is_written_over_at_once_is_left_out(String text, String shown) {
        assertEquals(read(shown), Overwritten.dropped(read(text)));
    }

    private static String read(String text) {
        return text.replace('/', '\r').replace(';', '\n');
    }
}
