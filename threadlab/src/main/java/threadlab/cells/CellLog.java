package threadlab.cells;

import java.lang.StackWalker.Option;
import java.lang.StackWalker.StackFrame;
import java.util.List;
import java.util.Objects;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/**
 * Shows in the running cell what classes of cells log, by {@code java.util.logging}, {@code System.Logger} or SLF4J:
 * warnings, and the rest if the reader sets a logger's level. The class that logs decides, because a logger may have
 * any name. What libraries log stays out of the cells.
 */
public final class CellLog extends Handler {

    /** How the names of cell classes begin. */
    private static final String CELL = "REPL.";

    /** What JShell puts before the name of such a class. */
    private static final String WRAPPER = "REPL\\.\\$JShell\\$\\w+\\$";

    private static final String SLF4J = "org.slf4j.";

    /** Of these are the frames between a record and the class that logs it, without SLF4J's. */
    private static final List<String> JDK = List.of(
            CellLog.class.getName(),
            "java.util.logging.",
            "java.lang.System$Logger",
            "jdk.internal.logger.",
            "sun.util.logging.");

    /** Hidden frames are those of method references, such as {@code lines.forEach(log::info)}. */
    private static final StackWalker STACK = StackWalker.getInstance(Option.SHOW_HIDDEN_FRAMES);

    private final List<Handler> terminal;
    private final SimpleFormatter format = new SimpleFormatter();

    private CellLog(List<Handler> terminal) {
        this.terminal = terminal;
    }

    /** Comes between the root logger and its handlers, which write to the terminal that Jupyter runs in. */
    public static void install() {
        var root = Logger.getLogger("");
        // the kernel reports the start and the end of each of its loops
        root.setLevel(Level.WARNING);
        var terminal = List.of(root.getHandlers());
        terminal.forEach(handler -> handler.setLevel(Level.WARNING));
        terminal.forEach(root::removeHandler);
        root.addHandler(new CellLog(terminal));
    }

    @Override
    public void publish(LogRecord record) {
        if (!isLoggable(record)) {
            return;
        }
        if (caller(true).startsWith(CELL)) {
            var name = Objects.toString(record.getLoggerName(), "").replaceFirst(WRAPPER, "");
            System.err.println((record.getLevel() + " " + name).strip() + ": " + format.formatMessage(record));
            if (record.getThrown() != null) {
                record.getThrown().printStackTrace();
            }
        } else if (!caller(false).startsWith(SLF4J)) {
            // libraries that use SLF4J are silent
            terminal.forEach(handler -> handler.publish(record));
        }
    }

    /** The class that called java.util.logging or System.Logger, or SLF4J before these. */
    private static String caller(boolean ofSlf4j) {
        return STACK.walk(frames -> frames.map(StackFrame::getClassName)
                .dropWhile(name -> JDK.stream().anyMatch(name::startsWith) || ofSlf4j && name.startsWith(SLF4J))
                .findFirst()
                .orElse(""));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
