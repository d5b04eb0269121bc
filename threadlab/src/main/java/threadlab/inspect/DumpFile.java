package threadlab.inspect;

import com.google.gson.JsonParseException;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads threads as {@code Thread.dump_to_file -format=json} writes them, of Java 21 and newer. */
final class DumpFile {

    /** Frames and stacks are the same in many threads: each is kept once. */
    private final Map<String, String> frames = new HashMap<>();

    private final Map<List<String>, List<String>> stacks = new HashMap<>();
    private final List<ThreadState> threads = new ArrayList<>();
    private String version = "?";

    private DumpFile() {}

    /**
     * The threads of a file.
     *
     * @throws IllegalArgumentException if it is no such file
     */
    static ThreadDump read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("there is no file " + file);
        }
        try (var json = new JsonReader(Files.newBufferedReader(file))) {
            var read = new DumpFile();
            read.document(json);
            return new ThreadDump(read.threads, read.version, "A dump of Java " + read.version);
        } catch (MalformedJsonException | JsonParseException | IllegalStateException | EOFException e) {
            throw new IllegalArgumentException(
                    "%s is no dump of threads in JSON: write one with jcmd PID Thread.dump_to_file -format=json FILE"
                            .formatted(file));
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }

    private void document(JsonReader json) throws IOException {
        boolean found = false;
        json.beginObject();
        while (json.hasNext()) {
            if (!json.nextName().equals("threadDump")) {
                json.skipValue();
                continue;
            }
            found = true;
            json.beginObject();
            while (json.hasNext()) {
                switch (json.nextName()) {
                    case "runtimeVersion" -> version = json.nextString();
                    case "threadContainers" -> {
                        json.beginArray();
                        while (json.hasNext()) {
                            container(json);
                        }
                        json.endArray();
                    }
                    default -> json.skipValue();
                }
            }
            json.endObject();
        }
        json.endObject();
        if (!found) {
            throw new IllegalStateException();
        }
    }

    private void container(JsonReader json) throws IOException {
        json.beginObject();
        while (json.hasNext()) {
            if (json.nextName().equals("threads")) {
                json.beginArray();
                while (json.hasNext()) {
                    threads.add(thread(json));
                }
                json.endArray();
            } else {
                json.skipValue();
            }
        }
        json.endObject();
    }

    private ThreadState thread(JsonReader json) throws IOException {
        long id = 0;
        var name = "";
        Boolean virtual = null;
        String state = null;
        long carrier = 0;
        String blocker = null;
        long owner = 0;
        List<String> stack = List.of();
        List<String> holds = List.of();
        json.beginObject();
        while (json.hasNext()) {
            switch (json.nextName()) {
                case "tid" -> id = json.nextLong();
                case "name" -> name = json.nextString();
                case "virtual" -> virtual = json.nextBoolean();
                case "state" -> state = json.nextString();
                case "carrier" -> carrier = json.nextLong();
                case "blockedOn", "waitingOn" -> blocker = text(json);
                case "parkBlocker" -> {
                    json.beginObject();
                    while (json.hasNext()) {
                        switch (json.nextName()) {
                            case "object" -> blocker = text(json);
                            case "owner" -> owner = json.nextLong();
                            default -> json.skipValue();
                        }
                    }
                    json.endObject();
                }
                case "stack" -> stack = stack(json);
                case "monitorsOwned" -> holds = monitors(json);
                default -> json.skipValue();
            }
        }
        json.endObject();
        boolean isVirtual = virtual != null
                ? virtual
                // before Java 25 only the outermost frame tells
                : !stack.isEmpty() && stack.getLast().startsWith("java.lang.VirtualThread.run(");
        return new ThreadState(id, name, isVirtual, state, carrier, blocker, owner, holds, stack);
    }

    private List<String> stack(JsonReader json) throws IOException {
        var stack = new ArrayList<String>();
        json.beginArray();
        while (json.hasNext()) {
            // without the name of its module or of its class loader
            stack.add(frames.computeIfAbsent(
                    json.nextString(),
                    frame -> frame.substring(frame.lastIndexOf('/', Math.max(0, frame.indexOf('('))) + 1)));
        }
        json.endArray();
        return stacks.computeIfAbsent(stack, same -> same);
    }

    private List<String> monitors(JsonReader json) throws IOException {
        var monitors = new ArrayList<String>();
        json.beginArray();
        while (json.hasNext()) {
            json.beginObject();
            while (json.hasNext()) {
                if (json.nextName().equals("locks")) {
                    json.beginArray();
                    while (json.hasNext()) {
                        var lock = text(json);
                        // the compiler has removed a lock that no other thread can see
                        if (lock != null) {
                            monitors.add(lock);
                        }
                    }
                    json.endArray();
                } else {
                    json.skipValue();
                }
            }
            json.endObject();
        }
        json.endArray();
        return monitors;
    }

    private static String text(JsonReader json) throws IOException {
        if (json.peek() == JsonToken.NULL) {
            json.nextNull();
            return null;
        }
        return json.nextString();
    }
}
