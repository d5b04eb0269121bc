package site;

import com.google.gson.stream.JsonWriter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.teavm.jso.JSExport;
import org.teavm.jso.JSFunctor;
import org.teavm.jso.JSObject;
import whatwaits.rules.Data;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Observation;
import whatwaits.rules.Owner;
import whatwaits.rules.Requests;
import whatwaits.rules.Stack;
import whatwaits.rules.TextDump;
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

    /** The dump that was read last, for later questions about it. */
    private static ThreadDump dump;

    private static final List<String> missing = new ArrayList<>();

    private Dump() {}

    /** Gives the next part of a file; null at its end. */
    @JSFunctor
    public interface Source extends JSObject {
        String next();
    }

    /** Reads a dump, and answers with the verdict, limits, circles and groups; of a failure, with why. */
    @JSExport
    public static String read(Source source) {
        missing.clear();
        return report(source::next, read -> read);
    }

    /** Reads a dump of the same JVM from a moment later, and answers as before: of the circles, those in both remain. */
    @JSExport
    public static String confirm(Source later) {
        var first = dump;
        var answer = report(later::next, first::confirmedBy);
        if (dump == null) {
            // the first is worth something without it
            dump = first;
            missing.add("the second dump cannot be read");
            return written(Dump::report);
        }
        return answer;
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

    private static String report(Supplier<String> source, UnaryOperator<ThreadDump> with) {
        dump = null;
        try {
            var text = new BufferedReader(new Chunks(source));
            var stacks = new DumpReader(Owner::byName);
            var read = isJson(text) ? stacks.read(text, missing::add) : inText(TextDump.read(text, stacks));
            dump = with.apply(read);
            return written(Dump::report);
        } catch (IOException | IllegalStateException | NumberFormatException | ClassCastException why) {
            return written(json -> json.beginObject()
                    .name("error")
                    .value(String.valueOf(why.getMessage()))
                    .endObject());
        }
    }

    private static ThreadDump inText(TextDump text) {
        if (text.threads().isEmpty()) {
            throw new IllegalStateException("it names no threads");
        }
        var version = text.version();
        int java = version == null ? 0 : Integer.parseInt(version.split("\\D", 2)[0]);
        return text.dump(java, version == null ? "A dump that does not name its Java" : "A dump of Java " + version);
    }

    private static boolean isJson(Reader text) throws IOException {
        text.mark(1_000);
        int next = text.read();
        for (int read = 1; read < 1_000 && (Character.isWhitespace(next) || next == '\uFEFF'); read++) {
            next = text.read();
        }
        text.reset();
        return next == '{';
    }

    private static void report(JsonWriter json) throws IOException {
        // nothing of the machine is known but its carriers
        int carriers = (int) dump.threads().stream()
                .filter(one -> !one.virtual() && one.name().startsWith("ForkJoinPool-1-worker"))
                .count();
        var nobody = Requests.unknown("a dump counts no requests");
        var seen = new Observation(List.of(), dump, List.of(), Math.max(1, carriers), Double.NaN, nobody);
        var verdict = Verdict.of(seen);
        var all = new LinkedHashMap<String, Object>();
        all.put("findings", verdict.findings().stream().map(Data::of).toList());
        all.putAll(Data.of(verdict));
        all.put("text", dump.toString().split("\n\n", 2)[0] + "\n\n" + verdict);
        all.put("missing", String.join("; ", missing));
        write(json, all);
    }

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
     * On the JVM: what the page would be told about each file, or about two of the same JVM with a comma between; read.cjs
     * does the same in JavaScript.
     */
    public static void main(String[] files) throws IOException {
        for (String file : files) {
            var both = file.split(",");
            try (Reader text = Files.newBufferedReader(Path.of(both[0]))) {
                System.out.println(read(source(text)));
            }
            if (both.length > 1) {
                try (Reader text = Files.newBufferedReader(Path.of(both[1]))) {
                    System.out.println(confirm(source(text)));
                }
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
