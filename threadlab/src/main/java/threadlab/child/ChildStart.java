package threadlab.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.spi.ToolProvider;

/** Starts a child with its settings: compiles the program, limits the process, composes the command. */
final class ChildStart {

    private final ChildJvm child;

    ChildStart(ChildJvm child) {
        this.child = child;
    }

    RunningChild start() {
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
            group = group();
            var command = new ArrayList<String>();
            if (group != null) {
                command.addAll(group.command());
            }
            int bound = child.cpus == 0 && child.quota > 0 && group == null ? (int) Math.ceil(child.quota) : child.cpus;
            NativeLimits.Allowed allowed = null;
            if (child.threads > 0 || bound > 0) {
                var limits = new LinuxLimits(System.getenv().getOrDefault("PATH", ""));
                if (child.threads > 0) {
                    limits.threads(child.threads);
                }
                if (bound > 0) {
                    limits.cpus(bound);
                }
                command.addAll(limits.command());
                allowed = limits.allowedThreads();
            }
            command.addAll(command(folder, bound, group == null));
            var process = ChildProcess.start(command, environment(folder), folder, group, allowed);
            return new RunningChild(child, process);
        } catch (IOException | RuntimeException e) {
            if (folder != null) {
                Guard.delete(folder.toFile());
            }
            if (group != null) {
                group.close();
            }
            throw e instanceof RuntimeException fault
                    ? fault
                    : new UncheckedIOException("the child JVM could not be started", (IOException) e);
        }
    }

    private Map<String, String> environment(Path folder) throws IOException {
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
    private ControlGroup group() {
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

    private List<String> command(Path classes, int bound, boolean told) {
        var command = new ArrayList<>(List.of(child.java.java()));
        command.addAll(JvmOptions.EVERY);
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
        command.addAll(List.of(
                "-cp",
                child.java.classPathWith(cache.isEmpty() ? classes : jar(classes, Path.of(cache.get() + ".jar"))),
                Guard.class.getName(),
                child.mainClass));
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
}
