package threadlab.server;

import com.google.gson.Gson;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import threadlab.child.ChildJvm;
import threadlab.child.ChildRun;
import threadlab.child.ExitReason;
import threadlab.child.JvmOptions;
import threadlab.child.RunningChild;

/**
 * A Spring Boot application made of the notebook's classes, in a separate JVM: its CPU time, threads and heap are those
 * of the server alone, and it has its own compiler to warm up.
 *
 * <pre>{@code
 * var server = LocalServer.of("virtual threads", Orders.class)
 *         .set("spring.threads.virtual.enabled", true)
 *         .startChild();
 * Load.on(server.url("/orders")).serverProcess(server.pid())…
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
    private static final int LOOK_AGAIN_MS = 50;

    private static final OneOfAName<ChildServer> RUNNING = new OneOfAName<>();

    private final String name;
    private final RunningChild jvm;
    private final FutureTask<ChildRun> end;
    private final Socket line;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final int port;
    private final double seconds;
    private volatile boolean started;

    /** Starts it; if that fails, nothing is left behind. */
    private ChildServer(String name, Set<Class<?>> classes, Map<String, Object> properties, List<String> options)
            throws InterruptedException {
        long begin = System.nanoTime();
        this.name = name;
        var loopback = InetAddress.getLoopbackAddress();
        try (var door = new ServerSocket(0, 50, loopback)) {
            var order = new ServerOrder(
                    name,
                    classes.stream().map(Class::getName).toList(),
                    properties.entrySet().stream()
                            .collect(Collectors.toMap(Map.Entry::getKey, value -> String.valueOf(value.getValue()))),
                    door.getLocalPort(),
                    UUID.randomUUID().toString());
            jvm = ChildJvm.of(ServerMain.class)
                    .classes(CellClasses.of(classes))
                    .environment(ServerOrder.VARIABLE, new Gson().toJson(order))
                    .options(JvmOptions.server())
                    .options(options.toArray(String[]::new))
                    .timeOut(Duration.ofDays(1))
                    .start();
            end = new FutureTask<>(this::awaitEnd);
            // its output appears in the notebook, like that of a server in the kernel
            Thread.ofPlatform().daemon().name("output of server " + name).start(end);
            try {
                line = accept(door, order.password());
                in = new DataInputStream(line.getInputStream());
                out = new DataOutputStream(line.getOutputStream());
                port = in.readInt();
                var fault = in.readUTF();
                if (port == 0) {
                    throw new IllegalStateException(fault);
                }
                started = true;
            } catch (EOFException e) {
                throw died();
            } finally {
                if (!started) {
                    jvm.close();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("the server \"%s\" did not start: %s".formatted(name, e.getMessage()), e);
        }
        seconds = (System.nanoTime() - begin) / 1e9;
    }

    static ChildServer start(String name, Set<Class<?>> classes, Map<String, Object> properties, List<String> options)
            throws InterruptedException {
        return RUNNING.replace(name, () -> new ChildServer(name, classes, properties, options));
    }

    /** Accepts the connection of the child, and of no other process. */
    private Socket accept(ServerSocket door, String password) throws IOException, InterruptedException {
        door.setSoTimeout(LOOK_AGAIN_MS);
        for (long begin = System.nanoTime(); System.nanoTime() - begin < LONGEST_START.toNanos(); ) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while the server \"" + name + "\" started");
            }
            if (!jvm.isAlive()) {
                throw died();
            }
            try {
                var caller = door.accept();
                caller.setTcpNoDelay(true);
                caller.setSoTimeout((int) LONGEST_START.toMillis());
                if (new DataInputStream(caller.getInputStream()).readUTF().equals(password)) {
                    return caller;
                }
                caller.close();
            } catch (SocketTimeoutException e) {
                // check again whether it is alive
            }
        }
        throw new IllegalStateException("the server \"%s\" did not start within %d s: start it again"
                .formatted(name, LONGEST_START.toSeconds()));
    }

    private IllegalStateException died() throws InterruptedException {
        try {
            return new IllegalStateException(
                    "the server \"%s\" did not start: %s".formatted(name, explanation(end.get())));
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    private ChildRun awaitEnd() throws InterruptedException {
        var run = jvm.await();
        if (started && run.reason() != ExitReason.CLOSED) {
            System.out.println("The server \"%s\" has ended: %s".formatted(name, explanation(run)));
        }
        return run;
    }

    private static String explanation(ChildRun run) {
        return run.explanation()
                .replace(ServerMain.class.getName(), "its JVM")
                .replace("heap(…)", "startChild(\"-Xmx512m\")");
    }

    /**
     * The address of a resource.
     *
     * @param path starting with a slash, such as {@code /orders?delay=100}
     * @return an address that begins with {@code http://127.0.0.1:} and the port
     */
    public String url(String path) {
        return LocalServer.url(port, path);
    }

    /**
     * The number of its process, as {@code Load.serverProcess} takes it.
     *
     * @return the process id of its JVM
     */
    public long pid() {
        return jvm.pid();
    }

    /**
     * What its JVM has used so far.
     *
     * @return CPU time, compiler time, threads, heap
     * @throws IllegalStateException if it is not running
     */
    public ServerUsage usage() {
        return ask(ServerMain.USED);
    }

    /**
     * The heap in use by reachable objects in its JVM: requests a garbage collection first.
     *
     * @return bytes
     * @throws IllegalStateException if it is not running
     */
    public long heapInUse() {
        return ask(ServerMain.HELD).heapBytes();
    }

    private synchronized ServerUsage ask(int question) {
        try {
            out.write(question);
            out.flush();
            return new ServerUsage(in.readDouble(), in.readDouble(), in.readInt(), in.readLong());
        } catch (IOException e) {
            throw new IllegalStateException("the server \"%s\" is not running: start it again".formatted(name));
        }
    }

    /**
     * Whether its JVM is alive.
     *
     * @return false once it is closed
     */
    public boolean isRunning() {
        return jvm.isAlive();
    }

    /** Ends its JVM, whatever its requests are doing; a second call does nothing. */
    @Override
    public void close() {
        RUNNING.end(name, this, () -> {
            jvm.close();
            line.close();
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
