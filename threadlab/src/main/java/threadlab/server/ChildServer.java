package threadlab.server;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import threadlab.child.ChildJvm;
import threadlab.child.ChildRun;
import threadlab.child.ExitReason;
import threadlab.child.JvmOptions;
import threadlab.child.RunningChild;
import threadlab.load.Load;

/**
 * A Spring Boot application made of the notebook's classes, in a separate JVM: its CPU time, threads and heap are those
 * of the server alone, and it has its own compiler to warm up.
 *
 * <pre>{@code
 * var server = LocalServer.of("virtual threads", Orders.class)
 *         .set("spring.threads.virtual.enabled", true)
 *         .startChild();
 * server.load("/orders").clients(100)…
 * server.usage().cpuSeconds()
 * }</pre>
 *
 * <p>The child gets the classes as compiled in the cells, with all the cell classes that they use, but not the
 * notebook's variables. Values are passed as properties, for {@code @Value}. The kernel has at most one child server of
 * each name: a cell that runs again replaces the one that it started before. All end with the kernel, even if it is
 * killed.
 */
public final class ChildServer implements AutoCloseable {

    private static final Duration LONGEST_START = Duration.ofSeconds(60);
    private static final OneOfAName<ChildServer> RUNNING = new OneOfAName<>();

    private final String name;
    private final RunningChild jvm;
    private final int port;
    private final double seconds;

    /** Starts it; if that fails, nothing is left behind. */
    private ChildServer(String name, Set<Class<?>> classes, Map<String, Object> properties, List<String> options)
            throws InterruptedException {
        long begin = System.nanoTime();
        this.name = name;
        var texts = properties.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, value -> String.valueOf(value.getValue())));
        jvm = ChildJvm.of(ServerMain.class)
                .classes(CellClasses.of(classes))
                .order(new ServerOrder(
                        name, classes.stream().map(Class::getName).toList(), texts))
                .options(JvmOptions.server())
                .options(options.toArray(String[]::new))
                .timeOut(Duration.ofDays(1))
                .start();
        // its output appears in the notebook, like that of a server in the kernel
        var started = jvm.ready(
                ServerOrder.Started.class,
                LONGEST_START,
                run -> System.out.println("The server \"%s\" has ended: %s".formatted(name, explanation(run))));
        if (started == null || started.port() == 0) {
            var reason = started != null ? started.fault() : notStarted();
            jvm.close();
            throw new IllegalStateException(reason);
        }
        port = started.port();
        seconds = (System.nanoTime() - begin) / 1e9;
    }

    static ChildServer start(String name, Set<Class<?>> classes, Map<String, Object> properties, List<String> options)
            throws InterruptedException {
        return RUNNING.replace(name, () -> new ChildServer(name, classes, properties, options));
    }

    private String notStarted() throws InterruptedException {
        var why = isRunning()
                ? " within %d s: start it again".formatted(LONGEST_START.toSeconds())
                : ": " + explanation(jvm.await());
        return "the server \"%s\" did not start%s".formatted(name, why);
    }

    private static String explanation(ChildRun run) {
        var told = run.explanation()
                .replace(ServerMain.class.getName(), "its JVM")
                .replace("heap(…)", "startChild(\"-Xmx512m\")");
        return run.reason() == ExitReason.NO_NATIVE_THREAD
                ? told.replaceFirst("\\.$", ": end some, or restart the kernel.")
                : told;
    }

    /**
     * {@return the address of a resource, which begins with {@code http://127.0.0.1:} and the port}
     *
     * @param path starting with a slash, such as {@code /orders?delay=100}
     */
    public String url(String path) {
        return LocalServer.url(port, path);
    }

    /**
     * {@return a load on a resource of this server, which also reads the CPU time of its JVM}
     *
     * @param path starting with a slash, such as {@code /orders?delay=100}
     * @throws IllegalArgumentException if the server is not running
     */
    public Load load(String path) {
        return Load.on(url(path)).serverProcess(pid());
    }

    /** {@return the number of its JVM's process, as {@code Load.serverProcess} takes it} */
    public long pid() {
        return jvm.pid();
    }

    /**
     * {@return what its JVM has used so far: CPU time, compiler time, threads, heap}
     *
     * @throws IllegalStateException if it is not running
     */
    public ServerUsage usage() {
        return ask(false);
    }

    /**
     * {@return the heap in use by reachable objects in its JVM, in bytes; it requests a garbage collection first}
     *
     * @throws IllegalStateException if it is not running
     */
    public long heapInUse() {
        return ask(true).heapBytes();
    }

    private synchronized ServerUsage ask(boolean heapInUse) {
        boolean interrupted = false;
        try {
            jvm.ask(new ServerOrder.Question(heapInUse));
            while (true) {
                try {
                    var usage = jvm.answer(ServerUsage.class, LONGEST_START);
                    if (usage == null) {
                        break;
                    }
                    return usage;
                } catch (InterruptedException e) {
                    // an answer that nobody takes would be that to the next question
                    interrupted = true;
                }
            }
        } catch (IOException e) {
            // it has ended
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        throw new IllegalStateException("the server \"%s\" is not running: start it again".formatted(name));
    }

    /** {@return whether its JVM is alive; not once it is closed} */
    public boolean isRunning() {
        return jvm.isAlive();
    }

    /** Ends its JVM, whatever its requests are doing; a second call does nothing. */
    @Override
    public void close() {
        RUNNING.end(name, this, () -> {
            jvm.close();
            return null;
        });
    }

    /** Says where it listens. */
    @Override
    public String toString() {
        return isRunning()
                ? "The server \"%s\" listens on port %d, for this machine only, in process %d (ready in %.1f s)."
                        .formatted(name, port, pid(), seconds)
                : "The server \"%s\" is closed.".formatted(name);
    }
}
