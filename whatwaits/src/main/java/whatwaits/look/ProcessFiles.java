package whatwaits.look;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import whatwaits.rules.Outside;
import whatwaits.rules.Pool;

/**
 * What Linux writes about a process: its sockets, and how long its threads waited for a CPU. A request that a server has
 * not read waits on no thread: no dump shows it, but the bytes stand in the system's buffer.
 */
final class ProcessFiles {

    /** Of more threads or files, none is read. */
    private static final int MOST = 20_000;

    /** Threads of the JVM that compile and collect; those that this look keeps busy are left out, too. */
    private static final Pattern JVMS = Pattern.compile("^(C[12] Comp|G1 |GC |VM |Z[A-Z]|Shenandoah|Serial )");

    /** The system counts CPU time in hundredths of a second, on each machine that Java runs on. */
    private static final double TICKS = 100;

    private static final String ESTABLISHED = "01";
    private static final String LISTENS = "0A";

    private final Path process;
    private final List<Moment> moments = new ArrayList<>();

    /**
     * One reading.
     *
     * @param nanos when
     * @param waited nanoseconds that each thread has waited for a CPU, by its number
     * @param sockets null if they cannot be read
     */
    private record Moment(long nanos, Map<String, Long> waited, Sockets sockets) {}

    private record Sockets(int connections, int unread, int unaccepted) {}

    /** One line of the system's table of sockets. */
    private record Row(String port, String state, long received, String inode) {

        static Row of(String line) {
            var columns = line.strip().split("\\s+");
            var received = columns[4].substring(columns[4].indexOf(':') + 1);
            var port = columns[1].substring(columns[1].lastIndexOf(':') + 1);
            return new Row(port, columns[3], Long.parseLong(received, 16), columns[9]);
        }
    }

    ProcessFiles(long pid) {
        process = Path.of("/proc/" + pid);
    }

    /** Reads them once more; nothing where the system has no such files, or does not show them. */
    void read() {
        long now = System.nanoTime();
        moments.add(new Moment(now, waited(), sockets()));
    }

    private Map<String, Long> waited() {
        var waited = new HashMap<String, Long>();
        try (var threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                if (waited.size() >= MOST) {
                    return Map.of();
                }
                var name = text(thread.resolve("comm"));
                if (!JVMS.matcher(name).find() && !Pool.watches(name)) {
                    var figures = text(thread.resolve("schedstat")).split("\\s+");
                    if (figures.length >= 2) {
                        waited.put(thread.getFileName().toString(), Long.parseLong(figures[1]));
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            return Map.of();
        }
        return waited;
    }

    /**
     * The CPU seconds of its threads by pool, except those that compile and collect; under the names that the system has
     * for them, the first fifteen letters.
     */
    Map<String, Double> cpuByPool() {
        var used = new HashMap<String, Double>();
        try (var threads = Files.newDirectoryStream(process.resolve("task"))) {
            for (Path thread : threads) {
                var stat = text(thread.resolve("stat"));
                int end = stat.lastIndexOf(')');
                if (end > 0) {
                    var name = stat.substring(stat.indexOf('(') + 1, end);
                    var figures = stat.substring(end + 2).split(" ");
                    if (!JVMS.matcher(name).find()) {
                        double seconds = (Long.parseLong(figures[11]) + Long.parseLong(figures[12])) / TICKS;
                        used.merge(Pool.of(name), seconds, Double::sum);
                    }
                }
            }
        } catch (IOException | RuntimeException e) {
            return Map.of();
        }
        return used;
    }

    private Sockets sockets() {
        try (var files = Files.newDirectoryStream(process.resolve("fd"))) {
            var own = inodes(files);
            var rows = Stream.of("tcp", "tcp6")
                    .flatMap(table ->
                            text(process.resolve("net").resolve(table)).lines().skip(1))
                    .map(Row::of)
                    .toList();
            var ports = new HashSet<String>();
            int unaccepted = 0;
            for (Row row : rows) {
                if (row.state.equals(LISTENS) && own.contains(row.inode)) {
                    ports.add(row.port);
                    // of a listening socket, the system counts connections here
                    unaccepted += (int) row.received;
                }
            }
            var accepted = rows.stream()
                    .filter(row -> row.state.equals(ESTABLISHED) && ports.contains(row.port) && own.contains(row.inode))
                    .toList();
            int unread = (int) accepted.stream().filter(row -> row.received > 0).count();
            return new Sockets(accepted.size(), unread, unaccepted);
        } catch (IOException | RuntimeException e) {
            return null;
        }
    }

    private static Set<String> inodes(DirectoryStream<Path> files) throws IOException {
        var inodes = new HashSet<String>();
        for (Path file : files) {
            if (inodes.size() >= MOST) {
                throw new IOException("too many files");
            }
            try {
                var target = Files.readSymbolicLink(file).toString();
                if (target.startsWith("socket:[")) {
                    inodes.add(target.substring("socket:[".length(), target.length() - 1));
                }
            } catch (IOException e) {
                // closed meanwhile
            }
        }
        return inodes;
    }

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** What the readings say together. */
    Outside outside() {
        var sockets = moments.stream().map(Moment::sockets).toList();
        if (sockets.isEmpty() || sockets.contains(null)) {
            return new Outside(waitingForCpu(), Double.NaN, Double.NaN, Double.NaN, Double.NaN);
        }
        return new Outside(
                waitingForCpu(),
                sockets.stream().mapToInt(Sockets::connections).min().getAsInt(),
                sockets.stream().mapToInt(Sockets::unread).min().getAsInt(),
                sockets.stream().mapToInt(Sockets::unaccepted).min().getAsInt(),
                Double.NaN);
    }

    private double waitingForCpu() {
        if (moments.size() < 2 || moments.getFirst().waited.isEmpty()) {
            return Double.NaN;
        }
        var first = moments.getFirst();
        var last = moments.getLast();
        double waited = last.waited.entrySet().stream()
                .filter(thread -> first.waited.containsKey(thread.getKey()))
                .mapToLong(thread -> thread.getValue() - first.waited.get(thread.getKey()))
                .sum();
        return waited / (last.nanos - first.nanos);
    }
}
