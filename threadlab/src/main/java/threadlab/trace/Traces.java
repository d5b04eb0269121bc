package threadlab.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import whatwaits.look.Places;
import whatwaits.rules.Owner;

/**
 * Stack traces side by side: the program's own frames one by one, all others folded and counted.
 *
 * <p>A trace is that of the root cause: the exception that the program threw, without the exceptions that an executor
 * wrapped around it. Where a class was loaded from says whose code a frame is. Own frames are named as in the source: methods and
 * lambdas that the compiler made from a cell get the cell's names back.
 */
public final class Traces {

    /** The methods that the compiler makes from a lambda: {@code lambda$request$0} is a lambda in {@code request}. */
    private static final Pattern LAMBDA = Pattern.compile("lambda\\$(.+)\\$\\d+");

    /** The method into which JShell puts the statements of a cell. */
    private static final String STATEMENTS = "do_it$";

    /** One line of a trace: a frame of our own, or the number of successive frames of another owner. */
    private record Line(String whose, int frames, String method, boolean lambda) {}

    /** Our own code: the cells, or a program. */
    private static final String OWN = "own";

    private record Trace(String message, List<Line> lines) {}

    private final Map<String, Trace> traces;

    private Traces(Map<String, Trace> traces) {
        this.traces = traces;
    }

    /**
     * Begins with one trace.
     *
     * @param name what the trace is called
     * @param thrown the exception; the trace is that of its root cause
     * @return traces to add others to
     */
    public static Traces of(String name, Throwable thrown) {
        return new Traces(Map.of()).and(name, thrown);
    }

    /**
     * Adds a trace.
     *
     * @param name what the trace is called
     * @param thrown the exception; the trace is that of its root cause
     * @return these traces and the new one
     * @throws IllegalArgumentException if the name is blank or taken
     */
    public Traces and(String name, Throwable thrown) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("a trace needs a name, such as \"virtual\"");
        }
        if (traces.containsKey(name)) {
            throw new IllegalArgumentException("there is already a trace \"" + name + "\": give each its own name");
        }
        var cause = rootCause(Objects.requireNonNull(thrown, () -> "there is no exception for \"" + name + "\""));
        var message = cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage());
        var all = new LinkedHashMap<>(traces);
        all.put(name, new Trace(message, lines(cause.getStackTrace())));
        return new Traces(all);
    }

    private static Throwable rootCause(Throwable thrown) {
        var cause = thrown;
        // a chain of causes may be circular; no real one is this long
        for (int depth = 0; depth < 100 && cause.getCause() != null; depth++) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static List<Line> lines(StackTraceElement[] frames) {
        var lines = new ArrayList<Line>();
        var owners = Places.here();
        for (var frame : frames) {
            var whose = whose(frame.getClassName(), owners);
            if (whose.equals(OWN)) {
                var lambda = LAMBDA.matcher(frame.getMethodName());
                var method = lambda.matches() ? lambda.group(1) : frame.getMethodName();
                lines.add(new Line(whose, 1, method.equals(STATEMENTS) ? "the cell" : method, lambda.matches()));
            } else {
                boolean more = !lines.isEmpty() && lines.getLast().whose.equals(whose);
                lines.add(new Line(whose, more ? lines.removeLast().frames + 1 : 1, "", false));
            }
        }
        return List.copyOf(lines);
    }

    /** Own, JDK, kernel, framework or threadlab. */
    private static String whose(String type, Function<String, Owner> owners) {
        if (Stream.of("org.dflib.jjava.", "jdk.jshell.", "threadlab.kernel.").anyMatch(type::startsWith)) {
            return "kernel";
        }
        if (type.startsWith("threadlab.") && Places.isBeside(type, Traces.class)) {
            return "threadlab";
        }
        return switch (owners.apply(type)) {
            case OWN -> OWN;
            case JDK -> "JDK";
            case LIBRARY -> "framework";
        };
    }

    /**
     * The traces' names.
     *
     * @return in the order in which they were added
     */
    public List<String> names() {
        return List.copyOf(traces.keySet());
    }

    /**
     * What was thrown.
     *
     * @param name the trace's name
     * @return the root cause's class and message
     */
    public String message(String name) {
        return trace(name).message;
    }

    /**
     * The methods of our own code that a trace names.
     *
     * @param name the trace's name
     * @return their names, from the one that threw to the outermost caller; a lambda counts as the method in which
     *     it is written, and the statements of a cell as {@code the cell}
     */
    public List<String> own(String name) {
        var own = trace(name).lines.stream().filter(line -> line.whose.equals(OWN));
        return own.map(Line::method).toList();
    }

    private Trace trace(String name) {
        var trace = traces.get(name);
        if (trace == null) {
            throw new IllegalArgumentException("there is no trace \"" + name + "\"; there are " + names());
        }
        return trace;
    }

    /**
     * All traces, folded.
     *
     * @return columns {@code trace}, {@code line} (1 is where the exception was thrown), {@code whose} (own, JDK,
     *     kernel, framework or threadlab), {@code frames} (how many the line stands for) and {@code method} (of one of
     *     our own frames; missing in the others)
     */
    public Table table() {
        var table = Table.create(
                "stack traces",
                StringColumn.create("trace"),
                IntColumn.create("line"),
                StringColumn.create("whose"),
                IntColumn.create("frames"),
                StringColumn.create("method"));
        traces.forEach((name, trace) -> {
            for (int i = 0; i < trace.lines.size(); i++) {
                var line = trace.lines.get(i);
                table.stringColumn("trace").append(name);
                table.intColumn("line").append(i + 1);
                table.stringColumn("whose").append(line.whose);
                table.intColumn("frames").append(line.frames);
                table.stringColumn("method").append(line.method + (line.lambda ? " (lambda)" : ""));
            }
        });
        return table;
    }

    @Override
    public String toString() {
        var each = names().stream()
                .map(name -> name + ": " + message(name) + "; own frames " + String.join(" ← ", own(name)));
        return each.collect(Collectors.joining("\n"));
    }
}
