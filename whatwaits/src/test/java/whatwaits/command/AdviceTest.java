package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import whatwaits.rules.Limit;

class AdviceTest {

    static Stream<String> cells() {
        var limits = Stream.of(Limit.Kind.values()).map(Advice::on);
        return Stream.concat(limits, Stream.of(Advice.onCircle(), Advice.onPinned()))
                .map(Advice::cell)
                .distinct();
    }

    @ParameterizedTest
    @MethodSource("cells")
    void the_cell_to_see_is_in_the_course(String cell) throws IOException {
        var parts = cell.split("#cell-id=");
        var notebook = Files.readString(Path.of("../notebooks").resolve(parts[0]));
        assertTrue(notebook.contains("\"id\": \"" + parts[1] + "\""), cell);
    }
}
