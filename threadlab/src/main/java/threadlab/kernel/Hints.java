package threadlab.kernel;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.ImportSnippet;
import jdk.jshell.JShell;
import threadlab.cells.Imports;
import threadlab.cells.JavaText;
import threadlab.cells.Sentences;

/** The way out of the errors that learners meet most, in one sentence. */
final class Hints {

    private static final int SHORT = 40;
    private static final int MOST = 3;

    private static final Pattern SYMBOL = Pattern.compile("symbol:\\s+(variable|method|class)\\s+(\\w+)");
    private static final Pattern PACKAGE = Pattern.compile("package (\\p{javaUpperCase}\\w*) does not exist");

    private final Sentences sentences = new Sentences(Hints.class, "advice.txt");
    private final Map<String, Integer> cells;
    private JShell shell;

    Hints(Map<String, Integer> cells) {
        this.cells = cells;
    }

    void use(JShell shell) {
        this.shell = shell;
    }

    /** What helps with an error of the compiler. */
    List<String> compiler(Diag error, String source) {
        var message = error.getMessage(Locale.ENGLISH);
        var code = String.valueOf(error.getCode());
        var packaged = PACKAGE.matcher(message);
        if (code.contains("doesnt.exist") && packaged.find() && !source.strip().startsWith("import")) {
            return missing("variable", packaged.group(1)); // of a class whose own class is named
        }
        var known = statement(code, source, message);
        var symbol = SYMBOL.matcher(message);
        if (!known.isEmpty() || !code.contains("cant.resolve") || !symbol.find()) {
            return known;
        }
        int at = (int) error.getPosition();
        boolean member = source.startsWith(".", at) || at > 0 && source.charAt(at - 1) == '.';
        return member
                ? List.of("Shift-Tab on what stands before the dot, or Tab behind the dot, shows what it has.")
                : missing(symbol.group(1), symbol.group(2));
    }

    /** What helps where nothing of a kind has a name. */
    private List<String> missing(String kind, String name) {
        var found = unknown(name);
        if (!found.isEmpty()) {
            return found;
        }
        boolean method = kind.equals("method");
        if (method && Character.isUpperCase(name.charAt(0))) {
            return List.of("If it is a class, new is missing: new %s(…) makes one.".formatted(name));
        }
        if (declared().anyMatch(one -> one.name().equals(name))) {
            return List.of(
                    method
                            ? "%s is no method: write a dot behind it and the name of one, or leave the parentheses out."
                                    .formatted(name)
                            : "%1$s is a method, or a class: %1$s() calls it.".formatted(name));
        }
        return List.of("No cell that has run declares %s: declare it first.".formatted(name));
    }

    private Stream<DeclarationSnippet> declared() {
        return shell.snippets()
                .filter(snippet -> shell.status(snippet).isActive())
                .filter(DeclarationSnippet.class::isInstance)
                .map(DeclarationSnippet.class::cast);
    }

    /** What helps with a statement that is wrong: by its code, its source and a message. */
    List<String> statement(String code, String source, String message) {
        return sentences.fitting(Map.of(
                "code", code, "source", source, "bare", JavaText.of(source).code(), "message", message));
    }

    /** What rarely does what it seems to: of code without its comments and texts. */
    List<String> legal(String code) {
        return sentences.fitting(Map.of("legal", code));
    }

    /** Where a name that is not declared may come from. */
    List<String> unknown(String name) {
        var there = declared().filter(one -> one.name().equals(name)).toList();
        if (there.stream().anyMatch(snippet -> shell.status(snippet).isDefined())) {
            return List.of();
        }
        if (!there.isEmpty()) {
            return List.of(
                    "%s cannot be used as cell [%d] declared it, because what it needs has changed or is missing: correct that, and run its cell again."
                            .formatted(name, cells.get(name)));
        }
        if (cells.containsKey(name)) {
            return List.of("Cell [%d] declared %s, and a later change has removed it: run that cell again."
                    .formatted(cells.get(name), name));
        }
        var other = Notebook.file().flatMap(path -> declaring(path, name));
        if (other.isPresent()) {
            return List.of("%s is declared in the cell that begins with “%s”: run that cell first."
                    .formatted(name, other.get()));
        }
        var imports = Imports.of(name, Thread.currentThread().getContextClassLoader());
        if (!imports.isEmpty()) {
            return List.of("The import is missing: "
                    + imports.stream().limit(MOST).map("import %s;"::formatted).collect(Collectors.joining(" or ")));
        }
        boolean isClass = Character.isUpperCase(name.charAt(0));
        var imported = Stream.concat(Stream.of("java.lang.*"), shell.imports().map(ImportSnippet::fullname))
                .filter(full -> isClass && full.endsWith(".*"))
                .flatMap(full -> Imports.in(full.replace(".*", "")));
        return Stream.concat(declared().map(DeclarationSnippet::name), imported)
                .filter(known ->
                        known.length() > 2 && Sentences.distance(known, name) <= Math.min(2, name.length() / 3))
                .limit(1)
                .map(known -> "Did you mean %s?".formatted(known))
                .toList();
    }

    /** The first line of a notebook's cell that declares a name. */
    private static Optional<String> declaring(Path notebook, String name) {
        var quoted = Pattern.quote(name);
        var declares = Pattern.compile(
                "(?m)^\\s*(?:[\\w<>\\[\\], .?]+\\s+%s\\s*[=;(]|.*\\b(?:class|record|enum|interface)\\s+%s\\b)"
                        .formatted(quoted, quoted));
        return Notebook.cells(notebook).stream()
                .filter(cell -> cell.get("cell_type").getAsString().equals("code"))
                .map(Notebook::source)
                .filter(source -> declares.matcher(source).find())
                .flatMap(
                        source -> source.lines().filter(line -> !line.isBlank()).limit(1))
                .map(line -> line.length() <= SHORT ? line : line.substring(0, SHORT) + "…")
                .findFirst();
    }

    /** What helps with an exception. */
    List<String> thrown(Throwable thrown) {
        var name = thrown.getClass().getName();
        // a message of the reader's own class may throw
        var message = name.startsWith("REPL.") ? "" : String.valueOf(thrown.getMessage());
        return sentences.fitting(Map.of("thrown", name, "message", message));
    }
}
