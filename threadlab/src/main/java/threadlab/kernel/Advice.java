package threadlab.kernel;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.JShell;

/** The way out of the errors that learners meet most, in one sentence. */
final class Advice {

    /** An error by its code in the compiler, or by the code that causes it, and what helps. */
    private record Known(Pattern code, Pattern source, String help) {}

    private static final String ANY = "";
    private static final int SHORT = 40;

    private static final List<Known> KNOWN = List.of(
            known(ANY, "^\\s*package\\b", "A cell has no package: leave this line out."),
            known(
                    "sealed.class.must.have.subclasses",
                    ANY,
                    "Name the types that may implement it: sealed interface Shape permits Circle, Square {}."),
            known(
                    "invalid.canonical.constructor",
                    ANY,
                    "In a cell a record is public: write public in front of its constructor."),
            known(
                    "illegal.modifiers",
                    "synchronized",
                    "A method of a cell cannot be synchronized: put it into a class, or use a synchronized block."),
            known(
                    "non-static.cant.be.ref",
                    "\\bthis\\b",
                    "The code of a cell belongs to no object: use one of your own, such as Object lock = new Object()."),
            known(
                    "doesnt.exist",
                    "^\\s*import\\b",
                    "If a library has it, add that first: %libraries servers, or %maven group:artifact:version."),
            known("doesnt.exist", ANY, "Is a capital missing? Classes begin with one: System.out.println."),
            known(
                    "unreported.exception",
                    "->",
                    "A Runnable throws no checked exception: catch it in the lambda, or pass a Callable, which returns a value."),
            known("unreported.exception", ANY, "Catch it, or add throws Exception to the method."),
            known(
                    "non.effectively.final",
                    ANY,
                    "A lambda sees only variables that never change: copy the value into a new variable, or use an AtomicInteger."),
            known(
                    "preview.feature|feature.not.supported",
                    ANY,
                    "This kernel runs Java %s with its preview features; newer ones need a newer Java."
                            .formatted(Runtime.version().feature())),
            known(
                    "cant.infer.local.var.type",
                    ANY,
                    "var takes its type from the value: write the type, such as List<String> names = null."),
            known(
                    "prob.found.req",
                    "^\\s*\\w+\\s*=[^=]",
                    "A variable keeps its type: write var in front to declare it anew."),
            known("already.defined", ANY, "Give one of the two another name."),
            known(
                    "premature.eof",
                    ANY,
                    "A bracket, a brace, a quote or a comment is still open, or a semicolon is missing."),
            known(
                    "expected",
                    ANY,
                    "Look also at the end of the line before: a semicolon or a bracket may be missing."));

    /** A class of a cell that cannot be cast to a later version of itself. */
    private static final Pattern EARLIER = Pattern.compile(
            "REPL\\.\\$JShell\\$(\\d+)[A-Z]*\\$(\\w+) cannot be cast to class REPL\\.\\$JShell\\$\\1[A-Z]*\\$\\2 ");

    private static final Pattern SYMBOL = Pattern.compile("symbol:\\s+(?:variable|method|class)\\s+(\\w+)");

    private final Map<String, Integer> cells;
    private JShell shell;

    Advice(Map<String, Integer> cells) {
        this.cells = cells;
    }

    private static Known known(String code, String source, String help) {
        return new Known(Pattern.compile(code), Pattern.compile(source), help);
    }

    void use(JShell shell) {
        this.shell = shell;
    }

    /** What helps with an error of the compiler. */
    List<String> compiler(Diag error, String source) {
        var symbol = SYMBOL.matcher(error.getMessage(null));
        if (error.getCode().contains("cant.resolve") && symbol.find()) {
            boolean member = error.getMessage(null).contains("location: class java");
            return member ? List.of() : unknown(symbol.group(1));
        }
        var code = String.valueOf(error.getCode());
        return KNOWN.stream()
                .filter(known -> known.code.matcher(code).find()
                        && known.source.matcher(source).find())
                .map(Known::help)
                .limit(1)
                .toList();
    }

    /** Where a name that is not declared may come from. */
    List<String> unknown(String name) {
        boolean there = shell.snippets()
                .anyMatch(snippet -> snippet instanceof DeclarationSnippet declared
                        && declared.name().equals(name)
                        && shell.status(snippet).isActive());
        if (there) {
            return List.of();
        }
        if (cells.containsKey(name)) {
            return List.of("Cell [%d] declared %s, and a later change has removed it: run that cell again."
                    .formatted(cells.get(name), name));
        }
        var other = notebook().flatMap(path -> declaring(path, name));
        if (other.isPresent()) {
            return List.of("%s is declared in the cell that begins with “%s”: run that cell first."
                    .formatted(name, other.get()));
        }
        return shell.snippets()
                .filter(snippet -> snippet instanceof DeclarationSnippet
                        && shell.status(snippet).isActive())
                .map(snippet -> ((DeclarationSnippet) snippet).name())
                .filter(known -> known.length() > 2 && !known.startsWith("$") && distance(known, name) <= 2)
                .limit(1)
                .map(known -> "Did you mean %s?".formatted(known))
                .toList();
    }

    private static Optional<Path> notebook() {
        return Optional.ofNullable(System.getenv(Notebook.STARTED_FOR))
                .map(Path::of)
                .filter(Files::isReadable);
    }

    /** The first line of a notebook's cell that declares a name. */
    private static Optional<String> declaring(Path notebook, String name) {
        var quoted = Pattern.quote(name);
        var declares = Pattern.compile(
                "(?m)^\\s*(?:[\\w<>\\[\\], .?]+\\s+%s\\s*[=;(]|.*\\b(?:class|record|enum|interface)\\s+%s\\b)"
                        .formatted(quoted, quoted));
        try {
            var cells = JsonParser.parseString(Files.readString(notebook))
                    .getAsJsonObject()
                    .getAsJsonArray("cells");
            return StreamSupport.stream(cells.spliterator(), false)
                    .map(cell -> cell.getAsJsonObject())
                    .filter(cell -> cell.get("cell_type").getAsString().equals("code"))
                    .map(cell -> cell.get("source"))
                    .map(source -> source.isJsonArray()
                            ? StreamSupport.stream(source.getAsJsonArray().spliterator(), false)
                                    .map(line -> line.getAsString())
                                    .reduce("", String::concat)
                            : source.getAsString())
                    .filter(source -> declares.matcher(source).find())
                    .flatMap(source ->
                            source.lines().filter(line -> !line.isBlank()).limit(1))
                    .map(line -> line.length() <= SHORT ? line : line.substring(0, SHORT) + "…")
                    .findFirst();
        } catch (IOException | RuntimeException e) {
            return Optional.empty(); // it is only a hint
        }
    }

    /** The edits between two names, counted up to 3. */
    private static int distance(String one, String other) {
        if (Math.abs(one.length() - other.length()) > 2) {
            return 3;
        }
        var before = new int[other.length() + 1];
        for (int j = 0; j < before.length; j++) {
            before[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            var now = new int[before.length];
            now[0] = i;
            for (int j = 1; j < now.length; j++) {
                int change = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                now[j] = Math.min(change, 1 + Math.min(before[j], now[j - 1]));
            }
            before = now;
        }
        return before[other.length()];
    }

    /** What helps with an exception. */
    List<String> thrown(Throwable thrown) {
        var message = thrown instanceof NullPointerException
                        || thrown instanceof LinkageError
                        || thrown instanceof OutOfMemoryError
                        || thrown instanceof ClassCastException
                ? String.valueOf(thrown.getMessage())
                : ""; // the JDK's own, never one that throws
        var help =
                switch (thrown) {
                    case ClassCastException _
                    when EARLIER.matcher(message).find() ->
                        "The object is of the class as an earlier cell declared it: create it again.";
                    case NullPointerException _
                    when message.contains("REPL.$JShell$") ->
                        "A variable of an earlier cell is null: run the cell that sets it.";
                    case NoClassDefFoundError _
                    when message.startsWith("Could not initialize") ->
                        "The class has failed before: correct its static fields and run its cell again.";
                    case NoClassDefFoundError _ ->
                        "A library is missing: add it first with %libraries servers or %maven.";
                    case StackOverflowError _ -> "A method calls itself without an end, or a value contains itself.";
                    case OutOfMemoryError _
                    when message.contains("native thread") ->
                        "The system allows no further platform thread: end some, or use virtual threads.";
                    default -> "";
                };
        return Stream.of(help).filter(text -> !text.isEmpty()).toList();
    }
}
