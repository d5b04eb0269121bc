package whatwaits.rules;

import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds the dumps in whatever somebody has: in one dump, in several, in the log of a program or of many. What a log has
 * put before each line is found by itself: it stands before the line with which a dump or a thread begins.
 */
public final class Log {

    /** Under these names, logs in JSON have the line. */
    private static final Set<String> LINE =
            Set.of("log", "message", "msg", "@message", "textPayload", "MESSAGE", "line", "event", "body");

    /** Under these, who has written it. */
    private static final Set<String> SOURCE = Set.of(
            "pod",
            "pod_name",
            "podName",
            "container",
            "container_id",
            "container_name",
            "instance",
            "host",
            "hostname",
            "source",
            "_PID");

    private static final Pattern HEADING = Pattern.compile("Full thread dump(?: .*\\(\\d.*\\))?:?$");
    private static final List<Form> THREADS = List.of(Form.PRINT, Form.INFO, Form.BEANS, Form.DEBUGGER, Form.OLD);
    private static final Pattern NUMBER = Pattern.compile("#\\d+ $");
    /** What differs from line to line. */
    private static final Pattern TIME = Pattern.compile(
            "\\d{4}[-/]\\d\\d[-/]\\d\\d(?:[T ]\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?)?|\\d\\d:\\d\\d:\\d\\d(?:[.,]\\d+)?|\\b[A-Z][a-z]{2} [ \\d]\\d\\b|\\d{10,}(?:\\.\\d+)?");

    private final DumpReader stacks;
    private final List<Moment> found = new ArrayList<>();
    private final Map<String, Source> sources = new LinkedHashMap<>();
    /** Of the line that is read, from 1. */
    private int number;
    /** What has come of a record whose end has not, by its writer. */
    private final Map<String, StringBuilder> parts = new LinkedHashMap<>();
    /** Whether a driver of logs writes this, which keeps the line ends. */
    private boolean drives;

    /**
     * For dumps of a program.
     *
     * @param stacks reads their stacks
     */
    public Log(DumpReader stacks) {
        this.stacks = stacks;
    }

    /**
     * {@return each dump of a text, in the order in which they end}
     *
     * @param text of any form, in chunks of any size
     * @throws IOException if the text cannot be read
     */
    public List<Moment> read(Reader text) throws IOException {
        var lines = new Lines(text);
        var start = lines.start();
        var first = start.stripLeading();
        boolean json = first.startsWith("{") || first.matches("(?s)\\[\\s*[{\\]].*");
        if (json && message(first) == null) {
            return stacks.all(lines);
        }
        for (String line = lines.line(); line != null; line = lines.line()) {
            number++;
            var whole = whole(line, lines.spaces());
            if (whole != null) {
                add(whole, json);
            }
        }
        for (var part : parts.entrySet()) {
            text(
                    sources.containsKey(part.getKey()) ? part.getKey() : "",
                    part.getValue().toString());
        }
        for (Source source : sources.values()) {
            source.end();
        }
        return found;
    }

    /**
     * {@return each dump of a text, also where it is wrapped as a whole: in strings of JSON, or in cells of a table}
     *
     * @param text of any form
     */
    public List<Moment> all(String text) {
        var all = new ArrayList<Moment>();
        try {
            all.addAll(read(new StringReader(text)));
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            // it may be wrapped
        }
        if (all.isEmpty()) {
            Wrapped.texts(text).forEach(one -> all.addAll(new Log(stacks).all(one)));
        }
        return all;
    }

    /**
     * {@return why a text has no dump, and what to do instead: a part of a sentence}
     *
     * @param start its first characters
     */
    public static String other(String start) {
        return Form.other(start);
    }

    /** Of the log of a container, as its runtime keeps it: P is a part, F the last. */
    private static final Pattern PART =
            Pattern.compile("(?s)^(.*?\\d{4}-\\d\\d-\\d\\dT\\S+ std(?:out|err)) ([PF])(?: (.*))?$");
    /** Within so many characters it says so. */
    private static final int HEAD = 120;
    /** Docker splits records of some more bytes. */
    private static final int SPLIT = 16_000;

    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[\\d;]*m");

    private void add(String line, boolean json) throws IOException {
        if (!json) {
            text("", line);
            return;
        }
        var said = message(line);
        if (said != null) {
            said(said[0], said[1], said[2].equals("log"));
        }
    }

    private void said(String source, String record, boolean log) throws IOException {
        // a driver keeps the line end, and splits what has more than 16 KB: then only the last part has one
        boolean ends = record.endsWith("\n");
        drives |= ends && log;
        var part = parts.get(source);
        if (log && !ends && (drives || record.length() >= SPLIT)) {
            parts.computeIfAbsent(source, none -> new StringBuilder()).append(record);
            return;
        }
        var whole = part == null ? record : parts.remove(source).append(record).toString();
        for (String one : (ends ? whole.substring(0, whole.length() - 1) : whole).split("\\r?\\n", -1)) {
            text(source, one);
        }
    }

    /** A line, or a record whose parts a container's runtime has put into several: null until its last one comes. */
    private String whole(String line, String spaces) {
        int at = line.indexOf(" std");
        var part = at < 0 || at > HEAD ? null : PART.matcher(line + spaces);
        if (part == null || !part.matches()) {
            return line;
        }
        var text = part.group(3) == null ? "" : part.group(3);
        var source = TIME.matcher(part.group(1)).replaceAll("");
        boolean last = part.group(2).equals("F");
        if (last && !parts.containsKey(source)) {
            return line;
        }
        var whole = parts.computeIfAbsent(source, none -> new StringBuilder(part.group(1) + " F "))
                .append(text);
        return last ? parts.remove(source).toString().stripTrailing() : null;
    }

    /** A line of a writer, which may hold several: where something has escaped their ends, or wrapped them in JSON. */
    private void text(String source, String line) throws IOException {
        var plain = Wrapped.plain(
                line.indexOf('\u001b') < 0
                        ? line
                        : COLOUR.matcher(line).replaceAll("").stripTrailing());
        int object = plain.endsWith("}") ? plain.indexOf("{\"") : -1;
        var said = object < 0 ? null : message(plain.substring(object));
        if (said != null) {
            var before = TIME.matcher(plain.substring(0, object)).replaceAll("");
            said(source + before + said[0], said[1], said[2].equals("log"));
        } else if (Wrapped.isEscaped(plain)) {
            for (String one : Wrapped.unescaped(plain).split("\n", -1)) {
                text(source, one);
            }
        } else {
            for (String one : plain.indexOf('\n') < 0 ? new String[] {plain} : plain.split("\n", -1)) {
                source(source).add(one);
            }
        }
    }

    private Source source(String name) {
        return sources.computeIfAbsent(name, Source::new);
    }

    /** Who has written a line of a log in JSON, what, and under which name; null if it is none. */
    private static String[] message(String line) {
        int end = line.indexOf('\n');
        var object = (end < 0 ? line : line.substring(0, end)).strip();
        if (!object.startsWith("{") || !object.endsWith("}")) {
            return null;
        }
        var source = new StringBuilder();
        String said = null;
        String under = null;
        try (var json = new JsonReader(new StringReader(object))) {
            json.beginObject();
            while (json.hasNext()) {
                var name = json.nextName();
                if (json.peek() == JsonToken.STRING && said == null && LINE.contains(name)) {
                    said = json.nextString();
                    under = name;
                } else if (json.peek() == JsonToken.STRING && SOURCE.contains(name)) {
                    source.append(json.nextString()).append(' ');
                } else {
                    json.skipValue();
                }
            }
        } catch (IOException | IllegalStateException e) {
            return null;
        }
        return said == null ? null : new String[] {source.toString(), said, under};
    }

    /** Who has written something, by the names of what stands beside it. */
    static String writer(Map<String, String> beside) {
        return beside.entrySet().stream()
                .filter(one -> SOURCE.contains(one.getKey()))
                .map(one -> " " + one.getValue())
                .collect(Collectors.joining());
    }

    /** The lines of one writer, before which others may stand. */
    private final class Source {
        private final String name;
        private final Stream bare;
        private final List<Stream> prefixed = new ArrayList<>();
        private final Deque<String> recent = new ArrayDeque<>();
        private Stream last;
        /** A line that began a thread behind a new prefix, until the next line says whether that stands before all. */
        private String pending;

        private int begins;

        private Source(String name) {
            this.name = name.strip();
            bare = new Stream(null, this.name);
            last = bare;
        }

        void add(String line) throws IOException {
            if (pending != null) {
                boolean alone = last.rest(line) == null && line.matches("\\s+\\S.*");
                if (alone) {
                    // it stood before one record of many lines
                    prefixed.remove(last);
                    last = bare;
                }
                last.add(pending, begins);
                pending = null;
            }
            var stream = stream(line);
            if (stream != null) {
                stream.add(stream.rest(line), number);
            } else {
                int at = anchor(line);
                if (at > 0) {
                    var prefix = line.substring(0, at);
                    last = new Stream(Pattern.compile(general(prefix)), (name + " " + writer(prefix)).strip());
                    prefixed.add(last);
                    // the number of the process and the time stand above; lines of others may stand between
                    var above = recent.stream()
                            .map(last::rest)
                            .filter(rest -> rest != null)
                            .toList();
                    for (String rest : above.subList(Math.max(0, above.size() - ABOVE), above.size())) {
                        last.add(rest, number);
                    }
                    pending = line.substring(at);
                    begins = number;
                } else {
                    bare.add(line, number);
                    recent.add(line);
                    if (recent.size() > RECENT) {
                        recent.remove();
                    }
                }
            }
        }

        private Stream stream(String line) {
            if (last.rest(line) != null && last != bare) {
                return last;
            }
            for (Stream one : prefixed) {
                if (one.rest(line) != null) {
                    last = one;
                    return one;
                }
            }
            return null;
        }

        void end() throws IOException {
            if (pending != null) {
                last.add(pending, begins);
            }
            bare.end();
            for (Stream one : prefixed) {
                one.end();
            }
        }
    }

    private static final int RECENT = 50;
    private static final int ABOVE = 2;

    private static final Pattern LEVEL = Pattern.compile("\\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|SEVERE|FATAL)\\b");

    /** What is left of a time, and the mark of a container's log. */
    private static final Pattern STREAM =
            Pattern.compile("(?:^| )(?:Z|[+-]\\d\\d:?\\d\\d)(?= )|\\bstd(?:out|err) [FP](?= )");

    /** Who writes behind a prefix; empty if it names nobody: a time, a quote, a level and the thread of a logger do not. */
    private static String writer(String prefix) {
        var writer = STREAM.matcher(TIME.matcher(prefix).replaceAll(""))
                .replaceAll("")
                .replaceAll("[\\s|:>]+$", "")
                .strip();
        boolean named = writer.chars().anyMatch(Character::isLetter);
        return named && !LEVEL.matcher(writer).find() ? writer : "";
    }

    /** Where a dump or a thread begins in a line; 0 if it begins with it, or there is none. */
    private static int anchor(String line) {
        if (line.startsWith("\t")) {
            // most lines are frames
            return 0;
        }
        int quote = line.indexOf('"');
        if (quote < 0) {
            int heading = line.indexOf("Full thread dump");
            return heading > 0 && HEADING.matcher(line.substring(heading)).matches() ? heading : 0;
        }
        if (quote == 0) {
            return 0;
        }
        var number = NUMBER.matcher(line.substring(0, quote));
        if (number.find()) {
            return Form.FILED.thread().matcher(line.substring(number.start())).matches() ? number.start() : 0;
        }
        if (line.startsWith("\"threadDump\": {", quote) && quote > 2) {
            return quote - 2;
        }
        var rest = line.substring(quote);
        return THREADS.stream().anyMatch(one -> one.thread().matcher(rest).matches()) ? quote : 0;
    }

    /** What may stand before each line where this stands before one: times differ, and numbers where nothing else stands. */
    private static String general(String prefix) {
        var end = prefix.stripTrailing();
        boolean numbers = end.chars().noneMatch(Character::isLetter);
        var general = new StringBuilder();
        int from = 0;
        var times = TIME.matcher(end);
        while (times.find()) {
            general.append(literal(end.substring(from, times.start()), numbers));
            general.append(literal(times.group(), true));
            from = times.end();
        }
        general.append(literal(end.substring(from), numbers));
        // a line of a dump may be blank, and the space before it gone
        return general
                + (end.length() == prefix.length()
                        ? ""
                        : "(?:" + Pattern.quote(prefix.substring(end.length())) + "|$)");
    }

    /** A pattern of a text, whose numbers may be others, and as long as they like. */
    private static String literal(String text, boolean numbers) {
        var pattern = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char one = text.charAt(i);
            boolean digit = Character.isDigit(one);
            if (numbers && (digit || one == ' ')) {
                while (i + 1 < text.length()
                        && (digit ? Character.isDigit(text.charAt(i + 1)) : text.charAt(i + 1) == ' ')) {
                    i++;
                }
                pattern.append(digit ? "\\d+" : " *");
            } else {
                pattern.append(Pattern.quote(String.valueOf(one)));
            }
        }
        return pattern.toString();
    }

    /** The lines behind one prefix. */
    private final class Stream {
        private final Pattern prefix;
        private final String writer;
        /** The line with which its dump begins. */
        private int began;

        private final TextReader reader;
        private int begun;
        /** A document in JSON, between the lines of its outer braces; null outside of one. */
        private StringBuilder json;

        private Stream(Pattern prefix, String writer) {
            this.prefix = prefix;
            this.writer = writer;
            reader = new TextReader(stacks, dump -> found.add(Moment.of(dump).in(writer, began)));
        }

        /** What follows the prefix; null if the line does not begin with it. */
        String rest(String line) {
            if (prefix == null) {
                return line;
            }
            var found = prefix.matcher(line);
            return found.lookingAt() ? line.substring(found.end()) : null;
        }

        void add(String line, int at) throws IOException {
            if (line.equals("{")) {
                begun = at;
                json = new StringBuilder("{\n");
            } else if (json != null && json.length() == 2 && !line.startsWith("  \"thread")) {
                json = null;
                reader.add(line);
            } else if (json != null && line.equals("}")) {
                json.append("}");
                found();
                json = null;
            } else if (json != null) {
                json.append(line).append("\n");
            } else {
                reader.add(line);
                began = line.startsWith("Full thread dump") ? at : began;
            }
        }

        private void found() throws IOException {
            stacks.all(new StringReader(json.toString())).forEach(one -> found.add(one.in(writer, begun)));
        }

        void end() throws IOException {
            if (json != null && json.length() > 2) {
                found();
            }
            reader.finish();
        }
    }
}
