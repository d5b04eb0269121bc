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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.SourceCodeAnalysis.Documentation;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.messages.reply.InspectReply;
import org.dflib.jjava.jupyter.messages.request.InspectRequest;
import threadlab.cells.Javadoc;

/**
 * Answers Shift-Tab: the signatures of the class at the cursor, or of the methods to which a call may refer, each with
 * its documentation. The kernel's own handler finds nothing at the end of a name, and shows a comment's tags as written.
 */
final class Inspection {

    private static final String SOURCES = "META-INF/sources";
    /** The packages in a signature, and the components of a method's record; a class keeps its own package. */
    private static final Pattern CLUTTER =
            Pattern.compile("(?<=[^\\w.])(?:[a-z]\\w*\\.)+(?=[A-Z])|\\([^()]*\\)(?=\\.)");
    /** A line for the kernel, such as {@code %libraries servers}, which is not Java. */
    private static final Pattern MAGIC = Pattern.compile("^[ \\t]*%.*", Pattern.MULTILINE);

    /** A string, finished or not. */
    private static final Pattern STRING = Pattern.compile("\"(?:\\\\.|[^\"\\\\\\n])*(?:\"|$)", Pattern.MULTILINE);

    private static final Pattern NAME = Pattern.compile("[\\w.]+$");
    private static final Set<Snippet.Kind> DECLARATIONS =
            Set.of(Snippet.Kind.VAR, Snippet.Kind.METHOD, Snippet.Kind.TYPE_DECL);

    private final JShell shell;
    private SourceCodeAnalysis analysis;

    Inspection(JShell shell) {
        this.shell = shell;
    }

    /** What the page asks for. */
    InspectReply reply(InspectRequest request) {
        var cell = request.getCode();
        var found = at(cell, cell.offsetByCodePoints(0, request.getCursorPos()));
        return new InspectReply(!found.isEmpty(), found.isEmpty() ? new DisplayData() : shown(found));
    }

    /** What is documented at a place in a cell; JShell has it if the text ends in the right place. */
    private List<Documentation> at(String cell, int asked) {
        if (analysis == null) {
            addSources(); // not earlier: a kernel that is never asked does not wait for it
        }
        var code = withoutMagics(cell);
        var strings = STRING.matcher(code).results();
        var around = strings.filter(string -> string.start() < asked && asked < string.end());
        // in a string, the call that takes it
        int cursor = around.findFirst().map(MatchResult::start).orElse(asked);
        int end = cursor;
        while (end < code.length() && Character.isJavaIdentifierPart(code.charAt(end))) {
            end++;
        }
        var before = head(code, cursor);
        var head = head(code, end);
        var name = NAME.matcher(head);
        // JShell finds a method at its parenthesis
        var call = head.replaceFirst("::(\\w+)$", ".$1") + "(";
        boolean called = code.startsWith("(", end) || head.contains("::");
        // between names, the call that encloses the cursor comes first
        var first = NAME.matcher(before).find() ? "" : before;
        var last = name.find() ? name.group() : "";
        var asks = Stream.of(first, called ? call : head, called ? head : call, last)
                .map(this::ask);
        return asks.filter(found -> !found.isEmpty()).findFirst().orElse(List.of());
    }

    /** A cell of which JShell sees the Java only; all else keeps its place. */
    static String withoutMagics(String cell) {
        return MAGIC.matcher(cell).replaceAll(line -> " ".repeat(line.end() - line.start()));
    }

    private List<Documentation> ask(String text) {
        return text.isBlank() ? List.of() : analysis.documentation(text, text.length(), true);
    }

    /** What JShell must see: the declarations of the cell before a place, then the snippet around it, up to the place. */
    private String head(String code, int end) {
        var declared = new StringBuilder();
        int start = 0;
        while (true) {
            var first = analysis.analyzeCompletion(code.substring(start));
            int next = code.length() - first.remaining().length();
            if (!first.completeness().isComplete() || next >= end || next <= start) {
                return declared + code.substring(start, end);
            }
            analysis.sourceToSnippets(first.source()).stream()
                    .filter(snippet -> DECLARATIONS.contains(snippet.kind()))
                    .forEach(snippet -> declared.append(snippet.source()).append('\n'));
            start = next;
        }
    }

    /** Adds the sources that Maven has put into threadlab's jar. */
    private void addSources() {
        analysis = shell.sourceCodeAnalysis();
        try {
            var jar = Libraries.threadlab();
            var root = Files.isDirectory(jar)
                    ? jar
                    : FileSystems.newFileSystem(jar).getPath("/");
            JShellInternals.addSources(analysis, root.resolve(SOURCES));
        } catch (ReflectiveOperationException | InaccessibleObjectException | IOException | URISyntaxException e) {
            System.getLogger(Inspection.class.getName()).log(System.Logger.Level.WARNING, "no sources of threadlab", e);
        }
    }

    private static DisplayData shown(List<Documentation> found) {
        var html = found.stream()
                .map(one -> one.javadoc() == null ? "" : Javadoc.html(one.javadoc()))
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("<hr>", signatures(found), ""));
        var data = new DisplayData(plain(html));
        data.putHTML(html);
        return data;
    }

    private static String signatures(List<Documentation> found) {
        return found.stream()
                .map(one -> CLUTTER.matcher(one.signature()).replaceAll(""))
                .distinct()
                .map(Javadoc::escape)
                .collect(Collectors.joining("\n", "<pre>", "</pre>"));
    }

    /** The answer for a page that shows no HTML. */
    static String plain(String html) {
        return html.replaceAll("(?i)</?(?:p|div|pre|hr|h\\d|li|tr)/?>", "\n\n")
                .replaceAll("<[^>]*>", "")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&#64;", "@")
                .replace("&amp;", "&")
                .replaceAll("\\n\\s*\\n", "\n\n")
                .strip();
    }
}
