package threadlab.kernel;

import com.sun.source.doctree.AttributeTree;
import com.sun.source.doctree.BlockTagTree;
import com.sun.source.doctree.DeprecatedTree;
import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.EndElementTree;
import com.sun.source.doctree.EntityTree;
import com.sun.source.doctree.IndexTree;
import com.sun.source.doctree.LinkTree;
import com.sun.source.doctree.LiteralTree;
import com.sun.source.doctree.ParamTree;
import com.sun.source.doctree.ReferenceTree;
import com.sun.source.doctree.ReturnTree;
import com.sun.source.doctree.SeeTree;
import com.sun.source.doctree.SinceTree;
import com.sun.source.doctree.SnippetTree;
import com.sun.source.doctree.StartElementTree;
import com.sun.source.doctree.SystemPropertyTree;
import com.sun.source.doctree.TextTree;
import com.sun.source.doctree.ThrowsTree;
import com.sun.source.doctree.UnknownBlockTagTree;
import com.sun.source.doctree.ValueTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Writes the text of a documentation comment as HTML: its tags become words, lists and code. */
final class Javadoc {

    private static final Map<String, String> HEADINGS = Map.ofEntries(
            Map.entry("param", "Parameters"),
            Map.entry("return", "Returns"),
            Map.entry("throws", "Throws"),
            Map.entry("exception", "Throws"),
            Map.entry("see", "See also"),
            Map.entry("since", "Since"),
            Map.entry("deprecated", "Deprecated"),
            Map.entry("apiNote", "API note"),
            Map.entry("implSpec", "Implementation"),
            Map.entry("implNote", "Implementation note"));

    /** The headings that may have many entries. */
    private static final Set<String> LISTED = Set.of("Parameters", "Throws", "See also");

    private static final Pattern PACKAGES = Pattern.compile("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])");

    private Javadoc() {}

    /** Writes a comment without its stars, as JShell gives it. */
    static String html(String comment) {
        var tree = parsed(comment);
        var html = new StringBuilder("<p>" + all(tree.getFullBody()));
        var last = "";
        for (var tag : tree.getBlockTags()) {
            var heading = HEADINGS.get(((BlockTagTree) tag).getTagName());
            var text = html(tag).strip();
            if (heading == null || text.isEmpty()) {
                continue;
            }
            if (!LISTED.contains(heading)) {
                html.append("<p><strong>%s:</strong> %s".formatted(heading, text));
            } else {
                html.append(heading.equals(last) ? "" : "<p><strong>%s</strong>".formatted(heading))
                        .append("<ul><li>%s</li></ul>".formatted(text));
            }
            last = heading;
        }
        return html.toString().replace("</ul><ul>", "");
    }

    /** Uses the compiler's own parser of comments, which also accepts them as a page. */
    private static DocCommentTree parsed(String comment) {
        var page = new SimpleJavaFileObject(URI.create("comment:///package.html"), JavaFileObject.Kind.HTML) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return "<body>" + comment + "</body>";
            }
        };
        var task = ToolProvider.getSystemJavaCompiler().getTask(null, null, _ -> {}, null, null, null);
        return DocTrees.instance((JavacTask) task).getDocCommentTree(page);
    }

    private static String all(List<? extends DocTree> trees) {
        return trees.stream().map(Javadoc::html).collect(Collectors.joining());
    }

    /** Tags that are not named here, such as the author, are left out. */
    private static String html(DocTree tree) {
        return switch (tree) {
            case EntityTree entity -> entity.toString();
            // also covers EscapeTree and ErroneousTree
            case TextTree text -> Html.escape(text.getBody());
            case StartElementTree element -> start(element);
            case EndElementTree element -> "</" + element.getName() + ">";
            case LiteralTree literal
            when literal.getKind() == DocTree.Kind.CODE ->
                code(literal.getBody().getBody());
            case LiteralTree literal -> Html.escape(literal.getBody().getBody());
            case SnippetTree snippet
            when snippet.getBody() != null ->
                "<pre>" + Html.escape(snippet.getBody().getBody().stripIndent().strip()) + "</pre>";
            case LinkTree link -> link(link);
            case ReferenceTree reference -> reference(reference);
            case ValueTree value when value.getReference() != null -> value(value);
            case IndexTree index -> html(index.getSearchTerm());
            case SystemPropertyTree property -> code(property.getPropertyName().toString());
            case ParamTree param -> {
                var name = param.getName().toString();
                yield described(code(param.isTypeParameter() ? "<" + name + ">" : name), param.getDescription());
            }
            case ReturnTree result when result.isInline() -> "Returns " + all(result.getDescription()) + ".";
            case ReturnTree result -> all(result.getDescription());
            case ThrowsTree failure -> described(html(failure.getExceptionName()), failure.getDescription());
            case SeeTree see -> {
                var parts = see.getReference();
                boolean named = parts.size() > 1 && parts.getFirst() instanceof ReferenceTree;
                yield all(named ? parts.subList(1, parts.size()) : parts);
            }
            case SinceTree since -> all(since.getBody());
            case DeprecatedTree deprecated -> all(deprecated.getBody());
            case UnknownBlockTagTree tag -> all(tag.getContent());
            default -> "";
        };
    }

    /** The element, but not a link to a page that does not exist here. */
    private static String start(StartElementTree element) {
        if (!element.getName().contentEquals("a")) {
            return "<" + element.getName() + (element.isSelfClosing() ? "/>" : ">");
        }
        return element.getAttributes().stream()
                .filter(attribute -> attribute instanceof AttributeTree named
                        && named.getName().contentEquals("href")
                        && named.getValue() != null
                        && all(named.getValue()).startsWith("http"))
                .map(attribute -> "<a " + attribute + ">")
                .findFirst()
                .orElse("<a>");
    }

    private static String link(LinkTree link) {
        var label = all(link.getLabel());
        var shown = label.isBlank() ? html(link.getReference()) : label;
        return link.getKind() == DocTree.Kind.LINK_PLAIN || shown.startsWith("<code>")
                ? shown
                : "<code>" + shown + "</code>";
    }

    private static String reference(ReferenceTree reference) {
        var name = PACKAGES.matcher(reference.getSignature()).replaceAll("");
        return code(name.replaceFirst("^#", "").replace('#', '.'));
    }

    /** The value of a constant whose class is named with its package, in the given format. */
    private static String value(ValueTree tree) {
        var constant = tree.getReference().getSignature().split("#");
        try {
            var field = Class.forName(constant[0]).getDeclaredField(constant[1]);
            field.setAccessible(true);
            var format = tree.getFormat() == null ? "%s" : tree.getFormat().getBody();
            return Html.escape(format.formatted(field.get(null)));
        } catch (ReflectiveOperationException | ArrayIndexOutOfBoundsException e) {
            return html(tree.getReference());
        }
    }

    private static String code(String text) {
        return "<code>" + Html.escape(text) + "</code>";
    }

    private static String described(String code, List<? extends DocTree> description) {
        var text = all(description);
        return text.isBlank() ? code : code + " – " + text;
    }
}
