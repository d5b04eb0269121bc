package threadlab.cells;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Writes the text of a documentation comment as HTML: its tags become words, lists and code. */
public final class Javadoc {

    /** The tags that are shown; others, such as the author, are left out. */
    private static final Map<String, String> HEADINGS = Map.of(
            "param", "Parameter",
            "return", "Returns",
            "throws", "Throws",
            "see", "See also",
            "since", "Since",
            "deprecated", "Deprecated",
            "apiNote", "API note",
            "implNote", "Implementation note");

    /** An inline tag; braces in its text come in pairs, up to two inside each other. */
    private static final Pattern INLINE =
            Pattern.compile("\\{@(\\w+)\\s*((?:[^{}]|\\{(?:[^{}]|\\{[^{}]*})*})*)}", Pattern.DOTALL);

    private static final Pattern BLOCK = Pattern.compile("^\\s*@(?=\\w)", Pattern.MULTILINE);
    private static final Pattern NAMED = Pattern.compile("(?:param|throws)\\s+(\\S+)\\s*(.*)", Pattern.DOTALL);
    private static final Pattern PACKAGES = Pattern.compile("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])");

    private Javadoc() {}

    /**
     * Writes a comment.
     *
     * @param comment without its stars
     * @return HTML
     */
    public static String html(String comment) {
        var parts = BLOCK.split(inlined(comment));
        var html = new StringBuilder("<p>" + parts[0].strip());
        for (int i = 1; i < parts.length; i++) {
            var words = parts[i].split("\\s+", 2);
            var heading = HEADINGS.get(words[0]);
            if (heading != null && words.length > 1) {
                var named = NAMED.matcher(parts[i].strip());
                var text = named.matches() ? code(named.group(1)) + " – " + named.group(2) : words[1].strip();
                html.append("<p><strong>%s:</strong> %s".formatted(heading, text));
            }
        }
        return html.toString();
    }

    private static String inlined(String text) {
        return INLINE.matcher(text).replaceAll(tag -> Matcher.quoteReplacement(inline(tag.group(1), tag.group(2))));
    }

    private static String inline(String tag, String text) {
        return switch (tag) {
            case "code", "systemProperty" -> code(text);
            case "return" -> "Returns " + inlined(text) + ".";
            case "literal" -> escape(text);
            case "snippet" -> {
                var lines = text.replaceFirst("^.*?:\\R", "").stripIndent();
                yield "<pre>" + escaped(lines.strip()) + "</pre>";
            }
            case "link", "linkplain" -> {
                var parts = text.split("\\s+(?![^(]*\\))", 2);
                yield parts.length > 1 ? parts[1] : code(parts[0]);
            }
            case "value" -> value(text);
            default -> text;
        };
    }

    /** The value of a constant whose class is named with its package. */
    private static String value(String constant) {
        var parts = constant.split("#");
        try {
            var field = Class.forName(parts[0]).getDeclaredField(parts[1]);
            field.setAccessible(true);
            return escape(String.valueOf(field.get(null)));
        } catch (ReflectiveOperationException | ArrayIndexOutOfBoundsException e) {
            return code(constant);
        }
    }

    /** Code or a name, without packages. */
    private static String code(String text) {
        var name = PACKAGES.matcher(text).replaceAll("").replaceFirst("^#", "").replaceAll("(?<=\\w)#(?=\\w)", ".");
        return "<code>" + escaped(name) + "</code>";
    }

    /**
     * {@return a text as HTML shows it}
     *
     * @param text any
     */
    public static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    private static String escaped(String code) {
        return escape(code).replace("@", "&#64;");
    }
}
