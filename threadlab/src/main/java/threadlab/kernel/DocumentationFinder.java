package threadlab.kernel;

import java.io.IOException;
import java.lang.reflect.InaccessibleObjectException;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Documentation;

/**
 * Finds the documentation at a cursor: that of a class, or of each method to which a call may refer. JShell has it if
 * the text ends in the right place.
 */
final class DocumentationFinder {

    private static final String SOURCES = "META-INF/sources";

    /** A line for the kernel, such as {@code %libraries servers}, which is not Java. */
    private static final Pattern MAGIC = Pattern.compile("^[ \\t]*%.*", Pattern.MULTILINE);

    /** A literal, finished or not. */
    private static final Pattern STRING =
            Pattern.compile("\"{3}[\\s\\S]*?\"{3}|\"(?:\\\\.|[^\"\\\\\\n])*(?:\"|$)", Pattern.MULTILINE);

    private static final Pattern IMPORT = Pattern.compile("^\\s*import\\s+(?:static\\s+)?");
    private static final Pattern METHOD_REFERENCE = Pattern.compile("::(\\w+)$");
    private static final Pattern NAME_WITH_DOTS = Pattern.compile("[\\w.]+$");
    private static final Pattern CALL = Pattern.compile("\\s*\\(");
    private static final Set<Snippet.Kind> DECLARATIONS =
            Set.of(Snippet.Kind.VAR, Snippet.Kind.METHOD, Snippet.Kind.TYPE_DECL);

    private final SourceCodeAnalysis analysis;

    DocumentationFinder(JShell shell) {
        analysis = shell.sourceCodeAnalysis();
        addSources();
    }

    /** The sources that Maven has put into threadlab's jar. */
    private void addSources() {
        try {
            var jar = Libraries.threadlab();
            var sources = Files.isDirectory(jar)
                    ? jar.resolve(SOURCES)
                    : FileSystems.newFileSystem(jar).getPath("/" + SOURCES);
            JShellInternals.addSources(analysis, sources);
        } catch (ReflectiveOperationException | InaccessibleObjectException | IOException | URISyntaxException e) {
            System.getLogger(DocumentationFinder.class.getName())
                    .log(System.Logger.Level.WARNING, "no sources of threadlab", e);
        }
    }

    /**
     * Finds what is documented at a place in a cell.
     *
     * @param cursor index of the character after the cursor
     * @return the signature of each method or class, and its comment if there is one
     */
    List<Documentation> at(String cell, int cursor) {
        var code =
                MAGIC.matcher(cell).replaceAll(line -> " ".repeat(line.group().length()));
        int place = outsideStrings(code, cursor);
        boolean afterName = isName(code, place - 1);
        var found = afterName ? List.<Documentation>of() : ask(head(code, afterCall(code, place)));
        return found.isEmpty() && (afterName || isName(code, place)) ? ofName(code, place) : found;
    }

    private static boolean isName(String code, int at) {
        return at >= 0 && at < code.length() && Character.isJavaIdentifierPart(code.charAt(at));
    }

    private List<Documentation> ofName(String code, int cursor) {
        int end = cursor;
        while (isName(code, end)) {
            end++;
        }
        var head = head(code, end);
        var reference = METHOD_REFERENCE.matcher(head);
        boolean called = reference.find()
                || CALL.matcher(code).region(end, code.length()).lookingAt();
        // JShell finds a method at its parenthesis
        var call = reference.replaceFirst(".$1") + "(";
        var alone = NAME_WITH_DOTS.matcher(head);
        var texts = List.of(called ? call : head, called ? head : call, alone.find() ? alone.group() : "");
        return texts.stream()
                .map(this::ask)
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    private List<Documentation> ask(String text) {
        return text.isBlank() ? List.of() : analysis.documentation(text, text.length(), true);
    }

    /** A cursor in a string is moved to the call that takes the string. */
    private static int outsideStrings(String code, int cursor) {
        return STRING.matcher(code)
                .results()
                .filter(string -> string.start() < cursor && cursor < string.end())
                .findFirst()
                .map(MatchResult::start)
                .orElse(cursor);
    }

    /** After a complete call, the place of its first argument. */
    private static int afterCall(String code, int cursor) {
        if (cursor == 0 || code.charAt(cursor - 1) != ')') {
            return cursor;
        }
        var plain = STRING.matcher(code)
                .replaceAll(string -> "_".repeat(string.group().length()));
        int open = 0;
        for (int at = cursor - 1; at >= 0; at--) {
            open += plain.charAt(at) == ')' ? 1 : plain.charAt(at) == '(' ? -1 : 0;
            if (open == 0) {
                return at + 1;
            }
        }
        return cursor;
    }

    /**
     * What JShell must see: the declarations of the cell before a place, then the snippet around it, up to the place.
     */
    private String head(String code, int end) {
        var declared = new StringBuilder();
        int start = 0;
        while (true) {
            var first = analysis.analyzeCompletion(code.substring(start));
            int next = code.length() - first.remaining().length();
            if (!first.completeness().isComplete() || next >= end || next <= start) {
                return declared + IMPORT.matcher(code.substring(start, end)).replaceFirst("");
            }
            analysis.sourceToSnippets(first.source()).stream()
                    .filter(snippet -> DECLARATIONS.contains(snippet.kind()))
                    .forEach(snippet -> declared.append(snippet.source()).append('\n'));
            start = next;
        }
    }
}
