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
 * A Linux control group, version 1 or 2, like that of a pod's container: it limits the CPU time and the memory of the
 * processes in it. The JVM reads these limits when it starts. See cgroups(7).
 *
 * <p>A group is a folder inside one that this process may write to, usually as root, or because it was delegated to the
 * user.
 */
final class ControlGroup implements AutoCloseable {

    /** The period in which a group may use its CPU time, in µs: the default of Linux and of Kubernetes. */
    private static final int PERIOD = 100_000;

    /** The environment variable that names the file in which the system counts the group's throttled periods. */
    private static final String STATISTICS = "THREADLAB_CPU_STAT";

    private static final String NAME = "threadlab-";
    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** Waits until its input closes, which happens when this JVM ends, then removes the folders in its arguments. */
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
     * Creates a group.
     *
     * @param root the root of the file system; a different one in tests
     * @param cpus the CPU time in a second, in seconds; 0 for no limit
     * @param memory in bytes; 0 for no limit
     * @return the group; close it when its processes have ended
     * @throws IOException if this process may not create one, with the reason
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

    /** The system refuses, for example, a limit above that of the enclosing group. */
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
     * Has a process outside this JVM's process group remove the control group after this JVM has died: Jupyter kills a
     * kernel together with its process group.
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
            watcher = null; // there is no setsid: a killed kernel leaves the empty group behind
        }
        return this;
    }

    /** The prefix of a command that makes its process join the group before it starts. */
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

    /** How long its threads wanted a CPU and got none, because the CPU time of a period was used up. */
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
        // deletes a group's folder, although the system shows files in it, but never a folder of real files
        for (int i = 0; i < 100 && folder.toFile().exists() && !folder.toFile().delete(); i++) {
            // the last process has ended, but has not yet left the group
            LockSupport.parkNanos(10_000_000);
        }
    }

    /** Tests whether this process may create groups for CPU time and memory; throws the reason if not. */
    static void attempt() throws IOException {
        make(Path.of("/"), 1, 1 << 30).close();
    }
}
