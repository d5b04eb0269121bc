package threadlab.cases;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The source of a service whose components are nested classes: finds a method and replaces it. */
final class Source {

    private static final String MEMBER = " ".repeat(8);
    private static final Pattern COMPONENT = Pattern.compile("    (?:static )?class (\\w+).*\\{");
    private static final Pattern METHOD =
            Pattern.compile("(?:(?:public|private|static|final) )*[\\w.]+(?:<.*>)?(?:\\[])? (\\w+)\\(.*");

    /**
     * A method.
     *
     * @param name class and method, such as {@code Stock.reserve}
     * @param from the index of its first line, annotations included
     * @param header the index of the line with its name
     * @param to the index of the line after it
     */
    private record Method(String name, int from, int header, int to) {}

    private final List<String> lines;

    Source(String text) {
        lines = text.lines().toList();
    }

    private List<Method> methods() {
        var found = new ArrayList<Method>();
        var component = "";
        for (int i = 0; i < lines.size(); i++) {
            var type = COMPONENT.matcher(lines.get(i));
            if (type.matches()) {
                component = type.group(1);
            }
            var name = name(lines.get(i), MEMBER);
            if (name != null) {
                int from = i;
                while (lines.get(from - 1).startsWith(MEMBER + "@")) {
                    from--;
                }
                int to = i;
                while (!lines.get(to).equals(MEMBER + "}")) {
                    to++;
                }
                found.add(new Method(component + "." + name, from, i, to + 1));
                i = to;
            }
        }
        return found;
    }

    /** The name of the method that a line declares, or null. */
    private static String name(String line, String indent) {
        if (!line.startsWith(indent) || line.endsWith(";")) {
            return null;
        }
        var method = METHOD.matcher(line.substring(indent.length()));
        return method.matches() && !line.strip().startsWith("return ") ? method.group(1) : null;
    }

    /** The methods, such as {@code Stock.reserve}. */
    List<String> names() {
        return methods().stream().map(Method::name).toList();
    }

    /** Whether a line of the source is within a method, such as {@code Stock.reserve}. */
    boolean within(int line, String method) {
        return methods().stream().anyMatch(found -> found.name.equals(method) && line > found.from && line <= found.to);
    }

    /**
     * The source with an edited method.
     *
     * @param members the method's text, with fields of its own around it if needed
     * @throws IllegalArgumentException if the text declares no method of the source
     */
    String with(String members) {
        for (var line : members.lines().toList()) {
            var declared = name(line.strip(), "");
            for (var method : methods()) {
                if (method.name.endsWith("." + declared)) {
                    var edited = new ArrayList<>(lines.subList(0, method.from));
                    members.stripIndent().lines().forEach(text -> edited.add(MEMBER + text));
                    edited.addAll(lines.subList(method.to, lines.size()));
                    return String.join("\n", edited) + "\n";
                }
            }
        }
        throw new IllegalArgumentException(
                "the repair declares no method of the service: keep the header of one of " + names());
    }
}
