package threadlab.kernel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Pattern;
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
import threadlab.cells.CellProcesses;
import threadlab.cells.JavaText;
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
    private static final Pattern DISPLAY = Pattern.compile("\\s*display\\s*\\(");
    private static final Pattern MODIFIERS =
            Pattern.compile("(?:(?:public|private|protected|static|transient|final|volatile)\\s+)+");
    private static final Pattern TYPE = Pattern.compile(
            "((?:(?:public|private|protected|static|abstract|final)\\s+)*)(?:class|record|enum|interface)\\s+(\\w+)");
    /** Cells, after each of which JShell's compilers have kept about 0.1 MB: a day of them would fill a small heap. */
    private static final int FRESH_AFTER = 50;

    private static final String TRIAL = "interface Trial$ {\n";
    private static final Pattern IMPORT = Pattern.compile("import\\b");

    private final CellControl control;
    private final CellErrors errors;
    private BaseKernel kernel;
    private JShell shell;

    /** By the id of a snippet, where it stood. */
    private final Map<String, CellErrors.Place> places = new HashMap<>();

    /** By the text of a cell, whether it ended without an error when it ran last. */
    private final Map<String, Boolean> ended = new HashMap<>();

    private final Declarations declarations;
    private int cell;
    private int compiled;
    private long firstThread;
    private String text = "";

    Evaluator(Heap heap) {
        super("cells", -1, TimeUnit.MILLISECONDS);
        control = new CellControl(heap);
        declarations = new Declarations(control.variables(), places);
        errors = new CellErrors(places, declarations.cells());
    }

    void use(BaseKernel kernel, JShell shell) {
        this.kernel = kernel;
        this.shell = shell;
        control.variables().use(shell);
        declarations.use(shell);
        errors.use(shell);
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

    /** From now on an interrupt is for the cell that begins. */
    void begin() {
        control.begin();
    }

    /**
     * Evaluates a cell.
     *
     * @param count the number that the page shows beside it
     * @param render makes the value of the cell visible
     * @return what is to be shown, or null for nothing
     * @throws CellErrors.Failed if it fails, in the reader's words
     */
    DisplayData cell(String code, int count, Function<Object, DisplayData> render) {
        firstThread = Thread.ofPlatform().unstarted(() -> {}).threadId();
        errors.begin(count);
        cell = count;
        declarations.begin(count);
        if (++compiled % FRESH_AFTER == 0) {
            JShellInternals.freshCompiler(shell);
        }
        ended.put(code.strip(), false);
        Result result;
        try {
            result = run(code);
            CellProcesses.settle();
            ended.put(code.strip(), true);
        } finally {
            declarations.said().forEach(System.out::println);
        }
        try {
            return result.shown ? control.call(() -> render.apply(result.value)) : null;
        } catch (CellControl.Interrupted e) {
            throw interrupted(e);
        } catch (Exception | Error e) {
            throw failed(e);
        }
    }

    /** Whether a cell with this text ended without an error when it ran last; empty if it has not run. */
    Optional<Boolean> ended(String code) {
        return Optional.ofNullable(ended.get(code.strip()));
    }

    /** Something that was thrown outside of the cell's code. */
    CellErrors.Failed failed(Throwable thrown) {
        return errors.thrown(thrown);
    }

    /** Prints what a thread has thrown that nobody catches. */
    void uncaught(Thread thread, Throwable thrown) {
        var lines = errors.thrown(thrown).lines();
        var text = String.join("\n", lines).replaceAll("\u001b\\[[\\d;]*m", "");
        var name = thread.getName().isEmpty() ? "virtual thread " + thread.threadId() : thread.getName();
        System.err.println("Exception in thread \"" + name + "\"\n" + text);
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
        int at = JavaText.begin(code, 0);
        while (at < code.length()) {
            var line = LINE_MAGIC.matcher(code).region(at, code.length());
            if (line.lookingAt()
                    && code.substring(code.lastIndexOf('\n', at) + 1, at).isBlank()) {
                result = magic(
                        line.group(1),
                        line.group(2),
                        at,
                        (registry, name, arguments) -> registry.evalLineMagic(kernel, name, arguments));
                at = JavaText.begin(code, line.end());
                continue;
            }
            var found = analysis.analyzeCompletion(code.substring(at));
            if (found.completeness() == Completeness.EMPTY) {
                break;
            }
            if (!found.completeness().isComplete()) {
                throw errors.incomplete(place(at), code.substring(at));
            }
            int next = code.length() - found.remaining().length();
            boolean ends = code.substring(at, next).endsWith(";");
            result = snippet(found.source(), at, ends);
            at = JavaText.begin(code, next);
        }
        return result;
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
            source = JavaText.COMMENT.matcher(code).replaceAll(" ").replaceAll("\\s+", " ");
        }
        control.takeThrown();
        errors.running(place);
        modifiers(source);
        var refused = refused(source);
        if (!refused.isEmpty()) {
            throw errors.compiler(refused, TRIAL + source, new CellErrors.Place(cell, text, at - TRIAL.length()));
        }
        var events = evaluated(source, place);
        var thrown = control.takeThrown();
        var result = Result.NONE;
        control.files().takeAssigned().forEach(declarations::assigned);
        var fresh = new ArrayList<SnippetEvent>();
        boolean plain = !MODIFIERS.matcher(source).lookingAt();
        for (var event : events) {
            if (event.causeSnippet() == null) {
                fresh.add(event);
                places.put(event.snippet().id(), place);
                if (plain && event.snippet() instanceof VarSnippet variable) {
                    control.files().forgets(variable.name());
                }
            }
        }
        declarations.account(events);
        errors.legal(source).forEach(declarations::note);
        var first = fresh.isEmpty() ? null : fresh.getFirst().snippet();
        if (first instanceof ImportSnippet single && declarations.clashes(single)) {
            shell.drop(single);
            throw errors.clash(single.fullname(), single.name(), place);
        }
        for (var event : fresh) {
            var snippet = event.snippet();
            if (thrown instanceof CellControl.Interrupted stopped) {
                throw interrupted(stopped).and(declarations.left(snippet, "was interrupted"));
            }
            if (event.exception() instanceof UnresolvedReferenceException reference) {
                throw errors.unresolved(reference.getSnippet(), place);
            }
            if (thrown != null
                    && (event.exception() != null || event == fresh.getLast() && !control.hasLoaded(snippet))) {
                throw errors.thrown(thrown).and(declarations.left(snippet, "failed"));
            }
            var status = shell.status(snippet); // which another declaration may have changed since the event
            if (!status.isDefined() && !waits(snippet, status)) {
                var found = shell.diagnostics(snippet).toList();
                if (found.stream().anyMatch(diag -> diag.getCode().contains("limit."))) {
                    JShellInternals.freshCompiler(shell); // which would repeat the error for each later cell
                }
                if (status.isActive()) {
                    declarations.back(snippet, events); // otherwise JShell would compile it again with each import
                }
                if (snippet.subKind() == SubKind.TEMP_VAR_EXPRESSION_SUBKIND
                        && found.stream().anyMatch(diag -> diag.getMessage(null).contains("&"))) {
                    // a type that cannot be written
                    return snippet("(Object) (" + code.strip().replaceFirst(";$", "") + ")", at, ends);
                }
                throw errors.compiler(found, source, place);
            }
            if (snippet.subKind().isExecutable()) {
                result = result(snippet, control.takeValue(), ends);
            }
            if (snippet.subKind() == SubKind.TEMP_VAR_EXPRESSION_SUBKIND) {
                control.variables().drop((VarSnippet) snippet); // it would keep each value that was ever shown
            } else if (snippet instanceof VarSnippet variable) {
                control.variables().simplify(variable);
            }
        }
        return result;
    }

    /** Lets JShell evaluate a snippet; where its compiler fails, once more without the variables of the old type. */
    private List<SnippetEvent> evaluated(String source, CellErrors.Place place) {
        try {
            JShellInternals.forgetTypes(shell);
            var events = declarations.evaluated(source);
            if (!CellOutput.CompilerThread.hasFailed()) {
                return events;
            }
            JShellInternals.freshCompiler(shell);
            var failed = events.getFirst().snippet();
            if (failed instanceof TypeDeclSnippet || failed instanceof MethodSnippet) {
                declarations.letGo(((DeclarationSnippet) failed).name());
                var again = shell.eval(source);
                if (!CellOutput.CompilerThread.hasFailed()) {
                    return again;
                }
                JShellInternals.freshCompiler(shell);
            }
            var kept = declarations.back(failed, events);
            CellOutput.CompilerThread.hasFailed();
            throw errors.crashed(kept, place);
        } catch (CellControl.Interrupted e) {
            throw interrupted(e);
        }
    }

    /**
     * Why a type of this name cannot be replaced by this one: JShell would drop the type, and with it the variables of
     * that type, and refuse the new one then. So it is tried as the member of another type first. Errors that speak of
     * the type itself prove nothing: the member is not the type that earlier cells use.
     */
    private List<Diag> refused(String source) {
        var declared = TYPE.matcher(source);
        if (!declared.lookingAt() || shell.types().noneMatch(type -> type.name().equals(declared.group(2)))) {
            return List.of();
        }
        var bare = " ".repeat(declared.group(1).length()) + source.substring(declared.end(1));
        var trial = shell.eval(TRIAL + bare + "\n}").getFirst().snippet();
        var found = shell.diagnostics(trial).filter(Diag::isError).toList();
        boolean waits = shell.drop(trial).getFirst().previousStatus() != Status.REJECTED;
        var itself = Pattern.compile("\\b" + declared.group(2) + "\\b|sealed");
        return waits
                        || found.stream().anyMatch(error -> itself.matcher(error.getMessage(null))
                                .find())
                ? List.of()
                : found;
    }

    /** JShell drops the modifiers of variables. */
    private void modifiers(String source) {
        var found = MODIFIERS.matcher(source);
        if (!found.lookingAt()) {
            return;
        }
        var words = Set.of(found.group().strip().split("\\s+"));
        if (words.contains("volatile") || words.contains("final")) {
            shell.sourceCodeAnalysis().sourceToSnippets(source).stream()
                    .filter(VarSnippet.class::isInstance)
                    .forEach(one -> control.files().declares(((VarSnippet) one).name(), words));
        }
    }

    /** Whether a later declaration can make this one valid. */
    private boolean waits(Snippet snippet, Status status) {
        return status == Status.RECOVERABLE_NOT_DEFINED
                && snippet instanceof DeclarationSnippet declared
                && shell.unresolvedDependencies(declared).findAny().isPresent();
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
        if (value == System.out
                || value == System.err
                || DISPLAY.matcher(snippet.source()).lookingAt()) {
            return Result.NONE; // of System.out.printf(…); and the id of what was displayed
        }
        return switch (snippet.subKind()) {
            case VAR_VALUE_SUBKIND, OTHER_EXPRESSION_SUBKIND, TEMP_VAR_EXPRESSION_SUBKIND ->
                new Result(value, value != null || !ends);
            case STATEMENT_SUBKIND -> new Result(value, value != null); // return 3;
            default -> Result.NONE;
        };
    }
}
