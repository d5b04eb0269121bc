package threadlab.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.Snippet.Status;
import jdk.jshell.Snippet.SubKind;
import jdk.jshell.SnippetEvent;
import jdk.jshell.TypeDeclSnippet;
import jdk.jshell.VarSnippet;

/**
 * What a snippet does to the declarations before it. JShell drops, resets or disables some of them without a word; here
 * they are restored where that is possible, and named at the end of the cell where it is not.
 */
final class Declarations {

    /** By the name of a declaration, the cell that made it. */
    private final Map<String, Integer> cells = new HashMap<>();

    /** What is to be said of a declaration when the cell ends, unless that is valid then. */
    private record Change(Snippet snippet, String text) {}

    /** By the name of a declaration. */
    private final Map<String, Change> changed = new LinkedHashMap<>();

    private final Set<DeclarationSnippet> unresolved = new LinkedHashSet<>();
    private final Variables variables;
    private final Map<String, CellErrors.Place> places;
    private JShell shell;
    private int cell;

    Declarations(Variables variables, Map<String, CellErrors.Place> places) {
        this.variables = variables;
        this.places = places;
    }

    void use(JShell shell) {
        this.shell = shell;
    }

    /** By the name of a declaration, the number of the cell that made it. */
    Map<String, Integer> cells() {
        return cells;
    }

    /** A cell begins. */
    void begin(int count) {
        cell = count;
        changed.clear();
        unresolved.clear();
    }

    /** What a failed initializer has left of its variable, or nothing. */
    String left(Snippet snippet) {
        var name = name(snippet);
        var value = isVariable(snippet) && variables.names().contains(name) ? variables.valueOf(name) : "";
        return value == null || value instanceof Number || value instanceof Boolean || value instanceof Character
                ? "%s is %s because its initializer failed: correct it and run the cell again.".formatted(name, value)
                : "";
    }

    /** Takes note of what the evaluation of one snippet has done. */
    void account(List<SnippetEvent> events) {
        var types = new TreeSet<String>();
        var fresh = new TreeSet<String>();
        for (var event : events) {
            var snippet = event.snippet();
            if (event.causeSnippet() == null && event.status().isActive()) {
                changed.remove(name(snippet));
                cells.put(name(snippet), cell); // the kernel's own have the number 0
                fresh.add(name(snippet));
                if (event.status() != Status.VALID && snippet instanceof DeclarationSnippet declared) {
                    unresolved.add(declared);
                }
            }
            if (event.causeSnippet() == null && event.status().isDefined() && isVariable(snippet)) {
                variables.declared((VarSnippet) snippet);
            }
            boolean known = event.previousStatus().isActive() && event.status().isActive();
            if (snippet instanceof TypeDeclSnippet type && known && event.isSignatureChange()) {
                types.add(type.name());
            }
        }
        if (events.size() == 1) {
            return; // nothing else has changed
        }
        boolean rejected = events.getFirst().status() == Status.REJECTED;
        var cause = name(events.getFirst().snippet());
        for (var event : events) {
            if (event.status() == Status.OVERWRITTEN && rejected) {
                restore(event.snippet());
            } else if (event.causeSnippet() != null && event.status() != Status.OVERWRITTEN) {
                dependent(event, cause);
            }
        }
        var old = Pattern.compile("\\b(?:" + String.join("|", types) + ")\\b");
        shell.variables()
                .filter(variable ->
                        !fresh.contains(variable.name()) && variables.names().contains(variable.name()))
                .filter(variable -> variables.hasLost(variable.name())
                        || !types.isEmpty()
                                && old.matcher(variable.typeName()).find()
                                && variables.valueOf(variable.name()) != null)
                .toList()
                .forEach(variable -> {
                    variables.clear(variable.name());
                    say(null, variable.name(), "was reset because %s changed: %s.", cause);
                });
    }

    private static boolean isVariable(Snippet snippet) {
        return snippet instanceof VarSnippet && snippet.subKind() != SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
    }

    /** JShell forgets a declaration whose new version does not compile. */
    private void restore(Snippet old) {
        if (isVariable(old)) {
            variables.declareAgain((VarSnippet) old);
        } else {
            var place = places.get(old.id());
            shell.eval(old.source())
                    .forEach(event -> places.putIfAbsent(event.snippet().id(), place));
        }
    }

    /** A declaration that JShell has compiled again because another has changed. */
    private void dependent(SnippetEvent event, String cause) {
        var snippet = event.snippet();
        var name = name(snippet);
        if (isVariable(snippet)) {
            boolean gone = event.previousStatus().isDefined() && !event.status().isDefined();
            if (gone && !variables.declareAgain((VarSnippet) snippet)) {
                say(null, name, "is gone because %s changed: %s.", cause);
            } else if (variables.names().contains(name) && isOldCode(variables.valueOf(name))) {
                say(null, name, "still runs the earlier %s: %s.", cause);
            }
        } else if (event.previousStatus() == Status.VALID && event.status() != Status.VALID) {
            var why = shell.diagnostics(snippet)
                    .filter(Diag::isError)
                    .map(one ->
                            one.getMessage(Locale.ENGLISH).lines().findFirst().orElse("") + "; ")
                    .findFirst()
                    .orElse("");
            say(
                    snippet,
                    name,
                    "can no longer be used because %s changed: " + why.replace("%", "%%") + "correct it and %s.",
                    cause);
        } else if (event.status() == Status.VALID) {
            changed.remove(name);
        }
    }

    /** Says at the end of the cell what became of a declaration, and which cell to run. */
    private void say(Snippet unlessValid, String name, String what, String cause) {
        var again = cells.containsKey(name) ? "run cell [%d] again".formatted(cells.get(name)) : "run its cell again";
        changed.put(name, new Change(unlessValid, name + " " + what.formatted(cause, again)));
    }

    /** Whether a value is a lambda or an object of a class that a cell declares without a name. */
    private static boolean isOldCode(Object value) {
        var type = value == null ? "" : value.getClass().getName();
        return type.startsWith("REPL.") && (type.contains("$$Lambda") || type.matches(".*\\$\\d+"));
    }

    private static String name(Snippet snippet) {
        return snippet instanceof DeclarationSnippet declared
                ? declared.name()
                : snippet.source().strip();
    }

    /** What the cell has changed, if it is still so at its end. */
    List<String> said() {
        var lines = new ArrayList<String>();
        for (var change : changed.values()) {
            if (change.snippet == null || shell.status(change.snippet) != Status.VALID) {
                lines.add(change.text);
            }
        }
        for (var declared : unresolved) {
            var status = shell.status(declared);
            if (status == Status.RECOVERABLE_NOT_DEFINED || status == Status.RECOVERABLE_DEFINED) {
                var unknown = shell.unresolvedDependencies(declared).sorted().collect(Collectors.joining(", "));
                if (!unknown.isEmpty()) {
                    lines.add("%s cannot be used until this is declared: %s".formatted(declared.name(), unknown));
                }
            }
        }
        return lines;
    }
}
