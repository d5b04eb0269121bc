package threadlab.child;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import threadlab.measure.Proc;

/**
 * A control group of Linux, version 1 or 2, as the container of a pod is one: it bounds the CPU time and the memory of
 * the processes in it. The JVM reads these bounds when it starts. See cgroups(7).
 *
 * <p>A group is a folder below one that this process may write, mostly root's, or one that was delegated to the user.
 */
final class ControlGroup implements AutoCloseable {

    /** The time in which a group may use its CPU time, in µs: the default of Linux and of Kubernetes. */
    private static final int PERIOD = 100_000;

    /** The environment variable that names the file in which the system counts the group's throttled periods. */
    private static final String STATISTICS = "THREADLAB_CPU_STAT";

    private static final String NAME = "threadlab-";
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Waits until its input closes, which it does with the JVM that holds it, and removes the folders that are named. */
    private static final String REMOVE = """
            read -r end
            for round in $(seq 20); do
                rmdir "$@" 2> /dev/null
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
                group.limitCpu(CgroupHierarchy.of(root, "cpu"), Math.round(cpus * PERIOD));
            }
            if (memory > 0) {
                group.limitMemory(CgroupHierarchy.of(root, "memory"), memory);
            }
            return group;
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    private void limitCpu(CgroupHierarchy hierarchy, long microseconds) throws IOException {
        accounts = folder(hierarchy);
        if (hierarchy.second()) {
            write(accounts.resolve("cpu.max"), microseconds + " " + PERIOD);
        } else {
            write(accounts.resolve("cpu.cfs_period_us"), String.valueOf(PERIOD));
            write(accounts.resolve("cpu.cfs_quota_us"), String.valueOf(microseconds));
        }
    }

    private void limitMemory(CgroupHierarchy hierarchy, long bytes) throws IOException {
        var file = hierarchy.second() ? "memory.max" : "memory.limit_in_bytes";
        write(folder(hierarchy).resolve(file), String.valueOf(bytes));
    }

    /** The system refuses, for example, what is more than the group around this process has. */
    private static void write(Path file, String limit) throws IOException {
        try {
            Files.writeString(file, limit);
        } catch (IOException e) {
            throw new IOException(
                    "the system does not accept the limit %s in %s (%s)"
                            .formatted(limit, file.getFileName(), e.getMessage()),
                    e);
        }
    }

    private Path folder(CgroupHierarchy hierarchy) throws IOException {
        for (var made : folders) {
            if (made.getParent().equals(hierarchy.folder())) {
                return made;
            }
        }
        var own = hierarchy.folder().resolve(NAME + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
        folders.add(Files.createDirectory(own));
        return own;
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
            watcher = null; // there is no setsid: a kernel that is killed leaves the empty group
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
        return Proc.field(file, word).stream().mapToLong(Long::parseLong).sum();
    }

    /** Removes the group. Its processes must have ended. */
    @Override
    public void close() {
        folders.forEach(ControlGroup::remove);
        folders.clear();
        if (watcher != null) {
            watcher.destroyForcibly();
        }
    }

    private static void remove(Path folder) {
        // deletes the folder of a group though the system shows files in it, and never a folder of files
        for (int i = 0; i < 100 && folder.toFile().exists() && !folder.toFile().delete(); i++) {
            // the last process has ended, but is still being taken out of the group
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Tries whether this process may make groups for CPU time and memory; throws the reason why not. */
    static void attempt() throws IOException {
        make(Path.of("/"), 1, 1 << 30).close();
    }
}
