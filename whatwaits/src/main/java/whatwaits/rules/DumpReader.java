package whatwaits.rules;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.EOFException;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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
        var document = new Document();
        document.read(new JsonReader(text), missing);
        if (document.version == null) {
            throw new IllegalStateException("a dump names its Java");
        }
        return document.dump();
    }

    /**
     * {@return each dump of a text in JSON: of {@code Thread.dump_to_file}, or of management beans}
     *
     * @param text one or several documents, in chunks of any size; the end of the last may be missing
     * @throws IOException if the text is not JSON, or cannot be read
     * @throws IllegalStateException if it holds something else
     */
    List<Moment> all(Reader text) throws IOException {
        var all = new ArrayList<Moment>();
        var json = new JsonReader(text);
        json.setStrictness(Strictness.LENIENT);
        while (json.peek() != JsonToken.END_DOCUMENT) {
            var missing = new ArrayList<String>();
            var document = new Document();
            document.read(json, missing::add);
            if (document.form == Form.BEANS_JSON) {
                missing.add(document.form.lacks());
            }
            if (document.count() > 0 || document.version != null) {
                all.add(new Moment(
                        document.dump(),
                        null,
                        document.form == Form.JSON,
                        document.version,
                        document.time,
                        missing,
                        new Origin(document.pid, "", 0, Map.of(), Map.of(), document.mark)));
            }
            if (document.cut != null) {
                break;
            }
        }
        return all;
    }

    /** One dump. */
    private final class Document {
        private final List<Container> containers = new ArrayList<>();
        private Form form = Form.JSON;
        private String version;
        private String time;
        private String pid;
        /** Of what beans count: where they stand still, two looks differ in nothing else. */
        private int mark;

        /** How much of it could be read where its end is missing; null of a whole one. */
        private String cut;

        private String container = "";
        private String parent;

        int count() {
            return containers.stream().mapToInt(one -> one.threads().size()).sum();
        }

        ThreadDump dump() {
            int java = version == null ? 0 : Integer.parseInt(version.split("\\D", 2)[0]);
            var heading = version == null ? "A dump that does not name its Java" : "A dump of Java " + version;
            // management beans have no virtual threads; carriers tell that there are some
            boolean hidden = form == Form.BEANS_JSON
                    && containers.stream()
                            .flatMap(one -> one.threads().stream())
                            .anyMatch(one -> one.name().startsWith(Pool.CARRIERS));
            var besides = new ThreadDump.Besides(hidden, false, false, Map.of(), false, cut);
            return new ThreadDump(containers, java, heading, besides);
        }

        void read(JsonReader json, Consumer<String> missing) throws IOException {
            try {
                readAll(json);
            } catch (IOException | IllegalStateException e) {
                if (missing == null || version == null && count() == 0) {
                    throw e;
                }
                cut = Text.count(count(), "thread") + " could be read";
                missing.accept("the end of the dump: " + cut);
            }
        }

        /** Whatever stands around the version and the threads of each container. */
        private void readAll(JsonReader json) throws IOException {
            int depth = 0;
            do {
                switch (json.peek()) {
                    case BEGIN_OBJECT -> {
                        json.beginObject();
                        depth++;
                    }
                    case END_OBJECT -> {
                        json.endObject();
                        depth--;
                    }
                    case BEGIN_ARRAY -> {
                        if (depth == 0) {
                            threads(json, "");
                        } else {
                            json.beginArray();
                            depth++;
                        }
                    }
                    case END_ARRAY -> {
                        json.endArray();
                        depth--;
                    }
                    case NAME -> named(json, camel(json.nextName()));
                    case END_DOCUMENT -> throw new EOFException("the end is missing");
                    default -> json.skipValue();
                }
            } while (depth > 0);
        }

        private void named(JsonReader json, String name) throws IOException {
            switch (name) {
                case "runtimeVersion" -> version = json.nextString();
                case "time" -> time = text(json);
                case "processId" -> pid = json.peek() == JsonToken.NUMBER ? json.nextString() : text(json);
                case "container" -> container = json.nextString();
                case "parent" -> parent = text(json);
                case "threads", "value", "result", "threadInfos" -> {
                    if (json.peek() == JsonToken.BEGIN_ARRAY) {
                        threads(json, name);
                    }
                }
                default -> {}
            }
        }

        private void threads(JsonReader json, String name) throws IOException {
            var threads = new ArrayList<ThreadState>();
            containers.add(new Container(container, parent, threads));
            json.beginArray();
            while (json.hasNext()) {
                if (json.peek() != JsonToken.BEGIN_OBJECT) {
                    json.skipValue();
                    continue;
                }
                var values = new HashMap<String, String>();
                var lists = new HashMap<String, List<String>>();
                values(json, "", values, lists);
                if (values.containsKey("threadId")) {
                    form = Form.BEANS_JSON;
                    mark = 31 * mark + values.hashCode();
                    threads.add(bean(values, lists));
                    version = version == null ? values.get("java.base") : version;
                } else if (values.containsKey("tid") || name.equals("threads")) {
                    threads.add(thread(values, lists));
                }
            }
            json.endArray();
        }
    }

    /** {@code thread_name} and {@code thread-name} are {@code threadName}. */
    private static String camel(String name) {
        if (name.indexOf('_') < 0 && name.indexOf('-') < 0) {
            return name;
        }
        var words = name.split("[_-]");
        var camel = new StringBuilder(words.length == 0 ? name : words[0]);
        for (int i = 1; i < words.length; i++) {
            camel.append(
                    words[i].isEmpty()
                            ? ""
                            : words[i].substring(0, 1).toUpperCase(Locale.ROOT) + words[i].substring(1));
        }
        return camel.toString();
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
                    var next = camel(json.nextName());
                    values(json, name.isEmpty() ? next : name + "." + next, into, lists);
                }
                json.endObject();
            }
            case BEGIN_ARRAY -> {
                var list = lists.computeIfAbsent(name, none -> new ArrayList<>());
                json.beginArray();
                while (json.hasNext()) {
                    if (json.peek() == JsonToken.STRING) {
                        list.add(json.nextString());
                    } else if (json.peek() == JsonToken.BEGIN_OBJECT && OBJECTS.contains(name)) {
                        list.add(object(json, into));
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

    /** What management beans write as objects: frames, and locks. */
    private static final Set<String> OBJECTS = Set.of("stackTrace", "lockedMonitors", "lockedSynchronizers");

    /** A frame or a lock as a dump has it. */
    private static String object(JsonReader json, Map<String, String> thread) throws IOException {
        var of = new HashMap<String, String>();
        values(json, "", of, new HashMap<>());
        var type = of.getOrDefault("className", "");
        if (!of.containsKey("methodName")) {
            return locked(type, of.get("identityHashCode"));
        }
        if ("java.base".equals(of.get("moduleName")) && of.containsKey("moduleVersion")) {
            thread.put("java.base", of.get("moduleVersion"));
        }
        var line = of.getOrDefault("lineNumber", "-1");
        var file = of.getOrDefault("fileName", "Unknown Source");
        var place = line.equals("-2") ? "Native Method" : line.startsWith("-") ? file : file + ":" + line;
        return type + "." + of.get("methodName") + "(" + place + ")";
    }

    /** As {@code LockInfo} writes itself. */
    private static String locked(String type, String hash) {
        return type + "@" + Integer.toHexString(hash == null ? 0 : (int) Long.parseLong(hash));
    }

    private ThreadState bean(Map<String, String> values, Map<String, List<String>> lists) {
        var holds = new ArrayList<>(lists.getOrDefault("lockedMonitors", List.of()));
        holds.addAll(lists.getOrDefault("lockedSynchronizers", List.of()));
        var lock = values.get("lockName");
        if (lock == null && values.containsKey("lockInfo.className")) {
            lock = locked(values.get("lockInfo.className"), values.get("lockInfo.identityHashCode"));
        }
        return new ThreadState(
                Long.parseLong(values.get("threadId")),
                values.getOrDefault("threadName", ""),
                false,
                values.get("threadState"),
                0,
                lock,
                Math.max(0, Long.parseLong(values.getOrDefault("lockOwnerId", "0"))),
                holds,
                stack(lists.getOrDefault("stackTrace", List.of())));
    }

    private ThreadState thread(Map<String, String> values, Map<String, List<String>> lists) {
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
