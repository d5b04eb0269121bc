package whatwaits.look;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import whatwaits.rules.Requests;

/**
 * The requests in Tomcat's access log: the patterns common and combined, with the time taken at the line's end. Counts
 * those whose lines are written while it is open, also to the file that takes its place when the log is rotated.
 */
final class AccessLog implements AutoCloseable {

    private static final Pattern LINE =
            Pattern.compile("^\\S+ \\S+ .*?\\[[^]]+] \"[^\"]*\" \\d{3} (\\d+|-)( \"[^\"]*\" \"[^\"]*\")?(?<taken>"
                    + " \\d+(\\.\\d+)?)?\\s*$");

    /** Written out: Tomcat accepts its words common and combined only on their own. */
    private static final String PATTERN = "server.tomcat.accesslog.pattern=%h %l %u %t \"%r\" %s %b %D";

    private static final String UNBUFFERED = "set server.tomcat.accesslog.buffered=false";

    private final Path file;
    private final RandomAccessFile log;
    private final Object key;
    private final long from;
    private final long start = System.nanoTime();
    // a file system's clock is coarser
    private final FileTime opened = FileTime.fromMillis(System.currentTimeMillis() - 1_000);

    private final DoubleSummaryStatistics taken = new DoubleSummaryStatistics();
    private int untimed;
    private int odd;

    /** Opens a log at its end; another program may rename it from now on. */
    AccessLog(Path file) {
        this.file = file;
        try {
            log = new RandomAccessFile(file.toFile(), "r");
            key = key(file);
            from = log.length();
        } catch (IOException e) {
            throw unreadable(e);
        }
    }

    private IllegalArgumentException unreadable(IOException e) {
        return new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
    }

    /** Which file it is, whatever its name; null where the system has no such key. */
    private static Object key(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** The requests whose lines were written since it was opened, and what was wrong with the log meanwhile. */
    Requests requests() {
        return requests((System.nanoTime() - start) / 1e9);
    }

    Requests requests(double seconds) {
        var wrong = "";
        try {
            boolean cut = log.length() < from;
            read(log, cut ? 0 : from);
            if (cut) {
                wrong = "; it was cut meanwhile, and lines before that are lost: X is higher than this";
            }
            if (!Files.exists(file)) {
                wrong += "; it was renamed meanwhile";
            } else if (!Objects.equals(key, key(file))) {
                try (var next = new RandomAccessFile(file.toFile(), "r")) {
                    read(next, 0);
                }
                wrong += "; it was rotated meanwhile, and both files count";
            }
        } catch (IOException e) {
            throw unreadable(e);
        }
        if (odd > 0) {
            wrong += "; %d of its lines have another format and do not count".formatted(odd);
        }
        if (taken.getCount() == 0 && untimed + odd > 0) {
            var problem = untimed > 0 ? "do not say how long their requests took" : "have an unknown format";
            return Requests.unknown(
                    "the new lines of the access log %s %s: set %s".formatted(file.getFileName(), problem, PATTERN));
        }
        var source = taken.getCount() > 0 ? "the new lines of the access log " + file.getFileName() : nothing();
        double mean = taken.getCount() > 0 ? taken.getAverage() : Double.NaN;
        return new Requests(taken.getCount(), seconds, mean, source + wrong, List.of());
    }

    /** Why there is no new line: another file is written, or none. */
    private String nothing() {
        var other = sibling();
        return "the access log %s has no new line: %s"
                .formatted(
                        file.getFileName(),
                        other == null
                                ? "no request was answered in that time, or Tomcat buffers its log; " + UNBUFFERED
                                : "Tomcat writes to %s now; name that file".formatted(other.getFileName()));
    }

    /** A log whose name differs by its date alone, written since this one was opened; null if there is none. */
    private Path sibling() {
        var shape = file.getFileName().toString().replaceAll("\\d+", "0");
        try (var all = Files.list(file.toAbsolutePath().getParent())) {
            return all.filter(other -> !other.getFileName().equals(file.getFileName()))
                    .filter(other -> other.getFileName()
                            .toString()
                            .replaceAll("\\d+", "0")
                            .equals(shape))
                    .filter(other -> written(other).compareTo(opened) >= 0)
                    .max(Comparator.comparing(AccessLog::written))
                    .orElse(null);
        } catch (IOException e) {
            return null;
        }
    }

    private static FileTime written(Path file) {
        try {
            return Files.getLastModifiedTime(file);
        } catch (IOException e) {
            // gone meanwhile
            return FileTime.fromMillis(0);
        }
    }

    private void read(RandomAccessFile log, long from) throws IOException {
        log.seek(Math.max(0, from - 1));
        if (from > 0 && log.read() != '\n') {
            // the rest of a line that was half written before
            log.readLine();
        }
        var added = new byte[Math.toIntExact(log.length() - log.getFilePointer())];
        log.readFully(added);
        for (String text : new String(added, StandardCharsets.ISO_8859_1).split("(?<=\n)")) {
            // the last line may be half written
            if (!text.isBlank() && text.endsWith("\n")) {
                count(text.stripTrailing());
            }
        }
    }

    private void count(String line) {
        var found = LINE.matcher(line);
        if (!found.find()) {
            odd++;
        } else if (found.group("taken") == null) {
            untimed++;
        } else {
            var time = found.group("taken");
            // %D is microseconds (since Tomcat 10.1), %T with a fraction is seconds
            taken.accept(Double.parseDouble(time.strip()) / (time.contains(".") ? 1 : 1e6));
        }
    }

    @Override
    public void close() {
        try {
            log.close();
        } catch (IOException e) {
            // only read
        }
    }
}
