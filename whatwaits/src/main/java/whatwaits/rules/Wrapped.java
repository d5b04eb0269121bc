package whatwaits.rules;

import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a page, a chat, a word processor or an export has made of the lines of a dump, undone. */
final class Wrapped {

    private Wrapped() {}

    /** Those that stand around text; a dump has other words in angle brackets, such as of constructors. */
    private static final Pattern TAG = Pattern.compile(
            "(?i)<(/?)(a|b|body|br|code|div|em|font|head|html|i|li|mark|ol|p|pre|samp|span|strong|table|tbody|td|title|tr|tt|ul)"
                    + "(?:\\s+[\\w:-]+=[^<>]*|\\s*/)?>");

    private static final Pattern ENTITY =
            Pattern.compile("&(?:(amp|lt|gt|quot|apos|nbsp)|#(\\d{1,5})|#[xX](\\p{XDigit}{1,4}));");

    /** What only dumps say. */
    private static final Pattern MARK = Pattern.compile(
            "Full thread dump|Thread\\.State: |threadDump|Java-level deadlock|\" #\\d+ |\" Id=\\d+ |#\\d+ \"");

    private static final Pattern ONE_LINE = Pattern.compile("Full thread dump|Thread\\.State: |Java-level deadlock");

    /** A line, or the lines that tags part, without tags and entities, and with plain quotes and spaces. */
    static String plain(String line) {
        var plain = line;
        if (plain.indexOf('<') >= 0 && TAG.matcher(plain).find()) {
            // tags that end one in the other end one line, and the line's own end is there
            plain = replaced(plain, TAG, tag -> ended(tag.group(1), tag.group(2)))
                    .replaceAll("\r+", "\n")
                    .stripTrailing();
        }
        // what was pasted into a page twice is escaped twice
        for (int i = 0; i < 2 && plain.indexOf('&') >= 0; i++) {
            plain = replaced(plain, ENTITY, Wrapped::meant);
        }
        return typed(plain);
    }

    private static String replaced(String text, Pattern what, Function<Matcher, String> by) {
        var replaced = new StringBuilder();
        int from = 0;
        var found = what.matcher(text);
        while (found.find()) {
            replaced.append(text, from, found.start()).append(by.apply(found));
            from = found.end();
        }
        return from == 0 ? text : replaced.append(text.substring(from)).toString();
    }

    private static String ended(String end, String tag) {
        var name = tag.toLowerCase(Locale.ROOT);
        boolean block = !end.isEmpty() && List.of("p", "div", "li", "tr", "pre").contains(name);
        return name.equals("br") ? "\n" : block ? "\r" : "";
    }

    private static String meant(Matcher entity) {
        if (entity.group(1) == null) {
            return entity.group(2) == null ? coded(entity.group(3), 16) : coded(entity.group(2), 10);
        }
        return switch (entity.group(1)) {
            case "amp" -> "&";
            case "lt" -> "<";
            case "gt" -> ">";
            case "quot" -> "\"";
            case "apos" -> "'";
            default -> " ";
        };
    }

    private static String coded(String digits, int radix) {
        return String.valueOf((char) Integer.parseInt(digits, radix));
    }

    /** The characters of a keyboard instead of those that chats and word processors make of them. */
    private static String typed(String line) {
        StringBuilder typed = null;
        for (int i = 0; i < line.length(); i++) {
            char is = line.charAt(i);
            if (is < '\u00a0') {
                continue;
            }
            char was =
                    switch (is) {
                        case '\u00a0', '\u2007', '\u202f' -> ' ';
                        case '\u201c', '\u201d', '\u201e', '\u201f' -> '"';
                        default -> is;
                    };
            // a line that begins with a dash names a lock
            if ((is == '\u2013' || is == '\u2014')
                    && (typed == null ? line : typed).toString().substring(0, i).isBlank()) {
                was = '-';
            }
            if (was != is) {
                typed = typed == null ? new StringBuilder(line) : typed;
                typed.setCharAt(i, was);
            }
        }
        return typed == null ? line : typed.toString();
    }

    /** Whether a line is a whole dump, whose line ends and quotes are escaped. */
    static boolean isEscaped(String line) {
        return line.contains("\\n") && ONE_LINE.matcher(line).find();
    }

    /** The lines of such a line. */
    static String unescaped(String line) {
        var text = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char one = line.charAt(i);
            if (one != '\\' || i + 1 == line.length()) {
                text.append(one);
                continue;
            }
            char escaped = line.charAt(++i);
            if (escaped == 'u'
                    && i + 4 < line.length()
                    && line.substring(i + 1, i + 5).matches("\\p{XDigit}{4}")) {
                text.append(coded(line.substring(i + 1, i + 5), 16));
                i += 4;
            } else {
                text.append(
                        switch (escaped) {
                            case 'n' -> "\n";
                            case 'r' -> "";
                            case 't' -> "\t";
                            default -> String.valueOf(escaped);
                        });
            }
        }
        return text.toString();
    }

    /**
     * The texts in an export that may have a dump: what stands under each name in JSON, or in each column of a table.
     *
     * @param text in which no dump was found
     */
    static List<String> texts(String text) {
        var start = text.stripLeading();
        boolean json = start.startsWith("{") || start.startsWith("[");
        if (!json && !text.contains("\"\"") || !text.contains("hread") && !text.contains(" Id=")) {
            return List.of();
        }
        var texts = new LinkedHashMap<String, StringBuilder>();
        if (json) {
            strings(text, texts);
        } else {
            cells(text, texts);
        }
        return texts.values().stream()
                .map(StringBuilder::toString)
                .filter(one -> one.length() < text.length() && MARK.matcher(one).find())
                .toList();
    }

    private static void strings(String text, Map<String, StringBuilder> into) {
        var json = new JsonReader(new StringReader(text));
        json.setStrictness(Strictness.LENIENT);
        try {
            while (json.peek() != JsonToken.END_DOCUMENT) {
                strings(json, "", false, into);
            }
        } catch (IOException | IllegalStateException e) {
            // what stands before the damage has been taken
        }
    }

    /** Adds each string to those of the same name and writer; of arrays in an array, such as rows, to its column. */
    private static void strings(JsonReader json, String name, boolean row, Map<String, StringBuilder> into)
            throws IOException {
        switch (json.peek()) {
            case BEGIN_OBJECT -> {
                var own = new LinkedHashMap<String, String>();
                json.beginObject();
                while (json.hasNext()) {
                    var next = json.nextName();
                    if (json.peek() == JsonToken.STRING) {
                        own.put(next, json.nextString());
                    } else {
                        strings(json, name + "." + next, false, into);
                    }
                }
                json.endObject();
                own.forEach((key, value) -> add(name + "." + key + Log.writer(own), value, into));
            }
            case BEGIN_ARRAY -> {
                json.beginArray();
                for (int i = 0; json.hasNext(); i++) {
                    if (json.peek() == JsonToken.STRING) {
                        add(row ? name + "." + i : name, json.nextString(), into);
                    } else {
                        strings(json, name, true, into);
                    }
                }
                json.endArray();
            }
            default -> json.skipValue();
        }
    }

    private static void add(String name, String value, Map<String, StringBuilder> into) {
        into.computeIfAbsent(name, none -> new StringBuilder()).append(value).append('\n');
    }

    /** Adds each cell of a table to those of its column and writer; in quotes, a quote is doubled, and a line may end. */
    private static void cells(String text, Map<String, StringBuilder> into) {
        int end = text.indexOf('\n');
        var first = end < 0 ? text : text.substring(0, end);
        char comma = first.indexOf('\t') >= 0 ? '\t' : first.indexOf(';') >= 0 ? ';' : ',';
        List<String> heads = null;
        var row = new ArrayList<String>();
        var cell = new StringBuilder();
        boolean quoted = false;
        for (int i = 0; i <= text.length(); i++) {
            char one = i == text.length() ? '\n' : text.charAt(i);
            if (quoted && i < text.length()) {
                boolean doubled = one == '"' && i + 1 < text.length() && text.charAt(i + 1) == '"';
                i += doubled ? 1 : 0;
                quoted = doubled || one != '"';
                if (quoted) {
                    cell.append(one);
                }
            } else if (one == '"' && cell.length() == 0) {
                quoted = true;
            } else if (one == comma || one == '\n') {
                row.add(cell.toString());
                cell.setLength(0);
                if (one == '\n') {
                    heads = heads == null ? List.copyOf(row) : heads;
                    row(row, heads, into);
                    row.clear();
                }
            } else if (one != '\r') {
                cell.append(one);
            }
        }
    }

    private static void row(List<String> row, List<String> heads, Map<String, StringBuilder> into) {
        var named = new TreeMap<String, String>();
        for (int i = 0; i < Math.min(row.size(), heads.size()); i++) {
            named.put(heads.get(i), row.get(i));
        }
        var writer = row.equals(heads) ? "" : Log.writer(named);
        for (int i = 0; i < row.size(); i++) {
            add(i + writer, row.get(i), into);
        }
    }
}
