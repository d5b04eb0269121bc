package threadlab.cells;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.Predicate;

/** Names of types as the compiler writes them. */
public final class Types {

    private Types() {}

    /**
     * The type without intersections, such as {@code Object & Comparable<…>}: of each, the part that says most.
     *
     * @param type such as {@code List<Number & Comparable<?>>}
     * @param own whether a name is that of a class which says more than those of libraries
     * @return a type that can be written
     */
    public static String plain(String type, Predicate<String> own) {
        var parts = split(type, '&');
        if (parts.length > 1) {
            var bare = Arrays.stream(parts)
                    .map(part ->
                            part.replaceAll("<.*|^\\s*\\? (extends|super) ", "").strip())
                    .toList();
            for (var name : bare) {
                if (own.test(name.replaceFirst(".*\\.", "")) || name.endsWith("Number")) {
                    return (type.strip().startsWith("? extends ") ? "? extends " : "") + name;
                }
            }
            return type.strip().startsWith("?") ? "?" : "Object";
        }
        int from = type.indexOf('<');
        int to = type.lastIndexOf('>');
        if (from < 0 || to < from) {
            return type;
        }
        var arguments = Arrays.stream(split(type.substring(from + 1, to), ','))
                .map(part -> plain(part.strip(), own))
                .toList();
        return type.substring(0, from + 1) + String.join(", ", arguments) + type.substring(to);
    }

    /** Splits at a letter that stands in no angle brackets. */
    private static String[] split(String text, char at) {
        var parts = new ArrayList<String>();
        int depth = 0;
        int begin = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            depth += c == '<' ? 1 : c == '>' ? -1 : 0;
            if (c == at && depth == 0) {
                parts.add(text.substring(begin, i));
                begin = i + 1;
            }
        }
        parts.add(text.substring(begin));
        return parts.toArray(String[]::new);
    }
}
