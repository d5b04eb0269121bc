package whatwaits.look;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.DoubleSummaryStatistics;
import java.util.Map;
import java.util.regex.Pattern;
import whatwaits.rules.Requests;

/** The requests in Tomcat's access log: the patterns common and combined, with the time taken at the line's end. */
final class AccessLog {

    private static final Pattern LINE = Pattern.compile(
            "^\\S+ \\S+ .*?\\[[^]]+] \"[^\"]*\" \\d{3} (\\d+|-)( \"[^\"]*\" \"[^\"]*\")?(?<taken> \\d+(\\.\\d+)?)?\\s*$");

    /** Written out: Tomcat accepts its words common and combined only on their own. */
    private static final String PATTERN = "server.tomcat.accesslog.pattern=%h %l %u %t \"%r\" %s %b %D";

    private AccessLog() {}

    /** Refuses a log in another format by its first line, before observing it. */
    static void requireKnownFormat(Path file) {
        try (var log = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1)) {
            var first = log.readLine();
            if (first != null) {
                seconds(file, "the first line", first);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    /** The requests whose lines were written after a moment: the file's length was {@code from} then, seconds ago. */
    static Requests since(Path file, long from, double seconds) {
        var taken = new DoubleSummaryStatistics();
        try (var log = new RandomAccessFile(file.toFile(), "r")) {
            if (log.length() == 0) {
                throw new IllegalArgumentException(
                        "%s has no line yet, because Tomcat writes its log when a buffer is full: set server.tomcat.accesslog.buffered=false"
                                .formatted(file));
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
                    taken.accept(seconds(file, "a new line", text.stripTrailing()));
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
        var source = taken.getCount() > 0
                ? "the new lines of the access log %s"
                : "the access log %s has no new line: no request was answered in that time, or Tomcat buffers its log; set server.tomcat.accesslog.buffered=false";
        double mean = taken.getSum() / taken.getCount();
        return new Requests(taken.getCount(), seconds, mean, source.formatted(file.getFileName()), Map.of());
    }

    /** How long the request of a line took. */
    private static double seconds(Path file, String line, String text) {
        var found = LINE.matcher(text);
        if (!found.find()) {
            throw new IllegalArgumentException(
                    "%s of %s has an unknown format: set %s, and read a log that begins after that"
                            .formatted(line, file, PATTERN));
        }
        var taken = found.group("taken");
        if (taken == null) {
            throw new IllegalArgumentException(
                    "%s does not say how long its requests took: set %s".formatted(file, PATTERN));
        }
        // %D is microseconds (since Tomcat 10.1), %T with a fraction is seconds
        return Double.parseDouble(taken.strip()) / (taken.contains(".") ? 1 : 1e6);
    }
}
