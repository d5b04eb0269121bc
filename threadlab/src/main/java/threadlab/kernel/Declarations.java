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
import jdk.jshell.ImportSnippet;
import jdk.jshell.JShell;
import jdk.jshell.MethodSnippet;
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

    /** What is to be said when the cell ends, unless the snippet is valid then; of several names together. */
    private record Change(Snippet unlessValid, String what, String again) {}

    /** By the name of a declaration. */
    private final Map<String, Change> changed = new LinkedHashMap<>();

    private final Set<DeclarationSnippet> unresolved = new LinkedHashSet<>();
    /** What is to be said of imports. */
    private final List<String> imports = new ArrayList<>();

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
        imports.clear();
        unresolved.clear();
    }

    /** What an initializer that has not ended well has left of its variable, or nothing. */
    String left(Snippet snippet, String why) {
        var name = name(snippet);
        var value = isVariable(snippet) && variables.names().contains(name) ? variables.valueOf(name) : "";
        return value == null || value instanceof Number || value instanceof Boolean || value instanceof Character
                ? "%s is %s because its initializer %s: run the cell again.".formatted(name, value, why)
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
            boolean replaced =
                    event.previousStatus().isActive() && event.status().isActive() && event.isSignatureChange();
            if (replaced && snippet instanceof TypeDeclSnippet type) {
                types.add(type.name());
            } else if (replaced && snippet instanceof MethodSnippet method) {
                keepers(method.name());
            }
        }
        for (var event : events) {
            if (event.causeSnippet() == null && event.snippet() instanceof TypeDeclSnippet type) {
                shell.imports().filter(one -> clash(one, type.name())).toList().forEach(one -> {
                    shell.drop(one);
                    imports.add("%s is no longer imported, because this cell declares %s."
                            .formatted(one.fullname(), type.name()));
                });
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
                    say(null, variable.name(), "was reset because " + cause + " changed: ");
                });
    }

    /** Lambdas that were made before a method was declared anew: JShell does not know that they use it. */
    private void keepers(String method) {
        var uses = Pattern.compile("\\b" + method + "\\s*\\(|::\\s*" + method + "\\b");
        shell.variables()
                .filter(variable -> variables.names().contains(variable.name()))
                .filter(variable ->
                        uses.matcher(variable.source()).find() && isOldCode(variables.valueOf(variable.name())))
                .forEach(variable -> say(null, variable.name(), "still runs the earlier " + method + ": "));
    }

    /** Whether an import of one class has the name of a class that a cell declares. */
    boolean clashes(ImportSnippet single) {
        return shell.types().anyMatch(type -> clash(single, type.name()));
    }

    private static boolean clash(ImportSnippet single, String name) {
        return single.subKind() == SubKind.SINGLE_TYPE_IMPORT_SUBKIND
                && single.name().equals(name);
    }

    private static boolean isVariable(Snippet snippet) {
        return snippet instanceof VarSnippet && snippet.subKind() != SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
    }

    /** JShell forgets a declaration whose new version does not compile. */
    private void restore(Snippet old) {
        if (isVariable(old) && variables.names().contains(name(old))) {
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
            boolean gone = variables.names().contains(name) && !event.status().isDefined();
            if (gone && !variables.declareAgain((VarSnippet) snippet)) {
                say(null, name, "is gone because " + cause + " changed: ");
            }
        } else if (event.previousStatus() == Status.VALID && event.status() != Status.VALID) {
            var why = reason(snippet).isEmpty() ? "" : " (" + reason(snippet) + ")";
            say(snippet, name, "can no longer be used because " + cause + " changed" + why + ": correct it and ");
        } else if (event.status() == Status.VALID) {
            changed.remove(name);
        }
    }

    /** The compiler's first word on a snippet. */
    private String reason(Snippet snippet) {
        return shell.diagnostics(snippet)
                .filter(Diag::isError)
                .flatMap(one -> one.getMessage(Locale.ENGLISH).lines().limit(1))
                .findFirst()
                .orElse("");
    }

    /** Says at the end of the cell what became of a declaration, and which cell to run. */
    private void say(Snippet unlessValid, String name, String what) {
        var again = cells.containsKey(name) ? "run cell [%d] again".formatted(cells.get(name)) : "run its cell again";
        changed.put(name, new Change(unlessValid, what, again));
    }

    /** Whether a value is a lambda or an object of a class that a cell declares without a name. */
    private static boolean isOldCode(Object value) {
        var type = value == null ? "" : value.getClass().getName();
        return type.startsWith("REPL.") && (type.contains("$$Lambda") || type.matches(".*\\$\\d+"));
    }

    private static String name(Snippet snippet) {
        return switch (snippet) {
            case DeclarationSnippet declared -> declared.name();
            case ImportSnippet _ -> "an import";
            default -> snippet.source().strip();
        };
    }

    /** What the cell has changed, if it is still so at its end. */
    List<String> said() {
        var together = new LinkedHashMap<String, List<String>>();
        changed.forEach((name, change) -> {
            if (change.unlessValid == null || shell.status(change.unlessValid) != Status.VALID) {
                together.computeIfAbsent(change.what + change.again + ".", _ -> new ArrayList<>())
                        .add(name);
            }
        });
        var lines = new ArrayList<>(imports);
        together.forEach((what, names) -> {
            var plural = what.replaceFirst("^was", "were")
                    .replaceFirst("^is", "are")
                    .replaceFirst("^still runs", "still run");
            var verb = names.size() == 1 ? what : plural;
            lines.add(String.join(", ", names) + " " + verb);
        });
        for (var declared : unresolved) {
            var status = shell.status(declared);
            if (status == Status.RECOVERABLE_NOT_DEFINED || status == Status.RECOVERABLE_DEFINED) {
                var unknown = shell.unresolvedDependencies(declared).sorted().collect(Collectors.joining(", "));
                lines.add(declared.name() + " cannot be used"
                        + (unknown.isEmpty() ? " yet." : " until this is declared: " + unknown));
            }
        }
        return lines;
    }
}
