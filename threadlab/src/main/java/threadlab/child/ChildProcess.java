package threadlab.child;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import threadlab.support.Proc;

/**
 * The process of a child: started with its settings, observed, and ended with all that it has started. Where the system
 * has {@code setsid}, it runs in a session of its own: so what it has started can be ended when it has ended itself, and
 * its {@link Guard} survives the kill of a whole kernel, which Jupyter ends with its process group.
 */
final class ChildProcess {
    final Process root;
    /** With the classes of the program, and its temporary files. */
    private final Path folder;
    /** Null for none. */
    private final ControlGroup group;

    private final NativeLimits.Allowed allowed;
    private final boolean session;

    private final Path status;
    private long observed;
    /** The most resident memory seen, in bytes; -1 where the system does not report it. */
    long memory = -1;
    /** The most native threads seen; -1 where the system does not report them. */
    int threads = -1;

    private ChildProcess(Process root, Path folder, ControlGroup group, NativeLimits.Allowed allowed, boolean session) {
        this.root = root;
        this.folder = folder;
        this.group = group;
        this.allowed = allowed;
        this.session = session;
        status = Path.of("/proc", String.valueOf(root.pid()), "status");
    }

    /**
     * Compiles the program, limits the process and starts it.
     *
     * @throws IllegalArgumentException if the program does not compile, with the compiler's messages
     */
    static ChildProcess start(ChildJvm child) {
        Path folder = null;
        ControlGroup group = null;
        try {
            folder = Files.createTempDirectory(
                    "threadlab-%s-".formatted(ProcessHandle.current().pid()));
            if (child.program != null) {
                child.program.compile(child.java.release(), child.java.libraries(), folder);
            }
            for (var one : child.classes.entrySet()) {
                var file = folder.resolve(one.getKey().replace('.', '/') + ".class");
                Files.createDirectories(file.getParent());
                Files.write(file, one.getValue());
            }
            group = group(child);
            boolean session = onPath("setsid", path());
            var command = new ArrayList<>(session ? List.of("setsid") : List.<String>of());
            if (group != null) {
                command.addAll(group.command());
            }
            int bound = child.cpus == 0 && child.quota > 0 && group == null ? (int) Math.ceil(child.quota) : child.cpus;
            var limits = new LinuxLimits(path());
            if (child.threads > 0) {
                limits.threads(child.threads);
            }
            if (bound > 0) {
                limits.cpus(bound);
            }
            command.addAll(limits.command());
            command.addAll(command(child, folder, bound, group == null));
            var builder = new ProcessBuilder(command);
            builder.environment().putAll(environment(child, folder));
            return new ChildProcess(builder.start(), folder, group, limits.allowedThreads(), session);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            if (folder != null) {
                endUnwatched(folder.toString());
                Guard.delete(folder.toFile());
            }
            if (group != null) {
                group.close();
            }
            if (e instanceof IOException io) {
                throw new UncheckedIOException(
                        "the child JVM could not be started (%s)".formatted(io.getMessage()), io);
            }
            if (e instanceof OutOfMemoryError noThread) {
                throw noThread;
            }
            throw (RuntimeException) e;
        }
    }

    /** Where the system allows no thread that could wait for its end, a process runs that Java does not hand out. */
    private static void endUnwatched(String folder) {
        ProcessHandle.current()
                .children()
                .filter(child -> child.info().commandLine().orElse("").contains(folder))
                .forEach(ProcessHandle::destroyForcibly);
    }

    private static Map<String, String> environment(ChildJvm child, Path folder) throws IOException {
        if (child.order == null) {
            return child.environment;
        }
        var whole = new HashMap<>(child.environment);
        var order = Parent.write(child.order);
        var told = order.length() <= Parent.LONGEST_VARIABLE
                ? order
                : Files.writeString(folder.resolve("order.json"), order).toString();
        whole.put(Parent.ORDER, told);
        return whole;
    }

    /** The group that the child joins; null if no setting needs one, or none can be created. */
    private static ControlGroup group(ChildJvm child) {
        if (child.quota == 0 && child.memory == 0) {
            return null;
        }
        try {
            return ControlGroup.make(Path.of("/"), child.quota, child.memory);
        } catch (IOException e) {
            System.out.println(
                    "No control group limits this child: %s. Its JVM only gets the limits as options, the CPUs as a whole number."
                            .formatted(e.getMessage()));
            return null;
        }
    }

    private static List<String> command(ChildJvm child, Path classes, int bound, boolean told) throws IOException {
        var command = new ArrayList<>(List.of(child.java.java()));
        command.addAll(JvmOptions.EVERY);
        // a killed child leaves its temporary files, such as Tomcat's and a recording's: remove them with the rest
        command.add("-Djava.io.tmpdir=" + Files.createDirectory(classes.resolve("temporary")));
        if (bound > 0) {
            command.add("-XX:ActiveProcessorCount=" + bound);
        }
        if (told && child.memory > 0) {
            // Java 27 no longer has MaxRAM: set the heap to its default share of that memory instead
            command.add(child.java.version() < 27 ? "-XX:MaxRAM=" + child.memory : "-Xmx" + child.memory / 4);
        }
        if (child.java.release() == Runtime.version().feature()) {
            command.addAll(JvmOptions.inherited());
        }
        var cache = child.options.stream()
                .filter(option -> option.startsWith("-XX:AOTCache"))
                .map(option -> option.substring(option.indexOf('=') + 1))
                .findFirst();
        if (cache.isEmpty()) {
            command.addAll(child.java.learnt());
        }
        command.addAll(child.options);
        command.add("-D" + Guard.FOLDER + "=" + classes);
        var program = cache.isEmpty() ? classes : jar(classes, Path.of(cache.get() + ".jar"));
        command.addAll(List.of("-cp", child.java.classPathWith(program), Guard.class.getName(), child.mainClass));
        command.addAll(child.arguments);
        return command;
    }

    /** The classes as the jar beside a cache that a JVM learns into: a cache accepts only jars, by path and age. */
    private static Path jar(Path classes, Path jar) {
        if (!Files.exists(jar)) {
            var tool = ToolProvider.findFirst("jar").orElseThrow();
            tool.run(System.out, System.err, "--create", "--file", jar.toString(), "-C", classes.toString(), ".");
        }
        return jar;
    }

    private static String path() {
        return System.getenv().getOrDefault("PATH", "");
    }

    /** Whether a program is in one of the folders of a list such as the variable PATH. */
    static boolean onPath(String program, String path) {
        return Arrays.stream(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** How long it was throttled by its group. */
    Duration throttled() {
        return group == null ? Duration.ZERO : group.throttled();
    }

    /** Which limit on native threads it has met, in words. */
    String metLimit() {
        observe();
        return NativeLimits.met(root.pid(), threads, allowed);
    }

    /** Reads its peaks from the system. */
    void observe() {
        observed = System.nanoTime();
        for (String kilobytes : Proc.field(status, "VmHWM:")) {
            memory = Math.max(memory, Long.parseLong(kilobytes) * 1_024);
        }
        for (String count : Proc.field(status, "Threads:")) {
            threads = Math.max(threads, Integer.parseInt(count));
        }
    }

    boolean observedWithin(Duration age) {
        return System.nanoTime() - observed < age.toNanos();
    }

    /** Ends the root first, so that it starts nothing more, then the processes that it has started. */
    void kill() {
        var descendants = root.descendants().toList();
        root.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        try {
            if (session) {
                // Java cannot send a signal to a process group
                new ProcessBuilder("sh", "-c", "kill -KILL -" + root.pid() + " 2> /dev/null")
                        .start()
                        .waitFor(5, TimeUnit.SECONDS);
            }
            root.waitFor(5, TimeUnit.SECONDS);
        } catch (IOException | OutOfMemoryError e) {
            // there is no shell, or no process for it: what has left the tree goes on
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all of it and removes its files. */
    void close() {
        kill();
        Guard.delete(folder.toFile());
        if (group != null) {
            group.close();
        }
    }
}
