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
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.Snippet.Status;
import jdk.jshell.Snippet.SubKind;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis.Completeness;
import jdk.jshell.TypeDeclSnippet;
import jdk.jshell.UnresolvedReferenceException;
import jdk.jshell.VarSnippet;
import jdk.jshell.spi.ExecutionControl;
import jdk.jshell.spi.ExecutionControlProvider;
import jdk.jshell.spi.ExecutionEnv;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.magic.MagicsRegistry;
import org.dflib.jjava.jupyter.telemetry.TelemetryCollector;
import org.dflib.jjava.kernel.execution.CodeEvaluator;
import threadlab.support.CpuShare;

/**
 * Evaluates the text of a cell: finds its statements and its magic lines, gives them to JShell one by one, and keeps
 * account of what that does to the declarations of earlier cells.
 */
final class Evaluator extends CodeEvaluator {

    /** A value of a cell, if it has one; a null is shown only where an expression ends without a semicolon. */
    record Result(Object value, boolean shown) {

        static final Result NONE = new Result(null, false);
    }

    private static final Pattern CELL_MAGIC = Pattern.compile("%%(\\w\\S*)([^\\n]*)(?:\\n(.*))?", Pattern.DOTALL);
    private static final Pattern LINE_MAGIC = Pattern.compile("%(\\w\\S*)([^\\n]*)");
    private static final Pattern ARGUMENT = Pattern.compile("\"((?:\\\\.|[^\"\\\\])*)\"|(\\S+)");
    private static final Pattern IMPORT = Pattern.compile("import\\b");
    private static final Pattern COMMENT = Pattern.compile("//[^\\n]*|/\\*.*?\\*/", Pattern.DOTALL);

    private final CellControl control = new CellControl();
    private final CellErrors errors;
    private BaseKernel kernel;
    private JShell shell;

    /** By the name of a declaration, the cell that made it. */
    private final Map<String, Integer> cells = new HashMap<>();

    /** By the id of a snippet, where it stood. */
    private final Map<String, CellErrors.Place> places = new HashMap<>();

    /** What is to be said of a declaration when the cell ends, unless that is valid then. */
    private record Change(Snippet snippet, String text) {}

    /** By the name of a declaration. */
    private final Map<String, Change> changed = new LinkedHashMap<>();

    private final Set<DeclarationSnippet> unresolved = new LinkedHashSet<>();
    private int cell;
    private long firstThread;
    private String text = "";

    Evaluator(String name) {
        super(name, -1, TimeUnit.MILLISECONDS);
        errors = new CellErrors(places, cells);
    }

    void use(BaseKernel kernel, JShell shell) {
        this.kernel = kernel;
        this.shell = shell;
        control.use(shell);
        errors.use(shell);
    }

    CellControl control() {
        return control;
    }

    // --- what JJava calls ---

    @Override
    public ExecutionControlProvider getExecControlProvider() {
        return new ExecutionControlProvider() {
            @Override
            public String name() {
                return "cells";
            }

            @Override
            public ExecutionControl generate(ExecutionEnv environment, Map<String, String> parameters) {
                return control;
            }
        };
    }

    /** Evaluates code that is no cell: a magic's, or the kernel's own. */
    @Override
    public Object eval(JShell shell, String code) {
        var outer = text;
        try {
            return run(code).value;
        } finally {
            text = outer;
        }
    }

    @Override
    public void interrupt() {
        control.interrupt();
    }

    @Override
    public ClassLoader getClassLoader() {
        return control.loader();
    }

    @Override
    public void startThreadTelemetryCollection(TelemetryCollector<?> collector) {
        control.measure(collector);
    }

    @Override
    public void stopThreadTelemetryCollection() {
        control.measure(TelemetryCollector.DO_NOTHING);
    }

    // --- a cell ---

    /**
     * Evaluates a cell.
     *
     * @param count the number that the page shows beside it
     * @param render makes the value of the cell visible
     * @return what is to be shown, or null for nothing
     * @throws CellErrors.Failed if it fails, in the reader's words
     */
    DisplayData cell(String code, int count, Function<Object, DisplayData> render) {
        control.begin();
        firstThread = Thread.ofPlatform().unstarted(() -> {}).threadId();
        errors.begin(count);
        cell = count;
        changed.clear();
        unresolved.clear();
        Result result;
        try {
            result = run(code);
        } finally {
            said().forEach(System.out::println);
        }
        try {
            return result.shown ? control.call(() -> render.apply(result.value)) : null;
        } catch (CellControl.Interrupted e) {
            throw interrupted(e);
        } catch (Exception | Error e) {
            throw failed(e);
        }
    }

    /** Something that was thrown outside of the cell's code. */
    CellErrors.Failed failed(Throwable thrown) {
        return errors.thrown(thrown, "");
    }

    private Result run(String code) {
        text = code;
        var magic = CELL_MAGIC.matcher(code);
        if (magic.matches()) {
            var body = magic.group(3) == null ? "" : magic.group(3);
            return magic(
                    magic.group(1),
                    magic.group(2),
                    0,
                    (registry, name, arguments) -> registry.evalCellMagic(kernel, name, arguments, body));
        }
        var result = Result.NONE;
        var analysis = shell.sourceCodeAnalysis();
        int at = 0;
        while (true) {
            at = blank(code, at);
            var line = LINE_MAGIC.matcher(code).region(at, code.length());
            if (line.lookingAt()
                    && code.substring(code.lastIndexOf('\n', at) + 1, at).isBlank()) {
                result = magic(
                        line.group(1),
                        line.group(2),
                        at,
                        (registry, name, arguments) -> registry.evalLineMagic(kernel, name, arguments));
                at = line.end();
                continue;
            }
            var found = analysis.analyzeCompletion(code.substring(at));
            if (found.completeness() == Completeness.EMPTY) {
                return result;
            }
            if (!found.completeness().isComplete()) {
                throw errors.incomplete(place(at));
            }
            int next = code.length() - found.remaining().length();
            boolean ends = code.substring(at, next).endsWith(";");
            result = snippet(found.source(), at, ends);
            at = next;
        }
    }

    /** The next place at which code may begin: comments and blanks before an import would be part of it. */
    private static int blank(String code, int from) {
        int at = from;
        while (at < code.length()) {
            var comment = COMMENT.matcher(code).region(at, code.length());
            if (Character.isWhitespace(code.charAt(at))) {
                at++;
            } else if (code.charAt(at) == '/' && comment.lookingAt()) {
                at = comment.end();
            } else {
                break;
            }
        }
        return at;
    }

    private CellErrors.Place place(int at) {
        return new CellErrors.Place(cell, text, at);
    }

    private interface Magic {
        Object run(MagicsRegistry registry, String name, List<String> arguments) throws Exception;
    }

    private Result magic(String name, String line, int at, Magic magic) {
        var words = ARGUMENT.matcher(line);
        var arguments = words.results()
                .map(word -> word.group(1) != null ? word.group(1).replaceAll("\\\\(.)", "$1") : word.group(2))
                .toList();
        var code = text;
        try {
            var value = control.call(() -> magic.run(kernel.getMagicsRegistry(), name, arguments));
            return new Result(value, value != null);
        } catch (CellErrors.Failed | CellControl.Interrupted e) {
            throw e instanceof CellControl.Interrupted stopped ? interrupted(stopped) : (CellErrors.Failed) e;
        } catch (Exception | LinkageError | StackOverflowError e) {
            throw errors.magic(name, e, place(at), kernel.getMagicsRegistry().getLineMagicNames());
        } finally {
            text = code;
        }
    }

    private Result snippet(String code, int at, boolean ends) {
        var place = place(at);
        var source = code;
        if (IMPORT.matcher(code).lookingAt()) {
            // a line end inside an import makes JShell replace the classes of all variables
            source = COMMENT.matcher(code).replaceAll(" ").replaceAll("\\s+", " ");
        }
        control.takeThrown();
        List<SnippetEvent> events;
        try {
            events = shell.eval(source);
        } catch (CellControl.Interrupted e) {
            throw interrupted(e);
        }
        var thrown = control.takeThrown();
        var result = Result.NONE;
        var fresh = new ArrayList<SnippetEvent>();
        for (var event : events) {
            if (event.causeSnippet() == null) {
                fresh.add(event);
                places.put(event.snippet().id(), place);
            }
        }
        account(events);
        for (var event : fresh) {
            var snippet = event.snippet();
            var name = name(snippet);
            if (thrown instanceof CellControl.Interrupted stopped) {
                throw interrupted(stopped);
            }
            if (event.exception() instanceof UnresolvedReferenceException reference) {
                throw errors.unresolved(reference.getSnippet(), place);
            }
            if (thrown != null && (event.exception() != null || event == fresh.getLast())) {
                var left = isVariable(snippet) && control.variables().contains(name)
                        ? "%s is %s, because its initializer failed: correct it and run the cell again."
                                .formatted(name, control.valueOf(name))
                        : "";
                throw errors.thrown(thrown, left);
            }
            if (event.status() != Status.RECOVERABLE_NOT_DEFINED
                    && !event.status().isDefined()) {
                throw errors.compiler(shell.diagnostics(snippet).toList(), source, place);
            }
            if (event.status() != Status.VALID && snippet instanceof DeclarationSnippet declared) {
                unresolved.add(declared);
            }
            if (snippet.subKind().isExecutable()) {
                result = result(snippet, control.takeValue(), ends);
            }
            if (snippet.subKind() == SubKind.TEMP_VAR_EXPRESSION_SUBKIND) {
                control.drop((VarSnippet) snippet); // it would keep each value that was ever shown
            }
        }
        return result;
    }

    /** What of an interrupted cell still runs: a thread that is computing, or waits in code of a cell. */
    private CellErrors.Failed interrupted(CellControl.Interrupted stopped) {
        var running = Thread.getAllStackTraces().entrySet().stream()
                .filter(entry -> entry.getKey().threadId() >= firstThread || entry.getKey() == stopped.left)
                .filter(entry -> Stream.of(entry.getValue())
                        .anyMatch(frame -> frame.getClassName().startsWith("REPL.")))
                .map(Map.Entry::getKey)
                .toList();
        CpuShare.here().leftBehind(running);
        return errors.interrupted(stopped, running);
    }

    private static Result result(Snippet snippet, Object value, boolean ends) {
        return switch (snippet.subKind()) {
            case VAR_VALUE_SUBKIND, OTHER_EXPRESSION_SUBKIND, TEMP_VAR_EXPRESSION_SUBKIND ->
                new Result(value, value != null || !ends);
            case STATEMENT_SUBKIND -> new Result(value, value != null); // return 3;
            default -> Result.NONE;
        };
    }

    // --- what a snippet does to those before it ---

    private void account(List<SnippetEvent> events) {
        var types = new TreeSet<String>();
        var fresh = new TreeSet<String>();
        for (var event : events) {
            var snippet = event.snippet();
            if (event.causeSnippet() == null && event.status().isActive()) {
                changed.remove(name(snippet));
                cells.put(name(snippet), cell); // the kernel's own have the number 0
                fresh.add(name(snippet));
            }
            if (event.causeSnippet() == null && event.status().isDefined() && isVariable(snippet)) {
                control.declared((VarSnippet) snippet);
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
                        !fresh.contains(variable.name()) && control.variables().contains(variable.name()))
                .filter(variable -> control.hasLost(variable.name())
                        || !types.isEmpty()
                                && old.matcher(variable.typeName()).find()
                                && control.valueOf(variable.name()) != null)
                .toList()
                .forEach(variable -> {
                    control.clear(variable.name());
                    say(null, variable.name(), "was reset because %s changed: %s.", cause);
                });
    }

    private static boolean isVariable(Snippet snippet) {
        return snippet instanceof VarSnippet && snippet.subKind() != SubKind.TEMP_VAR_EXPRESSION_SUBKIND;
    }

    /** JShell forgets a declaration whose new version does not compile. */
    private void restore(Snippet old) {
        if (isVariable(old)) {
            control.declareAgain((VarSnippet) old);
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
            if (gone && !control.declareAgain((VarSnippet) snippet)) {
                say(null, name, "is gone because %s changed: %s.", cause);
            } else if (control.variables().contains(name) && isOldCode(control.valueOf(name))) {
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
    private List<String> said() {
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
