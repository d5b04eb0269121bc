package site;

import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.teavm.jso.JSExport;
import org.teavm.jso.JSFunctor;
import org.teavm.jso.JSObject;
import whatwaits.rules.Advice;
import whatwaits.rules.Container;
import whatwaits.rules.Data;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Form;
import whatwaits.rules.Log;
import whatwaits.rules.Moment;
import whatwaits.rules.Observation;
import whatwaits.rules.Outside;
import whatwaits.rules.Owner;
import whatwaits.rules.Requests;
import whatwaits.rules.Series;
import whatwaits.rules.Stack;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.ThreadState;
import whatwaits.rules.Verdict;

/**
 * What the page on which a dump is dropped asks of the rules, as JSON. The same program answers on the JVM, where a
 * test compares both.
 */
public final class Dump {

    /** How many threads a search shows, and how many different stacks a group. */
    private static final int SHOWN = 40;

    /** How much of a file says what it is. */
    private static final int START = 10_000;

    private static DumpReader stacks;
    private static final List<Moment> moments = new ArrayList<>();

    /** The dumps of each JVM. */
    private static List<Series> jvms;

    /** The dump that is shown, for later questions about it. */
    private static ThreadDump dump;

    private Dump() {}

    /** Gives the next part of a file; null at its end. */
    @JSFunctor
    public interface Source extends JSObject {
        String next();
    }

    /** The charset of a file, by its first bytes, each as a character. */
    @JSExport
    public static String charset(String start) {
        return Form.charset(start.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Forgets what was read before. */
    @JSExport
    public static void begin() {
        stacks = new DumpReader(Owner::byName);
        moments.clear();
        jvms = null;
        dump = null;
    }

    /** Reads a file with one or several dumps; answers why it has none, and with nothing if it has. */
    @JSExport
    public static String add(Source source) {
        var start = new StringBuilder();
        try {
            var read = new Log(stacks).read(new Chunks(() -> {
                var chunk = source.next();
                if (chunk != null && start.length() < START) {
                    start.append(chunk, 0, Math.min(chunk.length(), START));
                }
                return chunk;
            }));
            moments.addAll(read);
            return read.isEmpty() ? Log.other(start.toString()) : "";
        } catch (IOException | IllegalStateException | NumberFormatException | ClassCastException why) {
            return Log.other(start.toString());
        }
    }

    /**
     * What follows from all files, of one JVM: verdict, limits, circles, groups, what lasts through its dumps.
     *
     * @param jvm its number, from 0, in the order in which the files name them
     */
    @JSExport
    public static String report(int jvm) {
        jvms = jvms == null ? Series.of(moments) : jvms;
        if (jvm >= jvms.size()) {
            return written(json -> json.beginObject().name("error").value("there is no dump").endObject());
        }
        dump = jvms.get(jvm).dump();
        return written(json -> report(json, jvms.get(jvm)));
    }

    /** The threads whose name, state, lock or stack contains some words. */
    @JSExport
    public static String find(String words) {
        var wanted = words.strip().toLowerCase(Locale.ROOT);
        var matches = new IdentityHashMap<Stack, Boolean>();
        var found = dump.threads().stream()
                .filter(one -> contains(one.label(), wanted)
                        || contains(one.blocker(), wanted)
                        || contains(one.state(), wanted)
                        || matches.computeIfAbsent(one.stack(), stack -> contains(stack.toString(), wanted)))
                .toList();
        return written(json -> {
            json.beginObject().name("count").value(found.size()).name("threads").beginArray();
            for (ThreadState thread : found.subList(0, Math.min(SHOWN, found.size()))) {
                json.beginObject();
                json.name("label").value(thread.label()).name("id").value(thread.id());
                json.name("virtual").value(thread.virtual()).name("state").value(thread.state());
                json.name("blocker").value(thread.blocker()).name("carrier").value(thread.carrier());
                json.name("stack").value(thread.stack().toString());
                json.endObject();
            }
            json.endArray().endObject();
        });
    }

    /** The different stacks of a group, the most frequent first, each with some of its threads. */
    @JSExport
    public static String group(int number) {
        Map<String, List<ThreadState>> stacks = new LinkedHashMap<>();
        for (ThreadState thread : dump.groups().get(number).threads()) {
            stacks.computeIfAbsent(thread.stack().toString(), none -> new ArrayList<>())
                    .add(thread);
        }
        var sorted = new ArrayList<>(stacks.values());
        sorted.sort((one, other) -> Integer.compare(other.size(), one.size()));
        return written(json -> {
            json.beginObject().name("different").value(sorted.size()).name("stacks").beginArray();
            for (var same : sorted.subList(0, Math.min(SHOWN, sorted.size()))) {
                json.beginObject().name("threads").value(same.size()).name("labels").beginArray();
                for (ThreadState thread : same.subList(0, Math.min(8, same.size()))) {
                    json.value(thread.label());
                }
                json.endArray();
                json.name("stack").value(same.getFirst().stack().toString()).endObject();
            }
            json.endArray().endObject();
        });
    }

    private static boolean contains(String text, String wanted) {
        return text != null && text.toLowerCase(Locale.ROOT).contains(wanted);
    }

    private static void report(JsonWriter json, Series series) throws IOException {
        // nothing of the machine is known but its carriers
        int carriers = (int) dump.threads().stream()
                .filter(one -> !one.virtual() && one.name().startsWith("ForkJoinPool-1-worker"))
                .count();
        var seen = new Observation(
                List.of(),
                dump,
                List.of(),
                Math.max(1, carriers),
                Double.NaN,
                Requests.unknown("a dump counts no requests"),
                series.others(),
                Outside.UNKNOWN);
        var verdict = Verdict.of(seen);
        // what follows is asked of the dump as the verdict has it
        dump = verdict.dump();
        var all = new LinkedHashMap<String, Object>();
        all.put("jvms", jvms.size());
        all.put("findings", verdict.findings().stream().map(Data::of).toList());
        all.putAll(Data.of(verdict));
        var advice = new ArrayList<String>();
        dump.circles().forEach(one -> advice.add(Advice.on(one).todo()));
        verdict.met().forEach(one -> advice.add(Advice.on(one).todo()));
        all.put("advice", advice);
        all.put("series", Data.of(series));
        all.put("together", series.lines());
        all.put("scopes", scopes());
        all.put("text", dump.toString().split("\n\n", 2)[0] + "\n\n" + verdict);
        all.put("missing", series.missing());
        write(json, all);
    }

    /** What threads belong to besides the JVM itself: executors, scopes; by name, so that their order is always the same. */
    private static List<Map<String, Object>> scopes() {
        var scopes = new ArrayList<Map<String, Object>>();
        for (Container one : dump.containers()) {
            if (!one.isRoot()) {
                var scope = new LinkedHashMap<String, Object>();
                scope.put("name", one.name());
                scope.put("parent", one.parent() == null ? "" : one.parent());
                scope.put("threads", one.threads().size());
                scope.put("names", one.threadNames().subList(0, Math.min(SCOPED, one.threads().size())));
                scopes.add(scope);
            }
        }
        return scopes;
    }

    private static final int SCOPED = 8;

    private static void write(JsonWriter json, Object value) throws IOException {
        if (value instanceof Map<?, ?> all) {
            json.beginObject();
            for (var part : all.entrySet()) {
                write(json.name((String) part.getKey()), part.getValue());
            }
            json.endObject();
        } else if (value instanceof List<?> all) {
            json.beginArray();
            for (var one : all) {
                write(json, one);
            }
            json.endArray();
        } else if (value instanceof Boolean is) {
            json.value(is.booleanValue());
        } else if (value instanceof Double number) {
            json.value(Math.floor(number * 1_000 + 0.5) / 1_000);
        } else if (value instanceof Integer number) {
            json.value(number.longValue());
        } else {
            json.value((String) value);
        }
    }

    private interface Writing {
        void to(JsonWriter json) throws IOException;
    }

    private static String written(Writing what) {
        var text = new StringWriter();
        try {
            what.to(new JsonWriter(text));
        } catch (IOException impossible) {
            throw new IllegalStateException(impossible);
        }
        return text.toString();
    }

    /**
     * On the JVM: what the page would be told about each file, or about several with commas between; read.cjs does the same
     * in JavaScript.
     */
    public static void main(String[] all) throws IOException {
        for (String files : all) {
            begin();
            for (String file : files.split(",")) {
                var path = Path.of(file);
                byte[] start;
                try (var bytes = Files.newInputStream(path)) {
                    start = bytes.readNBytes(1_024);
                }
                var charset = charset(new String(start, StandardCharsets.ISO_8859_1));
                try (Reader text = new InputStreamReader(Files.newInputStream(path), charset)) {
                    System.out.println(add(source(text)));
                }
            }
            System.out.println(report(0));
            for (int jvm = 1; jvm < jvms.size(); jvm++) {
                System.out.println(report(jvm));
            }
            for (int i = 0; dump != null && i < dump.groups().size(); i++) {
                System.out.println(group(i));
            }
            System.out.println(dump == null ? "" : find("thread"));
        }
    }

    private static Source source(Reader text) {
        char[] part = new char[10_007];
        return () -> {
            try {
                int count = text.read(part);
                return count < 0 ? null : new String(part, 0, count);
            } catch (IOException why) {
                throw new IllegalStateException(why);
            }
        };
    }

    /** The parts of a file one after the other; each is let go when it has been read. */
    private static final class Chunks extends Reader {

        private final Supplier<String> source;
        private String chunk = "";
        private int at;

        Chunks(Supplier<String> source) {
            this.source = source;
        }

        @Override
        public int read(char[] into, int offset, int most) {
            while (at == chunk.length()) {
                chunk = source.get();
                at = 0;
                if (chunk == null) {
                    chunk = "";
                    return -1;
                }
            }
            int count = Math.min(most, chunk.length() - at);
            chunk.getChars(at, at + count, into, offset);
            at += count;
            return count;
        }

        @Override
        public void close() {
            chunk = "";
        }
    }
}
