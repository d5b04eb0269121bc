package threadlab.cells;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table of sentences that help with what was typed; its head says how it is written. */
public final class Sentences {

    /** Patterns by what they look at, and the sentence that helps. */
    private record Block(Map<String, Pattern> patterns, String help) {

        static Block of(String block) {
            var fields = block.lines()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split(": ", 2))
                    .collect(Collectors.toMap(field -> field[0], field -> field[1]));
            var patterns = Stream.of("code", "source", "bare", "message", "thrown", "legal")
                    .filter(fields::containsKey)
                    .collect(Collectors.toMap(name -> name, name -> Pattern.compile(fields.get(name))));
            var java = String.valueOf(Runtime.version().feature());
            return new Block(patterns, fields.getOrDefault("say", "").replace("{java}", java));
        }

        /** Whether all that it looks at is there; code that fails, what is thrown, and what is legal have rows of their own. */
        boolean fits(Map<String, String> found) {
            return Stream.of("thrown", "legal").allMatch(kind -> found.containsKey(kind) == patterns.containsKey(kind))
                    && patterns.entrySet().stream().allMatch(one -> one.getValue()
                            .matcher(found.getOrDefault(one.getKey(), ""))
                            .find());
        }
    }

    private final Class<?> beside;
    private final String file;
    private List<Block> rows = List.of();

    /**
     * A table that is read when it is first needed.
     *
     * @param beside the class beside which it lies
     * @param file its name
     */
    public Sentences(Class<?> beside, String file) {
        this.beside = beside;
        this.file = file;
    }

    /**
     * The sentence of the first row that fits.
     *
     * @param found what was found, by what a row may look at
     * @return none or one
     */
    public List<String> fitting(Map<String, String> found) {
        return rows().stream()
                .filter(row -> row.fits(found))
                .map(Block::help)
                .limit(1)
                .toList();
    }

    private List<Block> rows() {
        if (rows.isEmpty()) {
            try (var in = beside.getResourceAsStream(file)) {
                rows = Stream.of(new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\\R(?:\\h*\\R)+"))
                        .filter(block -> block.contains("say: "))
                        .map(Block::of)
                        .toList();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return rows;
    }

    /**
     * The edits between two names.
     *
     * @param one a name
     * @param other another
     * @return their number, 3 if they are more
     */
    public static int distance(String one, String other) {
        if (Math.abs(one.length() - other.length()) > 2) {
            return 3;
        }
        var before = new int[other.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            var now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int change = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(change, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[other.length()];
    }
}
