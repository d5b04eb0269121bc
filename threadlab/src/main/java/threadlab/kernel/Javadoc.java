package threadlab.kernel;

import com.sun.source.doctree.AttributeTree;
import com.sun.source.doctree.DeprecatedTree;
import com.sun.source.doctree.DocCommentTree;
import com.sun.source.doctree.DocTree;
import com.sun.source.doctree.EndElementTree;
import com.sun.source.doctree.EntityTree;
import com.sun.source.doctree.ErroneousTree;
import com.sun.source.doctree.EscapeTree;
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
import com.sun.source.util.SimpleDocTreeVisitor;
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
final class Javadoc extends SimpleDocTreeVisitor<String, Void> {

    private static final Map<DocTree.Kind, String> HEADINGS = Map.of(
            DocTree.Kind.PARAM, "Parameters",
            DocTree.Kind.RETURN, "Returns",
            DocTree.Kind.THROWS, "Throws",
            DocTree.Kind.EXCEPTION, "Throws",
            DocTree.Kind.SEE, "See also",
            DocTree.Kind.SINCE, "Since",
            DocTree.Kind.DEPRECATED, "Deprecated");

    /** Those with many entries. */
    private static final Set<String> LISTED = Set.of("Parameters", "Throws", "See also");

    private static final Map<String, String> HEADINGS_OF_THE_JDK =
            Map.of("apiNote", "API note", "implSpec", "Implementation", "implNote", "Implementation note");

    private static final Pattern PACKAGES = Pattern.compile("\\b(?:[a-z]\\w*\\.)+(?=[A-Z])");

    private Javadoc() {}

    /** The comment without its stars, as JShell gives it. */
    static String html(String comment) {
        return new Javadoc().whole(parsed(comment));
    }

    /** The compiler's own reader of comments; it takes them from a page, too. */
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

    private String whole(DocCommentTree comment) {
        var html = new StringBuilder("<p>" + all(comment.getFullBody()));
        var last = "";
        for (var tag : comment.getBlockTags()) {
            var heading = heading(tag);
            var text = visit(tag, null).strip();
            if (heading.isEmpty() || text.isEmpty()) {
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

    private static String heading(DocTree tag) {
        return tag instanceof UnknownBlockTagTree unknown
                ? HEADINGS_OF_THE_JDK.getOrDefault(unknown.getTagName(), "")
                : HEADINGS.getOrDefault(tag.getKind(), "");
    }

    private String all(List<? extends DocTree> trees) {
        return trees.stream().map(tree -> visit(tree, null)).collect(Collectors.joining());
    }

    private static String code(String text) {
        return "<code>" + Html.escape(text) + "</code>";
    }

    private static String described(String code, String text) {
        return text.isBlank() ? code : code + " – " + text;
    }

    /** What is not named below is left out, such as the author. */
    @Override
    protected String defaultAction(DocTree tree, Void none) {
        return "";
    }

    @Override
    public String visitText(TextTree text, Void none) {
        return Html.escape(text.getBody());
    }

    @Override
    public String visitEntity(EntityTree entity, Void none) {
        return entity.toString();
    }

    @Override
    public String visitEscape(EscapeTree escape, Void none) {
        return Html.escape(escape.getBody());
    }

    @Override
    public String visitErroneous(ErroneousTree text, Void none) {
        return Html.escape(text.getBody());
    }

    /** Without links to pages that are not here. */
    @Override
    public String visitStartElement(StartElementTree element, Void none) {
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

    @Override
    public String visitEndElement(EndElementTree element, Void none) {
        return "</" + element.getName() + ">";
    }

    @Override
    public String visitLiteral(LiteralTree literal, Void none) {
        var text = literal.getBody().getBody();
        return literal.getKind() == DocTree.Kind.CODE ? code(text) : Html.escape(text);
    }

    @Override
    public String visitSnippet(SnippetTree snippet, Void none) {
        return snippet.getBody() == null
                ? ""
                : "<pre>"
                        + Html.escape(snippet.getBody().getBody().stripIndent().strip()) + "</pre>";
    }

    @Override
    public String visitLink(LinkTree link, Void none) {
        var label = all(link.getLabel());
        var shown = label.isBlank() ? visit(link.getReference(), none) : label;
        return link.getKind() == DocTree.Kind.LINK_PLAIN || shown.startsWith("<code>")
                ? shown
                : "<code>" + shown + "</code>";
    }

    @Override
    public String visitReference(ReferenceTree reference, Void none) {
        var name = PACKAGES.matcher(reference.getSignature()).replaceAll("");
        return code(name.replaceFirst("^#", "").replace('#', '.'));
    }

    @Override
    public String visitValue(ValueTree value, Void none) {
        var reference = value.getReference();
        if (reference == null) {
            return "";
        }
        var constant = reference.getSignature().split("#");
        try {
            return String.valueOf(
                    Class.forName(constant[0]).getField(constant[1]).get(null));
        } catch (ReflectiveOperationException | ArrayIndexOutOfBoundsException e) {
            // only a public constant of a class that is named with its package can be looked up
            return visit(reference, none);
        }
    }

    @Override
    public String visitIndex(IndexTree index, Void none) {
        return visit(index.getSearchTerm(), none);
    }

    @Override
    public String visitSystemProperty(SystemPropertyTree property, Void none) {
        return code(property.getPropertyName().toString());
    }

    @Override
    public String visitParam(ParamTree param, Void none) {
        var name = param.getName().toString();
        return described(code(param.isTypeParameter() ? "<" + name + ">" : name), all(param.getDescription()));
    }

    @Override
    public String visitReturn(ReturnTree result, Void none) {
        return result.isInline() ? "Returns " + all(result.getDescription()) + "." : all(result.getDescription());
    }

    @Override
    public String visitThrows(ThrowsTree failure, Void none) {
        return described(visit(failure.getExceptionName(), none), all(failure.getDescription()));
    }

    @Override
    public String visitSee(SeeTree see, Void none) {
        var reference = see.getReference();
        return reference.size() > 1 && reference.getFirst() instanceof ReferenceTree
                ? all(reference.subList(1, reference.size()))
                : all(reference);
    }

    @Override
    public String visitSince(SinceTree since, Void none) {
        return all(since.getBody());
    }

    @Override
    public String visitDeprecated(DeprecatedTree deprecated, Void none) {
        return all(deprecated.getBody());
    }

    @Override
    public String visitUnknownBlockTag(UnknownBlockTagTree tag, Void none) {
        return all(tag.getContent());
    }
}
