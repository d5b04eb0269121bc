package threadlab.kernel;

import java.util.function.Consumer;
import java.util.stream.Collectors;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;

/**
 * Reports unknown names in a declaration. JShell accepts such a class or method, because the name may be declared
 * later, and the kernel says nothing: a reader who mistyped a name would learn only in the next cell that the class
 * does not exist.
 */
final class Unresolved implements Consumer<SnippetEvent> {

    private final JShell shell;

    Unresolved(JShell shell) {
        this.shell = shell;
    }

    @Override
    public void accept(SnippetEvent event) {
        var recoverable = event.status() == Snippet.Status.RECOVERABLE_NOT_DEFINED
                || event.status() == Snippet.Status.RECOVERABLE_DEFINED;
        // an event with a cause reports how another snippet has changed this one
        if (recoverable && event.causeSnippet() == null && event.snippet() instanceof DeclarationSnippet declared) {
            var unknown = shell.unresolvedDependencies(declared).sorted().collect(Collectors.joining(", "));
            System.out.println("%s cannot be used until this is declared: %s".formatted(declared.name(), unknown));
        }
    }
}
