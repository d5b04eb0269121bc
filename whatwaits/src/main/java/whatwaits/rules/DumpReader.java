package whatwaits.rules;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Reads the threads of a dump as {@code jcmd PID Thread.dump_to_file -format=json} writes it, in Java 21 and newer, one
 * thread at a time: a dump of 50,000 threads takes 60 MB.
 */
public final class DumpReader {

    private final Function<String, Owner> owners;
    private final Map<String, Frame> frames = new HashMap<>();
    private final Map<List<String>, Stack> stacks = new HashMap<>();

    /**
     * For the stacks of a program.
     *
     * @param owners whose code a class is, by its name, such as {@code Owner::byName}
     */
    public DumpReader(Function<String, Owner> owners) {
        this.owners = owners;
    }

    /**
     * {@return the threads of a dump}
     *
     * @param text the dump, in chunks of any size
     * @throws IOException if the text is not JSON, or cannot be read
     * @throws IllegalStateException if it is no such dump
     */
    public ThreadDump read(Reader text) throws IOException {
        return read(text, null);
    }

    /**
     * {@return the threads of a dump whose end may be missing}
     *
     * @param text the dump, in chunks of any size
     * @param missing takes why the rest cannot be read; null to fail instead
     * @throws IOException if the text is not JSON, or cannot be read
     * @throws IllegalStateException if it is no such dump
     */
    public ThreadDump read(Reader text, Consumer<String> missing) throws IOException {
        var containers = new ArrayList<Container>();
        var json = new JsonReader(text);
        var version = new String[1];
        try {
            read(json, containers, version);
        } catch (IOException | IllegalStateException e) {
            if (missing == null || version[0] == null) {
                throw e;
            }
            int threads =
                    containers.stream().mapToInt(one -> one.threads().size()).sum();
            missing.accept(Text.count(threads, "thread") + " could be read");
        }
        if (version[0] == null) {
            throw new IllegalStateException("a dump names its Java");
        }
        int java = Integer.parseInt(version[0].split("\\D", 2)[0]);
        return new ThreadDump(containers, java, "A dump of Java " + version[0]);
    }

    private void read(JsonReader json, List<Container> containers, String[] version) throws IOException {
        String container = "";
        String parent = null;
        // whatever stands around the version and the threads of each container
        while (json.peek() != JsonToken.END_DOCUMENT) {
            switch (json.peek()) {
                case BEGIN_OBJECT -> json.beginObject();
                case END_OBJECT -> json.endObject();
                case BEGIN_ARRAY -> json.beginArray();
                case END_ARRAY -> json.endArray();
                case NAME -> {
                    switch (json.nextName()) {
                        case "runtimeVersion" -> version[0] = json.nextString();
                        case "container" -> container = json.nextString();
                        case "parent" -> parent = text(json);
                        case "threads" -> {
                            var threads = new ArrayList<ThreadState>();
                            containers.add(new Container(container, parent, threads));
                            json.beginArray();
                            while (json.hasNext()) {
                                threads.add(thread(json));
                            }
                            json.endArray();
                        }
                        default -> {}
                    }
                }
                default -> json.skipValue();
            }
        }
    }

    private static String text(JsonReader json) throws IOException {
        if (json.peek() == JsonToken.STRING) {
            return json.nextString();
        }
        json.skipValue();
        return null;
    }

    /**
     * The simple values of an object and, by their full names, of objects in it; those of arrays in lists. What says
     * null is left out: such as a lock that the compiler has removed, because no other thread can see it.
     */
    private static void values(JsonReader json, String name, Map<String, String> into, Map<String, List<String>> lists)
            throws IOException {
        switch (json.peek()) {
            case BEGIN_OBJECT -> {
                json.beginObject();
                while (json.hasNext()) {
                    values(json, name.isEmpty() ? json.nextName() : name + "." + json.nextName(), into, lists);
                }
                json.endObject();
            }
            case BEGIN_ARRAY -> {
                var list = lists.computeIfAbsent(name, none -> new ArrayList<>());
                json.beginArray();
                while (json.hasNext()) {
                    if (json.peek() == JsonToken.STRING) {
                        list.add(json.nextString());
                    } else {
                        values(json, name, into, lists);
                    }
                }
                json.endArray();
            }
            case NULL -> json.nextNull();
            case BOOLEAN -> into.put(name, String.valueOf(json.nextBoolean()));
            default -> into.put(name, json.nextString());
        }
    }

    private ThreadState thread(JsonReader json) throws IOException {
        var values = new HashMap<String, String>();
        var lists = new HashMap<String, List<String>>();
        values(json, "", values, lists);
        if (!values.getOrDefault("tid", "").matches("\\d{1,18}")) {
            throw new IllegalStateException("a thread of a dump has a number");
        }
        var lines = lists.getOrDefault("stack", List.of());
        // before Java 25 only the outermost frame shows whether it is virtual
        boolean runs = !lines.isEmpty() && lines.getLast().contains("java.lang.VirtualThread.run(");
        return new ThreadState(
                Long.parseLong(values.get("tid")),
                values.getOrDefault("name", ""),
                values.getOrDefault("virtual", String.valueOf(runs)).equals("true"),
                values.get("state"),
                Long.parseLong(values.getOrDefault("carrier", "0")),
                values.getOrDefault("parkBlocker.object", values.getOrDefault("blockedOn", values.get("waitingOn"))),
                Long.parseLong(values.getOrDefault("parkBlocker.owner", "0")),
                lists.getOrDefault("monitorsOwned.locks", List.of()),
                stack(lines));
    }

    /**
     * {@return a stack, whatever has reported it}
     *
     * @param lines its frames, innermost first, as {@code package.Class.method(File.java:12)}, with or without the
     *     names of module and class loader
     */
    public Stack stack(List<String> lines) {
        var known = stacks.get(lines);
        if (known == null) {
            var examined = lines.stream().map(line -> frames.computeIfAbsent(line, this::frame));
            known = new Stack(examined.toList());
            stacks.put(List.copyOf(lines), known);
        }
        return known;
    }

    private Frame frame(String line) {
        var text = line.substring(line.lastIndexOf('/', Math.max(0, line.indexOf('('))) + 1);
        return new Frame(text, owners.apply(Frame.type(text)), Sign.of(text), Library.of(Frame.method(text)));
    }
}
