package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * All that is said of recorded dumps, in {@code answers.txt}, as three looks at the same. Where a rule or a sentence has
 * changed on purpose, {@code target/answers.txt} has what is said now: read the difference, then put it there.
 */
class AnswersTest {

    private static final Path RECORDED = Path.of("src/test/resources/whatwaits/rules");

    private static final Path NOW = Path.of("target/answers.txt");

    private static String answer(Path file) {
        var series = series(file);
        var dump = series.dump();
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.005, Map.of(), Map.of());
        var nobody = Requests.unknown("nobody counted them");
        var verdict = Verdict.of(new Observation(
                List.of(sample),
                dump.confirmedBy(dump),
                List.of(),
                2,
                0.1,
                nobody,
                List.of(dump, dump),
                Outside.UNKNOWN));
        var data = verdict.findings().stream().map(one -> "\n" + Data.of(one));
        var name = RECORDED.relativize(file).toString().replace('\\', '/');
        return "== %s\n%s%s".formatted(name, verdict, data.collect(Collectors.joining()));
    }

    private static Series series(Path file) {
        try {
            var bytes = Files.readAllBytes(file);
            var text = new String(bytes, Charset.forName(Form.charset(bytes)));
            return Series.of(new Log(new DumpReader(Owner::byName)).read(new StringReader(text)))
                    .getFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void what_is_said_of_each_recorded_dump_changes_only_on_purpose() throws IOException {
        var answers = new ArrayList<String>();
        for (var folder : List.of("", "circles", "forms", "servers")) {
            try (var files = Files.list(RECORDED.resolve(folder))) {
                files.filter(file ->
                                Files.isRegularFile(file) && !file.toString().matches(".*(answers.txt|-2.json)"))
                        .sorted()
                        .forEach(file -> answers.add(answer(file)));
            }
        }
        var now = String.join("\n\n", answers) + "\n";
        Files.writeString(NOW, now);
        assertEquals(Files.readString(RECORDED.resolve("answers.txt")), now, "compare it with " + NOW.toAbsolutePath());
    }
}
