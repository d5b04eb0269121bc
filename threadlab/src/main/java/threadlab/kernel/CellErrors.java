package threadlab.kernel;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jshell.DeclarationSnippet;
import jdk.jshell.Diag;
import jdk.jshell.JShell;
import org.dflib.jjava.jupyter.kernel.magic.UndefinedMagicException;
import threadlab.cells.Incomplete;
import threadlab.cells.JavaText;

/**
 * Errors in the reader's words: the lines of the cell, the compiler's own message, the reader's frames before those of
 * the JDK and of libraries, and for frequent errors the way out.
 */
final class CellErrors {

    /** Where a snippet begins: in which cell, by its number, and at which character of its text. */
    record Place(int cell, String text, int at) {

        /** The line of the cell, from 1, in which a character of the snippet stands. */
        private int line(int offset) {
            return text.substring(0, Math.min(at + offset, text.length())).split("\n", -1).length;
        }

        private String source(int line) {
            return text.lines().skip(line - 1L).findFirst().orElse("");
        }
    }

    /** A cell has failed; the text is made for the page. */
    static final class Failed extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final String name;
        private final transient List<String> lines;

        private Failed(String name, String message, List<String> lines, Throwable cause) {
            super(message, cause, false, false);
            this.name = name;
            this.lines = lines;
        }

        /** The kind of error, such as IllegalStateException. */
        String name() {
            return name;
        }

        List<String> lines() {
            return lines;
        }

        /** The same error with a line more, if there is one. */
        Failed and(String line) {
            return line.isEmpty()
                    ? this
                    : new Failed(
                            name,
                            getMessage(),
                            Stream.concat(lines.stream(), Stream.of(line)).toList(),
                            getCause());
        }
    }

    private static final String RED = "\u001b[1;31m";
    private static final String BOLD = "\u001b[1m";
    private static final String PLAIN = "\u001b[0m";
    private static final int MOST_ERRORS = 5;
    private static final int MOST_FRAMES = 20;
    private static final int MOST_CAUSES = 10;
    private static final int LONGEST = 2_000;
    private static final int WIDTH = 160;
    private static final int SHORT = 80;

    private final Map<String, Place> places;
    private final Hints advice;
    private JShell shell;
    private int cell;
    private volatile Place running;

    CellErrors(Map<String, Place> places, Map<String, Integer> cells) {
        this.places = places;
        advice = new Hints(cells);
    }

    void use(JShell shell) {
        this.shell = shell;
        advice.use(shell);
    }

    void begin(int cell) {
        this.cell = cell;
    }

    /** A snippet at this place is evaluated. */
    void running(Place place) {
        running = place;
    }

    // --- the compiler ---

    Failed compiler(List<Diag> found, String source, Place place) {
        var errors = found.stream().filter(Diag::isError).toList();
        var lines = new ArrayList<String>();
        for (var error : errors.stream().limit(MOST_ERRORS).toList()) {
            if (!lines.isEmpty()) {
                lines.add("");
            }
            int from = Math.clamp(error.getStartPosition(), 0, source.length());
            int until = Math.clamp(error.getEndPosition(), from, source.length());
            int about = Math.clamp(error.getPosition(), from, until);
            boolean far = source.substring(from, about).contains("\n"); // a return is missing at the end of its method
            lines.addAll(pointed(place, far ? about : from, far ? 1 : Math.max(1, until - from)));
            lines.addAll(message(error));
            advice.compiler(error, source).stream()
                    .filter(help -> !lines.contains(help))
                    .forEach(lines::add);
            if (error.getCode().contains("limit.string")) {
                lines.add("This one has %,d.".formatted(JavaText.bytes(source)));
            }
        }
        if (errors.size() > MOST_ERRORS) {
            lines.add("… and %d more errors".formatted(errors.size() - MOST_ERRORS));
        }
        if (errors.isEmpty()) {
            lines.add("JShell has refused this code and gives no reason:");
            lines.add(source);
        }
        var first = errors.isEmpty() ? "refused" : message(errors.getFirst()).getFirst();
        return new Failed("CompilationException", first, lines, null);
    }

    Failed incomplete(Place place, String source) {
        var read = JavaText.of(source);
        int from = Math.max(0, read.begin());
        int length = read.begin() < 0 ? place.source(place.line(0)).strip().length() : 1;
        var lines = pointed(place, from, length);
        var known = advice.statement("incomplete", source, "");
        lines.addAll(known.isEmpty() ? List.of(Incomplete.missing(source, read)) : known);
        return new Failed(
                "IncompleteSourceException", "line %d: not complete".formatted(place.line(from)), lines, null);
    }

    /** The compiler itself has failed. */
    Failed crashed(String kept, Place place) {
        var lines = pointed(place, 0, 1);
        lines.add("The compiler fails on this code, which is a fault of its own. " + kept
                + "Write it another way, such as with types instead of var, or under another name.");
        return new Failed("CompilerError", "the compiler fails on this code", lines, null);
    }

    /** The line of the cell and, below it, a mark. */
    private static List<String> pointed(Place place, int offset, int length) {
        int line = place.line(offset);
        var source = place.source(line);
        int begin = place.text.lastIndexOf('\n', Math.min(place.at + offset, place.text.length()) - 1) + 1;
        int column = Math.clamp(place.at + offset - begin, 0, source.length());
        int from = Math.max(0, column - WIDTH / 2); // of a line that is longer than the page
        var shown = source.length() <= WIDTH ? source : source.substring(from, Math.min(source.length(), from + WIDTH));
        var indent =
                source.substring(source.length() <= WIDTH ? 0 : from, column).replaceAll("[^\t]", " ");
        var mark = "^".repeat(Math.clamp(shown.length() - indent.length(), 1, length));
        return new ArrayList<>(
                List.of(BOLD + "Line " + line + PLAIN, "    " + shown, "    " + indent + RED + mark + PLAIN));
    }

    private static List<String> message(Diag error) {
        var where = "location: class ";
        return error.getMessage(Locale.ENGLISH)
                .lines()
                .filter(line -> !line.strip().equals(where.strip()) && !line.contains("REPL.$"))
                .toList();
    }

    /** What rarely does what it seems to. */
    List<String> legal(String source) {
        return advice.legal(JavaText.of(source).code());
    }

    // --- what was thrown ---

    Failed thrown(Throwable thrown) {
        var lines = new ArrayList<String>();
        describe(thrown, "", lines, Collections.newSetFromMap(new IdentityHashMap<>()));
        Stream.iterate(thrown, cause -> cause != null, Throwable::getCause)
                .limit(MOST_CAUSES)
                .map(advice::thrown)
                .filter(help -> !help.isEmpty())
                .findFirst()
                .ifPresent(lines::addAll);
        return new Failed(type(thrown, true), message(thrown), lines, thrown);
    }

    private void describe(Throwable thrown, String prefix, List<String> lines, Set<Throwable> seen) {
        if (!seen.add(thrown) || seen.size() > MOST_CAUSES) {
            lines.add(prefix + type(thrown, false) + ", which is described above");
            return;
        }
        var message = message(thrown);
        lines.add(prefix + RED + type(thrown, false) + PLAIN + (message.isEmpty() ? "" : ": " + message));
        frames(thrown.getStackTrace(), lines);
        for (var also : thrown.getSuppressed()) {
            describe(also, "Suppressed: ", lines, seen);
        }
        if (thrown.getCause() != null) {
            describe(thrown.getCause(), "Caused by: ", lines, seen);
        }
    }

    private void frames(StackTraceElement[] frames, List<String> lines) {
        int own = 0;
        for (var frame : frames) {
            var line = own(frame);
            if (!line.isEmpty() && own++ < MOST_FRAMES && !lines.getLast().endsWith(line)) {
                lines.add("    at " + line);
            }
        }
        int others = frames.length - own;
        if (own > MOST_FRAMES) {
            lines.add("    … %,d more frames of cells".formatted(own - MOST_FRAMES));
        }
        if (others > 0) {
            var first = own(frames[0]).isEmpty()
                    ? ", thrown in " + frames[0].toString().replaceAll("^[^/(]*/", "")
                    : "";
            lines.add(
                    "    … %,d frame%s of the JDK and of libraries%s".formatted(others, others == 1 ? "" : "s", first));
        }
    }

    /** A frame of a cell as its reader sees it, or nothing. */
    private String own(StackTraceElement frame) {
        if (!frame.getClassName().startsWith("REPL.")) {
            return "";
        }
        // JShell puts the statements of a cell into do_it$, and those with a class of their own into do_it$Aux
        var method = frame.getMethodName()
                .replaceFirst("lambda\\$(.*)\\$\\d+", "a lambda in $1")
                .replaceFirst("( in )?do_it\\$(Aux)?", "");
        var in = method.isEmpty() ? "" : ", in " + method;
        var line = JShellInternals.line(shell, frame).orElse(null);
        // a thread may fail while its snippet still runs, and has no place yet
        var place = line == null ? null : places.getOrDefault(line.snippet().id(), running);
        if (place == null) {
            return "code of a cell" + in;
        }
        int at = place.line(0) + line.line() - 1;
        var where = place.cell == cell ? "of this cell" : "of cell [" + place.cell + "]";
        var source = place.source(at).strip();
        return "line %d %s%s:  %s"
                .formatted(at, where, in, source.length() <= SHORT ? source : source.substring(0, SHORT) + " …");
    }

    /** A class and an import of another of the same name: JShell would take both, and refuse all code from then on. */
    Failed clash(String imported, String name, Place place) {
        var lines = pointed(place, 0, 6);
        lines.add("A cell declares " + name + ", so " + imported + " cannot be imported: write its full name instead.");
        return new Failed("CompilationException", lines.getLast(), lines, null);
    }

    Failed unresolved(DeclarationSnippet declared, Place place) {
        var unknown = shell.unresolvedDependencies(declared).sorted().toList();
        var errors = shell.diagnostics(declared).filter(Diag::isError).toList();
        var lines = pointed(place, 0, 1);
        var why = unknown.isEmpty()
                ? errors.isEmpty() ? "" : ": " + String.join(" ", message(errors.getFirst()))
                : " until this is declared: " + String.join(", ", unknown);
        lines.add("%s cannot be used%s".formatted(declared.name(), why));
        unknown.forEach(
                name -> lines.addAll(advice.unknown(name.replaceAll("\\(.*", "").replaceAll(".* ", ""))));
        return new Failed("UnresolvedReferenceException", declared.name(), lines, null);
    }

    Failed magic(String name, Throwable thrown, Place place, Collection<String> known) {
        var lines = pointed(place, 0, name.length() + 1);
        lines.add(type(thrown, true) + ": " + message(thrown));
        lines.addAll(advice.statement("magic", place.text.substring(place.at), message(thrown)));
        if (thrown instanceof UndefinedMagicException) {
            lines.add("There are " + known.stream().sorted().map("%"::concat).collect(Collectors.joining(", ")) + ".");
        }
        return new Failed(type(thrown, true), message(thrown), lines, thrown);
    }

    // --- interrupts ---

    /** After an interrupt: whether something of the cell still runs. */
    Failed interrupted(CellControl.Interrupted stopped, List<Thread> running) {
        var lines = new ArrayList<String>();
        lines.add("The cell was interrupted.");
        boolean computes = false;
        for (var thread : running) {
            var at = Stream.of(thread.getStackTrace())
                    .map(this::own)
                    .filter(own -> !own.isEmpty())
                    .findFirst();
            boolean runs = thread.getState() == Thread.State.RUNNABLE;
            computes |= runs;
            var where = at.map(own -> " at " + own).orElse("");
            lines.add("The thread \"%s\" still %s%s".formatted(thread.getName(), runs ? "runs" : "waits", where));
        }
        if (!running.isEmpty() && !computes) {
            lines.add("It uses no CPU meanwhile; it ends when its wait does, or when you restart the kernel.");
        } else if (computes) {
            lines.add(
                    "It may use a CPU until its code ends, which disturbs what you measure: to end it now, restart the kernel.");
        }
        return new Failed("EvaluationInterruptedException", lines.getFirst(), lines, stopped);
    }

    /** The name of what was thrown, without that of the class into which JShell has put a class of a cell. */
    private static String type(Throwable thrown, boolean simple) {
        var type = thrown.getClass();
        var name = plain((type.isAnonymousClass() ? type.getSuperclass() : type).getName());
        return simple ? name.replaceFirst(".*[.$]", "") : name;
    }

    /** A text without the names of the classes into which JShell puts those of cells. */
    static String plain(String text) {
        return text.replaceAll("REPL\\.\\$JShell\\$\\d+[A-Z]*[.$]", "");
    }

    /** A message that throws or is long must not hide the error. */
    private static String message(Throwable thrown) {
        try {
            var message = thrown.getLocalizedMessage();
            var shown = message == null ? "" : plain(message);
            return shown.length() <= LONGEST ? shown : shown.substring(0, LONGEST) + " …";
        } catch (RuntimeException | Error e) {
            return "(its message cannot be read: " + e.getClass().getSimpleName() + ")";
        }
    }
}
