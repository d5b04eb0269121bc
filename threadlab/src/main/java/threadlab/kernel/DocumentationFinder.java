package threadlab.kernel;

import java.io.IOException;
import java.lang.reflect.InaccessibleObjectException;
import java.net.URISyntaxException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Documentation;

/**
 * Finds what is documented where a cursor stands: of a class its own documentation, of a call that of each method it may
 * mean. JShell knows that, if the text ends in the right place.
 */
final class DocumentationFinder {

    /** Where Maven puts the sources of threadlab in its jar. */
    private static final String SOURCES = "META-INF/sources";

    /** What is no Java for JShell: a line for the kernel, such as {@code %libraries servers}. */
    private static final Pattern MAGIC = Pattern.compile("^[ \\t]*%.*", Pattern.MULTILINE);

    /** A literal, also one that is not finished. */
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

    /** JShell itself looks for sources in the src.zip of the JDK only; without them it answers with signatures. */
    private void addSources() {
        try {
            var found = analysis.getClass().getDeclaredMethod("findSources");
            var sources = analysis.getClass().getDeclaredField("availableSources");
            found.setAccessible(true);
            sources.setAccessible(true);
            var all = new ArrayList<Object>((List<?>) found.invoke(analysis));
            all.add(threadlab());
            sources.set(analysis, all);
        } catch (ReflectiveOperationException | InaccessibleObjectException | IOException | URISyntaxException e) {
            System.getLogger(DocumentationFinder.class.getName())
                    .log(System.Logger.Level.WARNING, "no sources of threadlab", e);
        }
    }

    private static Path threadlab() throws IOException, URISyntaxException {
        var classes = Path.of(DocumentationFinder.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        return Files.isDirectory(classes)
                ? classes.resolve(SOURCES)
                : FileSystems.newFileSystem(classes).getPath("/" + SOURCES);
    }

    /**
     * What is documented at a place in a cell.
     *
     * @param cursor index of the character that the cursor stands before
     * @return a signature and a comment, or none, for each method or class; nothing where there is nothing to tell
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
        // a method is found by its parenthesis
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

    /** In a string the cursor stands for the call that the string is given to. */
    private static int outsideStrings(String code, int cursor) {
        return STRING.matcher(code)
                .results()
                .filter(string -> string.start() < cursor && cursor < string.end())
                .findFirst()
                .map(MatchResult::start)
                .orElse(cursor);
    }

    /** After a call that is complete, the place of its first argument. */
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
     * The text before a place as far as it matters there: the snippet of the place, after what the cell declares before it.
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
