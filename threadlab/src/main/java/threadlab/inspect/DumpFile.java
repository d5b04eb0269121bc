package threadlab.inspect;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads threads as {@code Thread.dump_to_file -format=json} writes them, in Java 21 and newer, one thread at a time: a
 * dump of 50,000 threads takes 60 MB.
 */
final class DumpFile {

    /** A thread as in the file; what is missing is null. */
    private record Entry(
            long tid,
            String name,
            Boolean virtual,
            String state,
            long carrier,
            String blockedOn,
            String waitingOn,
            ParkBlocker parkBlocker,
            List<Monitors> monitorsOwned,
            List<String> stack) {}

    private record ParkBlocker(String object, long owner) {}

    private record Monitors(List<String> locks) {}

    private static final Gson GSON = new Gson();

    /** Many threads have the same frames and stacks: each is kept once. */
    private final Map<String, String> frames = new HashMap<>();

    private final Map<List<String>, List<String>> stacks = new HashMap<>();
    private final List<ThreadState> threads = new ArrayList<>();
    private String version;

    private DumpFile() {}

    /**
     * The threads of a file.
     *
     * @throws IllegalArgumentException if it is not such a file
     */
    static ThreadDump read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("there is no file " + file);
        }
        try (var json = new JsonReader(Files.newBufferedReader(file))) {
            var read = new DumpFile();
            read.member(json, "threadDump", () -> read.dump(json));
            Objects.requireNonNull(read.version);
            return new ThreadDump(read.threads, read.version, "A dump of Java " + read.version);
        } catch (MalformedJsonException
                | JsonParseException
                | IllegalStateException
                | NullPointerException
                | EOFException e) {
            throw new IllegalArgumentException(
                    "%s is not a thread dump in JSON: write one with jcmd PID Thread.dump_to_file -format=json FILE"
                            .formatted(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    private interface Reading {
        void read() throws IOException;
    }

    /** Reads one member of an object, and skips the others. */
    private void member(JsonReader json, String name, Reading reading) throws IOException {
        json.beginObject();
        while (json.hasNext()) {
            if (json.nextName().equals(name)) {
                reading.read();
            } else {
                json.skipValue();
            }
        }
        json.endObject();
    }

    private void dump(JsonReader json) throws IOException {
        json.beginObject();
        while (json.hasNext()) {
            switch (json.nextName()) {
                case "runtimeVersion" -> version = json.nextString();
                case "threadContainers" ->
                    elements(
                            json, () -> member(json, "threads", () -> elements(json, () -> threads.add(thread(json)))));
                default -> json.skipValue();
            }
        }
        json.endObject();
    }

    private static void elements(JsonReader json, Reading element) throws IOException {
        json.beginArray();
        while (json.hasNext()) {
            element.read();
        }
        json.endArray();
    }

    private ThreadState thread(JsonReader json) {
        Entry entry = GSON.fromJson(json, Entry.class);
        var stack = stack(entry.stack == null ? List.of() : entry.stack);
        return new ThreadState(
                entry.tid,
                entry.name == null ? "" : entry.name,
                entry.virtual != null
                        ? entry.virtual
                        // before Java 25 only the outermost frame shows whether it is virtual
                        : !stack.isEmpty() && stack.getLast().startsWith("java.lang.VirtualThread.run("),
                entry.state,
                entry.carrier,
                Optional.ofNullable(entry.parkBlocker)
                        .map(ParkBlocker::object)
                        .orElse(entry.blockedOn != null ? entry.blockedOn : entry.waitingOn),
                entry.parkBlocker == null ? 0 : entry.parkBlocker.owner,
                entry.monitorsOwned == null
                        ? List.of()
                        : entry.monitorsOwned.stream()
                                .flatMap(monitors -> monitors.locks.stream())
                                // the compiler has removed a lock that no other thread can see
                                .filter(Objects::nonNull)
                                .toList(),
                stack);
    }

    private List<String> stack(List<String> lines) {
        // without the names of module and class loader
        var stack = lines.stream()
                .map(line -> frames.computeIfAbsent(
                        line, frame -> frame.substring(frame.lastIndexOf('/', Math.max(0, frame.indexOf('('))) + 1)))
                .toList();
        return stacks.computeIfAbsent(stack, same -> same);
    }
}
