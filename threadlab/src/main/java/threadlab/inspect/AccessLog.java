package threadlab.inspect;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** The requests of Tomcat's access log: the patterns common and combined, with the time taken at the end. */
final class AccessLog {

    private static final Pattern LINE = Pattern.compile(
            "^\\S+ \\S+ .*?\\[(?<at>[^]]+)] \"[^\"]*\" \\d{3} (\\d+|-)( \"[^\"]*\" \"[^\"]*\")?(?<taken> \\d+(\\.\\d+)?)?\\s*$");

    private static final DateTimeFormatter AT = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);

    /** The log's last seconds count: a service changes. */
    private static final int SECONDS = 30;

    /** Written out: Tomcat knows its words common and combined only where they stand alone. */
    private static final String PATTERN = "server.tomcat.accesslog.pattern=%h %l %u %t \"%r\" %s %b %D";

    private record Line(Instant at, double seconds) {}

    private AccessLog() {}

    /** The last seconds of the whole log, and whether its format is known. */
    static Requests read(Path file) {
        var lines = new ArrayDeque<Line>();
        int number = 0;
        try (var log = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            for (String text = log.readLine(); text != null; text = log.readLine()) {
                number++;
                // the last line may be half written
                if (!text.isBlank() && (LINE.matcher(text).find() || log.ready())) {
                    lines.add(line(file, "line " + number, text));
                    while (lines.getFirst().at.isBefore(lines.getLast().at.minusSeconds(SECONDS))) {
                        lines.removeFirst();
                    }
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
        return requests(file, List.copyOf(lines));
    }

    /**
     * The requests whose lines were written after a moment.
     *
     * @param from the length of the file at that moment
     * @param seconds the time since then
     * @return those requests; none if no line was written
     */
    static Requests since(Path file, long from, double seconds) {
        var lines = new ArrayList<Line>();
        try (var log = new RandomAccessFile(file.toFile(), "r")) {
            if (log.length() == 0) {
                throw empty(file);
            }
            // a file that is shorter now is a new one
            long start = log.length() < from ? 0 : from;
            log.seek(Math.max(0, start - 1));
            if (start > 0 && log.read() != '\n') {
                // the rest of a line that was half written before
                log.readLine();
            }
            var added = new byte[Math.toIntExact(log.length() - log.getFilePointer())];
            log.readFully(added);
            for (String text : new String(added, StandardCharsets.ISO_8859_1).split("(?<=\n)")) {
                // the last line may be half written
                if (!text.isBlank() && text.endsWith("\n")) {
                    lines.add(line(file, "a new line", text.stripTrailing()));
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
        return new Requests(
                lines.size(),
                seconds,
                lines.stream().mapToDouble(Line::seconds).average().orElse(Double.NaN),
                lines.isEmpty()
                        ? "the access log %s has no new line: nothing was answered meanwhile, or the log is written later (server.tomcat.accesslog.buffered=false)"
                                .formatted(file.getFileName())
                        : "the lines that the access log %s got meanwhile".formatted(file.getFileName()),
                Map.of());
    }

    private static IllegalArgumentException empty(Path file) {
        return new IllegalArgumentException(
                "%s has no line yet: Tomcat writes its log when a buffer is full, unless server.tomcat.accesslog.buffered=false"
                        .formatted(file));
    }

    private static Requests requests(Path file, List<Line> lines) {
        if (lines.isEmpty()) {
            throw empty(file);
        }
        // times are whole seconds: the first and the last one are not complete
        var first = lines.getFirst().at;
        var last = lines.getLast().at;
        boolean whole = last.getEpochSecond() - first.getEpochSecond() > 2;
        var counted = lines.stream()
                .filter(line -> !whole || line.at.isAfter(first) && line.at.isBefore(last))
                .toList();
        double seconds = Math.max(1, last.getEpochSecond() - first.getEpochSecond() + (whole ? -1 : 1));
        return new Requests(
                counted.size(),
                seconds,
                counted.stream().mapToDouble(Line::seconds).average().orElse(Double.NaN),
                "the last %.0f s of the access log %s, which end at %s".formatted(seconds, file.getFileName(), last),
                Map.of());
    }

    private static Line line(Path file, String number, String text) {
        var found = LINE.matcher(text);
        if (!found.find()) {
            throw new IllegalArgumentException(
                    "%s of %s has a format that is not known: set %s, and read the log of requests after that"
                            .formatted(number, file, PATTERN));
        }
        var taken = found.group("taken");
        if (taken == null) {
            throw new IllegalArgumentException(
                    "%s does not say how long its requests took: set %s".formatted(file, PATTERN));
        }
        try {
            return new Line(
                    OffsetDateTime.parse(found.group("at"), AT).toInstant(),
                    // %D is microseconds (from Tomcat 10.1 on), %T with a fraction is seconds
                    Double.parseDouble(taken.strip()) / (taken.contains(".") ? 1 : 1e6));
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "%s of %s has a time of day that is not known: %s".formatted(number, file, found.group("at")));
        }
    }
}
