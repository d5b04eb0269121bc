package threadlab.kernel;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jshell.JShell;
import jdk.jshell.SourceCodeAnalysis.Documentation;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.messages.Message;
import org.dflib.jjava.jupyter.messages.reply.ErrorReply;
import org.dflib.jjava.jupyter.messages.reply.InspectReply;
import org.dflib.jjava.jupyter.messages.request.InspectRequest;

/**
 * Answers Shift-Tab: the signatures of what is at the cursor, each with its documentation. The kernel's own handler
 * finds nothing at the end of a name, and shows the tags of a comment as in the source.
 */
final class Inspection implements ShellHandler<InspectRequest> {

    /** The packages in a signature; a class keeps its own package. */
    private static final Pattern PACKAGES = Pattern.compile("(?<=[^\\w.])(?:[a-z]\\w*\\.)+(?=[A-Z])");

    private static final Pattern COMPONENTS = Pattern.compile("\\([^()]*\\)\\.");

    private final JShell shell;
    private DocumentationFinder finder;

    Inspection(JShell shell) {
        this.shell = shell;
    }

    @Override
    public void handle(ShellReplyEnvironment environment, Message<InspectRequest> message) {
        environment.setBusyDeferIdle();
        try {
            var request = message.getContent();
            var found = find(request.getCode(), request.getCursorPos());
            environment.reply(new InspectReply(!found.isEmpty(), found.isEmpty() ? new DisplayData() : shown(found)));
        } catch (RuntimeException e) {
            environment.replyError(InspectReply.MESSAGE_TYPE.error(), ErrorReply.of(e));
        }
    }

    private List<Documentation> find(String cell, int codePoints) {
        if (finder == null) {
            finder = new DocumentationFinder(shell); // not earlier: a kernel that is never asked does not wait for it
        }
        return finder.at(cell, cell.offsetByCodePoints(0, codePoints));
    }

    private static DisplayData shown(List<Documentation> found) {
        var html = html(found);
        var data = new DisplayData(plain(html));
        data.putHTML(html);
        return data;
    }

    /** The signature without packages and without the components of a method's record. */
    private static String signature(Documentation documented) {
        var signature = PACKAGES.matcher(documented.signature()).replaceAll("");
        return Html.escape(COMPONENTS.matcher(signature).replaceAll("."));
    }

    static String html(List<Documentation> found) {
        var signatures = found.stream()
                .map(Inspection::signature)
                .distinct()
                .collect(Collectors.joining("\n", "<pre>", "</pre>"));
        var commented = found.stream()
                .filter(documented -> documented.javadoc() != null)
                .toList();
        return commented.stream()
                .map(documented -> (found.size() == 1
                                ? ""
                                : "<p><strong><code>%s</code></strong></p>".formatted(signature(documented)))
                        + Javadoc.html(documented.javadoc()))
                .collect(Collectors.joining("<hr>", signatures, ""));
    }

    /** The answer for a page that shows no HTML. */
    static String plain(String html) {
        return html.replaceAll("(?i)<li>", "\n- ")
                .replaceAll("(?i)</?(?:p|div|pre|hr|h\\d|table|blockquote)/?>", "\n\n")
                .replaceAll("(?i)</?(?:ul|ol|dl|dt|dd|br|tr)/?>", "\n")
                .replaceAll("<[^>]*>", "")
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&nbsp;", " ")
                .replace("&amp;", "&")
                .replaceAll("\\n[ \\t]+\\n", "\n\n")
                .replaceAll("\\n{3,}", "\n\n")
                .strip();
    }
}
