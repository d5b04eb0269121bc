package threadlab.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts a child with its settings: compiles the program, limits the process, composes the command. */
final class ChildStart {

    private final ChildJvm child;

    ChildStart(ChildJvm child) {
        this.child = child;
    }

    RunningChild start() {
        Scratch scratch = null;
        ControlGroup group = null;
        try {
            scratch = Scratch.make();
            if (child.program != null) {
                child.program.compile(child.java.release(), child.java.libraries(), scratch.folder());
            }
            scratch.put(child.classes);
            var limits = new LinuxLimits(System.getenv().getOrDefault("PATH", ""));
            if (child.threads > 0) {
                limits.threads(child.threads);
            }
            group = group();
            int bound = child.cpus == 0 && child.quota > 0 && group == null ? (int) Math.ceil(child.quota) : child.cpus;
            if (bound > 0) {
                limits.cpus(bound);
            }
            var command = new ArrayList<String>();
            if (group != null) {
                command.addAll(group.command());
            }
            command.addAll(limits.command());
            command.addAll(command(scratch.folder(), bound, group == null));
            var tree = ProcessTree.start(command, child.environment);
            return new RunningChild(child, tree, scratch, group, limits.allowedThreads());
        } catch (IOException | RuntimeException e) {
            if (scratch != null) {
                scratch.delete();
            }
            if (group != null) {
                group.close();
            }
            throw e instanceof RuntimeException fault
                    ? fault
                    : new UncheckedIOException("the child JVM could not be started", (IOException) e);
        }
    }

    /** The group that the child joins; null if no setting needs one, or none can be created. */
    private ControlGroup group() {
        if (child.quota == 0 && child.memory == 0) {
            return null;
        }
        try {
            return ControlGroup.make(Path.of("/"), child.quota, child.memory).watched();
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
        command.addAll(child.cache == null ? child.java.learnt() : List.of(child.cache.option()));
        command.addAll(child.options);
        command.add("-D" + Guard.FOLDER + "=" + classes);
        var classPath = child.java.classPathWith(classes);
        command.addAll(List.of(
                "-cp",
                child.cache == null ? classPath : child.cache.jarsOf(classPath),
                Guard.class.getName(),
                child.mainClass));
        command.addAll(child.arguments);
        return command;
    }
}
