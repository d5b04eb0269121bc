package threadlab.cells;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Shows on the page what a process writes that inherits the streams of its parent, which a cell expects of
 * {@code inheritIO()}: those of this JVM lead to the terminal of Jupyter's server. {@link CellFiles} lets cells call it.
 */
public final class CellProcesses {

    private static final Duration PATIENCE = Duration.ofMillis(300);

    private static final Map<Thread, Process> SHOWN = new ConcurrentHashMap<>();

    private CellProcesses() {}

    /**
     * Starts a process in the place of {@link ProcessBuilder#start()}.
     *
     * @param builder what it is to run
     * @return the process
     * @throws IOException if it cannot be started
     */
    public static Process start(ProcessBuilder builder) throws IOException {
        boolean out = builder.redirectOutput() == Redirect.INHERIT;
        boolean err = builder.redirectError() == Redirect.INHERIT && !builder.redirectErrorStream();
        if (!out && !err) {
            return builder.start();
        }
        builder.redirectOutput(out ? Redirect.PIPE : builder.redirectOutput());
        builder.redirectError(err ? Redirect.PIPE : builder.redirectError());
        var process = builder.start();
        builder.redirectOutput(out ? Redirect.INHERIT : builder.redirectOutput());
        builder.redirectError(err ? Redirect.INHERIT : builder.redirectError());
        if (out) {
            show(process, process.getInputStream(), System.out);
        }
        if (err) {
            show(process, process.getErrorStream(), System.err);
        }
        return process;
    }

    /** Waits until what ended processes have written is shown. */
    public static void settle() {
        try {
            for (var shown : SHOWN.entrySet()) {
                if (!shown.getValue().isAlive()) {
                    shown.getKey().join(PATIENCE); // a child of its own may keep the stream open
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void show(Process process, InputStream from, PrintStream to) {
        var thread = Thread.ofPlatform()
                .daemon()
                .name("process " + process.pid())
                .unstarted(() -> {
                    try (from) {
                        from.transferTo(to);
                    } catch (IOException e) {
                        to.println("(what the process writes cannot be read: " + e.getMessage() + ")");
                    } finally {
                        SHOWN.remove(Thread.currentThread());
                    }
                });
        SHOWN.put(thread, process);
        thread.start();
    }
}
