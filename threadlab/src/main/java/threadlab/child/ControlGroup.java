package threadlab.child;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A control group of Linux, version 1 or 2, as the container of a pod is one: it bounds the CPU time and the memory of
 * the processes in it. The JVM reads these bounds when it starts. See cgroups(7).
 *
 * <p>A group is a folder below one that this process may write, mostly root's, or one that was delegated to the user.
 */
final class ControlGroup implements AutoCloseable {

    /** The time in which a group may use its CPU time, in µs: the default of Linux and of Kubernetes. */
    private static final int PERIOD = 100_000;

    /** The variable that tells a process of the group in which file the system counts its throttled periods. */
    private static final String STATISTICS = "THREADLAB_CPU_STAT";

    private static final String NAME = "threadlab-";
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Waits until its input closes, which it does with the JVM that holds it, and removes the folders that are named. */
    private static final String REMOVE = """
            read -r end
            for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
                left=
                for group; do
                    [ ! -d "$group" ] || rmdir "$group" || left=yes
                done
                [ "$left" ] || exit 0
                sleep 0.2
            done
            """;

    private final Set<Path> folders = new LinkedHashSet<>();
    private Path accounts;
    private Process watcher;

    private ControlGroup() {}

    /**
     * Makes a group.
     *
     * @param root the root of the file system, another one in tests
     * @param cpus the CPU time in a second, in seconds; 0 if it is not bounded
     * @param memory in bytes; 0 if it is not bounded
     * @return the group; close it when its processes have ended
     * @throws IOException if this process may not make one, with the reason
     */
    static ControlGroup make(Path root, double cpus, long memory) throws IOException {
        var group = new ControlGroup();
        try {
            if (cpus > 0) {
                group.limitCpu(Hierarchy.of(root, "cpu"), Math.round(cpus * PERIOD));
            }
            if (memory > 0) {
                group.limitMemory(Hierarchy.of(root, "memory"), memory);
            }
            return group;
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    private void limitCpu(Hierarchy hierarchy, long microseconds) throws IOException {
        accounts = folder(hierarchy);
        if (hierarchy.second()) {
            write(accounts.resolve("cpu.max"), microseconds + " " + PERIOD);
        } else {
            write(accounts.resolve("cpu.cfs_period_us"), String.valueOf(PERIOD));
            write(accounts.resolve("cpu.cfs_quota_us"), String.valueOf(microseconds));
        }
    }

    private void limitMemory(Hierarchy hierarchy, long bytes) throws IOException {
        var file = hierarchy.second() ? "memory.max" : "memory.limit_in_bytes";
        write(folder(hierarchy).resolve(file), String.valueOf(bytes));
    }

    /** The system refuses, for example, what is more than the group around this process has. */
    private static void write(Path file, String limit) throws IOException {
        try {
            Files.writeString(file, limit);
        } catch (IOException e) {
            throw new IOException(
                    "the system does not take the limit %s in %s (%s)"
                            .formatted(limit, file.getFileName(), e.getMessage()),
                    e);
        }
    }

    private Path folder(Hierarchy hierarchy) throws IOException {
        for (var made : folders) {
            if (made.getParent().equals(hierarchy.folder())) {
                return made;
            }
        }
        removeThoseOfTheDead(hierarchy.folder());
        var own = hierarchy.folder().resolve(NAME + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
        folders.add(Files.createDirectory(own));
        return own;
    }

    /** A kernel that was killed could not remove its groups. */
    private static void removeThoseOfTheDead(Path folder) throws IOException {
        try (var groups = Files.newDirectoryStream(folder, NAME + "*")) {
            for (var group : groups) {
                var maker =
                        group.getFileName().toString().substring(NAME.length()).replaceFirst("-.*", "");
                if (maker.matches("\\d+")
                        && ProcessHandle.of(Long.parseLong(maker)).isEmpty()) {
                    remove(group);
                }
            }
        }
    }

    /**
     * Has a process outside of this JVM's process group remove the group when this JVM has died: Jupyter kills a kernel
     * with all the processes of its group.
     */
    ControlGroup watched() {
        var command = new ArrayList<>(List.of("setsid", "sh", "-c", REMOVE, "sh"));
        folders.forEach(folder -> command.add(folder.toString()));
        try {
            watcher = new ProcessBuilder(command)
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            watcher = null; // without setsid the next group that is made removes this one
        }
        return this;
    }

    /** What stands before a command so that its process joins the group before it begins. */
    List<String> command() {
        var join = new StringBuilder();
        for (var folder : folders) {
            join.append("echo $$ > '").append(folder).append("/cgroup.procs' && ");
        }
        if (accounts != null) {
            join.append("export %s='%s' && ".formatted(STATISTICS, statistics()));
        }
        return List.of("sh", "-c", join + "exec \"$@\"", "sh");
    }

    /** For how long its threads have wanted a CPU and got none, because the CPU time of a period was used up. */
    Duration throttled() {
        if (accounts == null) {
            return Duration.ZERO;
        }
        // version 1 counts in ns, version 2 in µs
        return Duration.ofNanos(sum(statistics(), "throttled_time") + 1000 * sum(statistics(), "throttled_usec"));
    }

    private Path statistics() {
        return accounts.resolve("cpu.stat");
    }

    private static long sum(Path file, String word) {
        return NativeLimits.field(file, word).stream()
                .mapToLong(Long::parseLong)
                .sum();
    }

    /** Removes the group. Its processes must have ended. */
    @Override
    public void close() {
        folders.forEach(ControlGroup::remove);
        folders.clear();
        if (watcher != null) {
            end(watcher);
        }
    }

    private static void end(Process watcher) {
        try {
            watcher.getOutputStream().close();
        } catch (IOException e) {
            // it has ended
        }
        try {
            watcher.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void remove(Path folder) {
        for (int i = 0; i < 100 && folder.toFile().exists(); i++) {
            // deletes the folder of a group though the system shows files in it, and never a folder of files
            if (folder.toFile().delete()) {
                return;
            }
            try {
                Thread.sleep(10); // the last process has ended, but is still being taken out of the group
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return; // the watcher goes on
            }
        }
    }

    /**
     * Where groups of a controller can be made.
     *
     * @param folder a group, in which this process may make another one
     * @param second whether it is of version 2
     */
    record Hierarchy(Path folder, boolean second) {

        static Hierarchy of(Path root, String controller) throws IOException {
            List<Mount> mounts;
            try {
                mounts = Mount.all(root);
            } catch (FileSystemException e) {
                throw new IOException("this system has no control groups", e);
            }
            var first = candidates(root, mounts, controller, false);
            var all = first.isEmpty() ? candidates(root, mounts, controller, true) : first;
            for (var folder : all) {
                if (Files.isWritable(folder) && Files.isWritable(folder.resolve("cgroup.procs"))) {
                    return new Hierarchy(folder, first.isEmpty());
                }
            }
            throw new IOException(
                    all.isEmpty()
                            ? "this system has no control group for " + controller
                            : "this user may not make a control group for " + controller);
        }

        /** The groups around this process, the innermost first. */
        private static List<Path> candidates(Path root, List<Mount> mounts, String controller, boolean second)
                throws IOException {
            var found = new ArrayList<Path>();
            for (var line : Files.readAllLines(root.resolve("proc/self/cgroup"))) {
                var parts = line.split(":", 3);
                boolean own = second
                        ? parts[1].isEmpty()
                        : List.of(parts[1].split(",")).contains(controller);
                for (var mount : mounts) {
                    if (!own || !mount.has(second ? "" : controller)) {
                        continue;
                    }
                    for (var group = mount.group(parts[2]);
                            group.startsWith(mount.point());
                            group = group.getParent()) {
                        // in version 2 a group hands its controllers down, and has no processes of its own then
                        if (!second || hands(group, controller)) {
                            found.add(group);
                        }
                    }
                }
            }
            return found;
        }

        private static boolean hands(Path group, String controller) throws IOException {
            var file = group.resolve("cgroup.subtree_control");
            return Files.isReadable(file)
                    && List.of(Files.readString(file).strip().split(" ")).contains(controller);
        }
    }

    /**
     * A mounted hierarchy.
     *
     * @param root the group that is seen at the mount point
     * @param point the mount point
     * @param controllers of version 1; holds one empty word for version 2
     */
    private record Mount(String root, Path point, List<String> controllers) {

        static List<Mount> all(Path root) throws IOException {
            var mounts = new ArrayList<Mount>();
            for (var line : Files.readAllLines(root.resolve("proc/self/mountinfo"))) {
                var halves = line.split(" - ", 2);
                var place = halves[0].split(" ");
                var kind = halves[1].split(" ");
                if (kind[0].equals("cgroup") || kind[0].equals("cgroup2")) {
                    var controllers = kind[0].equals("cgroup2") ? List.of("") : List.of(kind[2].split(","));
                    mounts.add(new Mount(place[3], root.resolve(place[4].substring(1)), controllers));
                }
            }
            return mounts;
        }

        boolean has(String controller) {
            return controllers.contains(controller);
        }

        /** The folder of a group; the mount point where the group is not below it, as in some containers. */
        Path group(String name) {
            var below = name.startsWith(root) ? name.substring(root.length()) : "";
            return point.resolve(below.replaceFirst("^/+", "")).normalize();
        }
    }

    /** Tries whether this process may make groups for CPU time and memory; throws the reason why not. */
    static void attempt() throws IOException {
        make(Path.of("/"), 1, 1 << 30).close();
    }
}
