package threadlab.kernel;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import jdk.jshell.DeclarationSnippet;
import threadlab.homework.Variant;

/**
 * A look at a homework before it is handed in. What would make grading ask a person is named while its author can mend
 * it.
 */
public final class HandIn {

    /** With this call in a cell a notebook is a homework. */
    private static final String CALL = "HandIn.check(";

    private static final Set<String> NOTHING = Set.of("null", "NaN", "\"\"", "[]");
    private static final String STUB_OF_WORDS = "*Your answer, in words.*";

    private final CourseKernel kernel;
    private final List<JsonObject> cells;

    private HandIn(CourseKernel kernel, List<JsonObject> cells) {
        this.kernel = kernel;
        this.cells = cells;
    }

    /**
     * Looks at the saved notebook, and at what has run of it.
     *
     * @param tasks for each answer what its task is called and the name that it declares, such as "exercise 1: limited";
     *     for one in words, the name of its cell
     * @return what is missing, or that nothing is
     */
    public static String check(String... tasks) {
        if (!(Notebook.kernel() instanceof CourseKernel kernel)) {
            return "✎ This look needs the course's own kernel: hand in from JupyterLab.";
        }
        return file().map(file -> new HandIn(kernel, Notebook.cells(file)).said(tasks))
                .orElse("✎ The file of this notebook was not found from here: look yourself that each answer stands"
                        + " once, and that its cell runs.");
    }

    /** The notebook for which Jupyter has started the kernel; elsewhere the only homework beside it. */
    private static Optional<Path> file() {
        var named = Notebook.file();
        if (named.isPresent()) {
            return named;
        }
        try (var beside = Files.list(Path.of("").toAbsolutePath())) {
            var found = beside.filter(file -> file.toString().endsWith(".ipynb"))
                    .filter(file -> Notebook.cells(file).stream()
                            .anyMatch(cell -> Notebook.source(cell).contains(CALL)))
                    .toList();
            return found.size() == 1 ? Optional.of(found.getFirst()) : Optional.empty();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private String said(String... tasks) {
        var missing = new ArrayList<String>();
        pseudonym().ifPresent(missing::add);
        for (var task : tasks) {
            var name = task.substring(task.lastIndexOf(' ') + 1);
            var of = task.substring(0, task.length() - name.length() - 2);
            (name.contains("-") ? words(name) : answer(name)).ifPresent(what -> missing.add(of + ": " + what));
        }
        return missing.isEmpty()
                ? "✔ Hand in this file: all %d answers are there. Whether they are right is judged afterwards."
                        .formatted(tasks.length)
                : "✎ Before you hand in:\n• " + String.join("\n• ", missing);
    }

    private Optional<String> pseudonym() {
        var cell = cells.stream().filter(it -> id(it).equals("pseudonym")).findFirst();
        return cell.filter(it -> {
                    var quoted = Notebook.source(it).split("\"", 3);
                    return quoted.length < 3 || !Variant.valid(quoted[1]);
                })
                .map(it -> "no pseudonym: put the one you were given into the first cell of code");
    }

    private Optional<String> words(String name) {
        return cells.stream()
                .filter(it -> id(it).equals(name))
                .map(it -> Notebook.source(it).strip())
                .filter(text -> text.isEmpty() || text.equals(STUB_OF_WORDS))
                .map(text -> "it has no answer yet")
                .findFirst();
    }

    /** What is missing of an answer in code. */
    private Optional<String> answer(String name) {
        // the same text pasted twice is one answer
        Map<String, String> claims = new LinkedHashMap<>();
        cells.stream()
                .filter(it -> "code".equals(text(it, "cell_type")) && !locked(it))
                .map(Notebook::source)
                .filter(source -> declares(source, name))
                .forEach(source -> claims.put(source.replaceAll("\\s", ""), source));
        if (claims.isEmpty()) {
            return Optional.of("no cell declares " + name + " in the saved file; is it there, and is the file saved?");
        }
        if (claims.size() > 1) {
            return Optional.of(claims.size() + " cells declare " + name + ": keep one");
        }
        var ended = kernel.ended(claims.values().iterator().next());
        if (ended.isEmpty()) {
            return Optional.of("the cell of " + name + " has not run as it is saved: run all cells, and save");
        }
        if (!ended.get()) {
            return Optional.of("the cell of " + name + " does not compile, or fails: see the message below it");
        }
        return kernel.shell
                .variables()
                .filter(it -> it.name().equals(name) && NOTHING.contains(kernel.shell.varValue(it)))
                .map(it -> name + " has no answer yet")
                .findFirst();
    }

    private boolean declares(String source, String name) {
        var analysis = kernel.shell.sourceCodeAnalysis();
        var names = new HashSet<String>();
        for (var rest = Inspection.withoutMagics(source); !rest.isBlank(); ) {
            var first = analysis.analyzeCompletion(rest);
            if (!first.completeness().isComplete()) {
                names.addAll(List.of(rest.split("\\W+"))); // it does not compile, and may be the answer
                break;
            }
            analysis.sourceToSnippets(first.source()).stream()
                    .filter(DeclarationSnippet.class::isInstance)
                    .forEach(it -> names.add(((DeclarationSnippet) it).name()));
            rest = first.remaining();
        }
        return names.contains(name);
    }

    private static boolean locked(JsonObject cell) {
        return about(cell).anyMatch(it -> it.has("locked") && it.get("locked").getAsBoolean());
    }

    private static String id(JsonObject cell) {
        return about(cell).map(it -> text(it, "grade_id")).findFirst().orElse("");
    }

    private static Stream<JsonObject> about(JsonObject cell) {
        return Stream.of(cell)
                .map(it -> it.getAsJsonObject("metadata"))
                .filter(it -> it != null && it.has("nbgrader"))
                .map(it -> it.getAsJsonObject("nbgrader"));
    }

    private static String text(JsonObject from, String name) {
        return from.has(name) ? from.get(name).getAsString() : "";
    }
}
