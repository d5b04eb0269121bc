package whatwaits.look;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import whatwaits.rules.Defect;
import whatwaits.rules.Finding;

/**
 * The table of known defects, {@code data/defects/hangs.csv}, which the build packs: columns {@code number},
 * {@code in} (only rows with {@code Java} count), {@code what happens}, {@code affected}, {@code repaired in} and
 * {@code source}.
 */
public final class KnownDefects {

    /** A field of CSV (RFC 4180), in quotes or not, and what ends it. */
    private static final Pattern FIELD = Pattern.compile("(?:\"((?:[^\"]|\"\")*)\"|([^,]*))(?:,|$)");

    /** The jars of the libraries that the table names. */
    private static final Map<String, Pattern> LIBRARIES = Map.of(
            "HikariCP", Pattern.compile("HikariCP-(\\d[\\d.]*).*\\.jar"),
            "Agroal", Pattern.compile("agroal-pool-(\\d[\\d.]*).*\\.jar"),
            "Datadog Java agent", Pattern.compile("dd-java-agent-(\\d[\\d.]*).*\\.jar"),
            "OpenTelemetry Java agent", Pattern.compile("opentelemetry-javaagent-(\\d[\\d.]*).*\\.jar"),
            "Spring Boot", Pattern.compile("spring-boot-(\\d[\\d.]*).*\\.jar"));

    /**
     * A defect that a JVM has.
     *
     * @param number with its repair, if there is one
     * @param in a release of Java, or a jar
     * @param happens what happens: one sentence
     * @param repaired whether another release has repaired it
     */
    public record Found(String number, String in, String happens, boolean repaired) {

        Finding finding() {
            var thing = new Finding.Thing(in, null, null);
            return new Finding(
                    Finding.What.DEFECT, number.replaceFirst(" .*", ""), thing, Double.NaN, List.of(), List.of());
        }
    }

    private KnownDefects() {}

    static List<Defect> all() {
        return rows().filter(fields -> fields.get(1).equals("Java"))
                .map(KnownDefects::defect)
                .toList();
    }

    private static Defect defect(List<String> fields) {
        return new Defect(fields.get(0), fields.get(3), fields.get(4));
    }

    /**
     * Those that a JVM has, in words: its own, and those of its libraries.
     *
     * @param java its release
     * @param jars the names of its jars
     */
    static List<Found> of(String java, List<String> jars) {
        var found = new ArrayList<Found>();
        var words = rows().collect(Collectors.toMap(fields -> fields.get(0), fields -> fields.get(2), (a, b) -> a));
        for (Defect.Known known : Defect.of(all(), java)) {
            found.add(
                    new Found(known.toString(), "Java " + java, words.get(known.number()), known.repairedIn() != null));
        }
        rows().forEach(fields -> {
            var library = LIBRARIES.keySet().stream()
                    .filter(name -> fields.get(1).startsWith(name))
                    .findFirst();
            library.ifPresent(name -> jars.stream()
                    .map(LIBRARIES.get(name)::matcher)
                    .filter(Matcher::matches)
                    .filter(jar -> defect(fields)
                            .isIn(fields.get(1).substring(name.length()).strip(), jar.group(1), java))
                    .findFirst()
                    .ifPresent(jar -> {
                        var repaired = fields.get(4).isEmpty() ? "" : " (repaired in " + fields.get(4) + ")";
                        found.add(new Found(fields.get(0) + repaired, jar.group(), fields.get(2), !repaired.isEmpty()));
                    }));
        });
        return found;
    }

    private static Stream<List<String>> rows() {
        var table = KnownDefects.class.getResourceAsStream("/whatwaits/hangs.csv");
        try (table) {
            var lines = new String(table.readAllBytes(), StandardCharsets.UTF_8).lines();
            return lines.skip(1).map(KnownDefects::fields).toList().stream();
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
