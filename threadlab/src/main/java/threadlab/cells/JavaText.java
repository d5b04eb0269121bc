package threadlab.cells;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.regex.Pattern;

/** Java source up to some place, read letter by letter: in what its end stands, and which brackets are open. */
public final class JavaText {

    /** What a letter belongs to. */
    public enum Part {
        /** None of these. */
        CODE(""),
        /** A text on one line. */
        TEXT("a closing quote"),
        /** A text block. */
        BLOCK("\"\"\", which closes a text block,"),
        /** A single letter in quotes. */
        LETTER("a closing quote"),
        /** A comment up to the end of its line. */
        LINE_COMMENT(""),
        /** A comment that must be closed. */
        COMMENT("*/, which closes a comment,");

        private final String missing;

        Part(String missing) {
            this.missing = missing;
        }
    }

    /** A comment of either kind. */
    public static final Pattern COMMENT = Pattern.compile("//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);

    private static final String QUOTES = "\"\"\"";

    private final StringBuilder code = new StringBuilder();
    private final Deque<Integer> open = new ArrayDeque<>();
    private Part part = Part.CODE;
    private int begin;

    private JavaText() {}

    /**
     * The next place at which a statement may begin: comments and blanks before an import would be part of it.
     *
     * @param code the text of a cell
     * @param from where to look, an index
     * @return an index, or the length of the text
     */
    public static int begin(String code, int from) {
        int at = from;
        while (at < code.length()) {
            var comment = COMMENT.matcher(code).region(at, code.length());
            if (Character.isWhitespace(code.charAt(at))) {
                at++;
            } else if (code.charAt(at) == '/' && comment.lookingAt()) {
                at = comment.end();
            } else {
                break;
            }
        }
        return at;
    }

    /**
     * Reads a source.
     *
     * @param source Java, whole or not
     * @return what was read
     */
    public static JavaText of(String source) {
        var text = new JavaText();
        for (int at = 0; at < source.length(); ) {
            int length = text.length(source, at);
            boolean shown = text.part == Part.CODE && length == 1;
            text.code.append(shown ? source.charAt(at) : text.part == Part.CODE || length == 3 ? '"' : ' ');
            text.code.repeat(' ', length - 1);
            at += length;
        }
        return text;
    }

    /** Reads what stands at a place; returns its length. */
    private int length(String source, int at) {
        char c = source.charAt(at);
        switch (part) {
            case CODE -> {
                begin = at;
                if (source.startsWith(QUOTES, at)) {
                    part = Part.BLOCK;
                    return QUOTES.length();
                }
                part = source.startsWith("//", at)
                        ? Part.LINE_COMMENT
                        : source.startsWith("/*", at)
                                ? Part.COMMENT
                                : c == '"' ? Part.TEXT : c == '\'' ? Part.LETTER : Part.CODE;
                if ("([{".indexOf(c) >= 0) {
                    open.push(at);
                } else if (")]}".indexOf(c) >= 0) {
                    open.poll();
                }
                return part == Part.COMMENT ? 2 : 1;
            }
            case TEXT, LETTER, BLOCK -> {
                if (c == '\\' && at + 1 < source.length()) {
                    return 2;
                }
                if (part == Part.BLOCK && source.startsWith(QUOTES, at)) {
                    part = Part.CODE;
                    return QUOTES.length();
                }
                if (part != Part.BLOCK && (c == '\n' || c == (part == Part.TEXT ? '"' : '\''))) {
                    part = Part.CODE;
                }
            }
            case LINE_COMMENT -> part = c == '\n' ? Part.CODE : part;
            case COMMENT -> {
                if (source.startsWith("*/", at)) {
                    part = Part.CODE;
                    return 2;
                }
            }
        }
        return 1;
    }

    /** {@return in what the end stands} */
    public Part part() {
        return part;
    }

    /** {@return where this part begins, or the innermost bracket that is open; -1 if nothing is} */
    public int begin() {
        return part != Part.CODE && part != Part.LINE_COMMENT ? begin : open.isEmpty() ? -1 : open.peek();
    }

    /**
     * What would close it.
     *
     * @param source what was read
     * @return such as {@code )}
     */
    public String missing(String source) {
        return part.missing.isEmpty() && begin() >= 0
                ? String.valueOf(")]}".charAt("([{".indexOf(source.charAt(begin()))))
                : part.missing;
    }

    /** {@return the source with blanks instead of comments and of what stands between quotes} */
    public String code() {
        return code.toString();
    }

    /**
     * The length of the text, or of the sum of texts, in a statement.
     *
     * @param source of the statement
     * @return the bytes that a class needs for it
     */
    public static int bytes(String source) {
        int from = source.indexOf('"');
        int until = source.lastIndexOf('"') + 1;
        var text = from < 0 ? "" : source.substring(from, until).replaceAll("\"\"\"\\s*\\n|\"\\s*\\+\\s*\"|\"", "");
        return text.getBytes(StandardCharsets.UTF_8).length;
    }
}
