package threadlab.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
import threadlab.cells.Imports;
import threadlab.cells.OldCode;

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
    /** What is to be said beside that. */
    private final List<String> lines = new ArrayList<>();

    private final Set<String> hidden = new HashSet<>();

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
        lines.clear();
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

    /** Something else that is to be said when the cell ends. */
    void note(String line) {
        lines.add(line);
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
                var uses = "\\b%1$s\\s*\\(|::\\s*%1$s\\b".formatted(method.name());
                keepers(method.name(), uses, "still runs the earlier ");
            }
        }
        for (var moved : variables.takeMoved()) {
            keepers(moved, "\\b" + Pattern.quote(moved) + "\\b", "still uses the earlier ");
        }
        for (var event : events) {
            if (event.causeSnippet() == null && event.snippet() instanceof TypeDeclSnippet type) {
                hides(type.name());
                shell.imports().filter(one -> clash(one, type.name())).toList().forEach(one -> {
                    shell.drop(one);
                    lines.add("%s is no longer imported, because this cell declares %s."
                            .formatted(one.fullname(), type.name()));
                });
            }
        }
        if (events.size() == 1) {
            return; // nothing else has changed
        }
        boolean rejected = events.getFirst().status() == Status.REJECTED;
        // JShell has dropped what it then refuses; declared again, it is another class
        var cause = name(events.getFirst().snippet()) + (rejected ? " was refused, and made anew" : " changed");
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
                    say(null, variable.name(), "was reset because " + cause + ": ");
                });
        types.forEach(type -> keepers(type, "\\b" + type + "\\b", "still uses the earlier "));
    }

    /** Lambdas that were made before what they use was declared anew: JShell does not know of them. */
    private void keepers(String name, String pattern, String what) {
        var uses = Pattern.compile(pattern);
        shell.variables()
                .filter(variable -> variables.names().contains(variable.name()))
                .filter(variable -> !variable.name().equals(name)
                        && cells.getOrDefault(variable.name(), 0) != cell
                        && uses.matcher(variable.source()).find()
                        && OldCode.is(variables.valueOf(variable.name())))
                .forEach(variable -> say(null, variable.name(), what + name + ": "));
    }

    /** Says that a class of every cell means another one from now on. */
    private void hides(String name) {
        if (!hidden.add(name)) {
            return;
        }
        Stream.concat(
                        Stream.of("java.lang."),
                        shell.imports()
                                .map(ImportSnippet::fullname)
                                .filter(full -> full.endsWith(".*"))
                                .map(full -> full.replace("*", "")))
                .map(in -> in + name)
                .filter(full -> Imports.isPublic(full, getClass().getClassLoader()))
                .findFirst()
                .ifPresent(full -> lines.add(
                        "%s is the class of this cell from now on: write %s for the other one.".formatted(name, full)));
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

    /** Code was loaded that assigns a final variable. */
    void assigned(String variable) {
        lines.add(variable + " was declared final, and this code assigns it all the same: JShell drops the modifier.");
    }

    /** Drops the variables that a type or method has made, with which the compiler cannot take its new version. */
    void letGo(String name) {
        var uses = Pattern.compile("\\b" + name + "\\b");
        shell.variables()
                .filter(variable ->
                        uses.matcher(variable.source() + variable.typeName()).find())
                .toList()
                .forEach(variable -> {
                    shell.drop(variable);
                    variables.forget(variable.name());
                    say(null, variable.name(), "is gone because " + name + " changed: ");
                });
    }

    /** Evaluates a snippet; where the compiler fails on a method that used what it replaces, without that method. */
    List<SnippetEvent> evaluated(String source) {
        try {
            return shell.eval(source);
        } catch (InternalError failed) {
            JShellInternals.freshCompiler(shell);
        }
        var snippets = shell.sourceCodeAnalysis().sourceToSnippets(source);
        var declared = snippets.stream().map(Declarations::name).toList();
        var uses = Pattern.compile(declared.stream().map(Pattern::quote).collect(Collectors.joining("|")));
        var methods = shell.methods()
                .filter(method -> !declared.contains(method.name())
                        && uses.matcher(method.source()).find())
                .toList();
        methods.forEach(shell::drop);
        var events = shell.eval(source);
        for (var method : methods) {
            try {
                restore(method);
            } catch (InternalError failed) {
                JShellInternals.freshCompiler(shell);
            }
            if (shell.methods()
                    .noneMatch(one -> one.source().equals(method.source()) && shell.status(one) == Status.VALID)) {
                say(null, method.name(), "cannot be used because " + declared.getFirst() + " changed: correct it and ");
            }
        }
        return events;
    }

    /** Takes back a declaration at which the compiler has failed; says what is there instead. */
    String back(Snippet failed, List<SnippetEvent> events) {
        shell.drop(failed);
        var old = events.stream()
                .filter(event -> event.status() == Status.OVERWRITTEN)
                .map(SnippetEvent::snippet)
                .toList();
        old.forEach(this::restore);
        return old.isEmpty() ? "" : name(failed) + " stays as it was before. ";
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
                say(null, name, (cause.endsWith("anew") ? "was reset because " : "is gone because ") + cause + ": ");
            }
        } else if (event.previousStatus() == Status.VALID && event.status() != Status.VALID) {
            var why = reason(snippet).isEmpty() ? "" : " (" + reason(snippet) + ")";
            say(snippet, name, "can no longer be used because " + cause + why + ": correct it and ");
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
        var said = new ArrayList<>(lines);
        together.forEach((what, names) -> {
            var plural = what.replaceFirst("^was", "were")
                    .replaceFirst("^is", "are")
                    .replaceFirst("^still (run|use)s", "still $1");
            var verb = names.size() == 1 ? what : plural;
            said.add(String.join(", ", names) + " " + verb);
        });
        for (var declared : unresolved) {
            var status = shell.status(declared);
            if (status == Status.RECOVERABLE_NOT_DEFINED || status == Status.RECOVERABLE_DEFINED) {
                var unknown = shell.unresolvedDependencies(declared).sorted().collect(Collectors.joining(", "));
                said.add(declared.name() + " cannot be used"
                        + (unknown.isEmpty() ? " yet." : " until this is declared: " + unknown));
            }
        }
        return said;
    }
}
