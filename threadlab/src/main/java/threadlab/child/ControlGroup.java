package threadlab.child;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import threadlab.support.Cgroup;
import threadlab.support.Proc;

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

    private final Set<Path> folders = new LinkedHashSet<>();
    private Path accounts;

    private ControlGroup() {}

    /**
     * {@return a new group; close it when its processes have ended}
     *
     * @param root the root of the file system; a different one in tests
     * @param cpus the CPU time in a second, in seconds; 0 for no limit
     * @param memory in bytes; 0 for no limit
     * @throws IOException if this process may not create one, with the reason
     */
    static ControlGroup make(Path root, double cpus, long memory) throws IOException {
        var group = new ControlGroup();
        try {
            if (cpus > 0) {
                group.limitCpu(parent(root, "cpu"), Math.round(cpus * PERIOD));
            }
            if (memory > 0) {
                group.limitMemory(parent(root, "memory"), memory);
            }
            return group;
        } catch (IOException e) {
            group.close();
            throw e;
        }
    }

    /** The innermost group in which this process may create another. */
    private static Cgroup parent(Path root, String controller) throws IOException {
        // a group of version 2 that hands its controllers down has no processes of its own
        var groups = Cgroup.ofThisProcess(root, controller)
                .filter(group -> group.second()
                        ? Proc.lines(group.folder().resolve("cgroup.subtree_control")).stream()
                                .anyMatch(line -> List.of(line.split(" ")).contains(controller))
                        : Files.isDirectory(group.folder()))
                .toList();
        return groups.stream()
                .filter(group -> Files.isWritable(group.folder())
                        && Files.isWritable(group.folder().resolve("cgroup.procs")))
                .findFirst()
                .orElseThrow(() ->
                        new IOException((groups.isEmpty() ? "this system does not have" : "this user may not create")
                                + " a control group for " + controller));
    }

    private void limitCpu(Cgroup parent, long microseconds) throws IOException {
        accounts = folder(parent);
        if (parent.second()) {
            write(accounts.resolve("cpu.max"), microseconds + " " + PERIOD);
        } else {
            write(accounts.resolve("cpu.cfs_period_us"), String.valueOf(PERIOD));
            write(accounts.resolve("cpu.cfs_quota_us"), String.valueOf(microseconds));
        }
    }

    private void limitMemory(Cgroup parent, long bytes) throws IOException {
        var file = parent.second() ? "memory.max" : "memory.limit_in_bytes";
        write(folder(parent).resolve(file), String.valueOf(bytes));
    }

    /** The system refuses, for example, a limit above that of the enclosing group. */
    private static void write(Path file, String limit) throws IOException {
        try {
            Files.writeString(file, limit);
        } catch (IOException e) {
            var refusal = "the system does not accept the limit %s in %s (%s)";
            throw new IOException(refusal.formatted(limit, file.getFileName(), e.getMessage()), e);
        }
    }

    private Path folder(Cgroup parent) throws IOException {
        for (var made : folders) {
            if (made.getParent().equals(parent.folder())) {
                return made;
            }
        }
        removeAbandoned(parent.folder());
        var own = parent.folder().resolve(NAME + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet());
        folders.add(Files.createDirectory(own));
        return own;
    }

    /** A killed kernel leaves its groups, which are empty by now: each child ends with it. */
    private static void removeAbandoned(Path parent) throws IOException {
        try (var groups = Files.newDirectoryStream(parent, NAME + "*-*")) {
            for (var group : groups) {
                long maker = Long.parseLong(group.getFileName().toString().split("-")[1]);
                if (ProcessHandle.of(maker).isEmpty()) {
                    group.toFile().delete();
                }
            }
        }
    }

    /** The prefix of a command that makes its process join the group before it starts. */
    List<String> command() {
        var join = new StringBuilder();
        for (var folder : folders) {
            join.append("echo $$ > '").append(folder).append("/cgroup.procs' && ");
        }
        if (accounts != null) {
            join.append("export %s='%s/cpu.stat' && ".formatted(STATISTICS, accounts));
        }
        return List.of("sh", "-c", join + "exec \"$@\"", "sh");
    }

    /** How long its threads wanted a CPU and got none, because the CPU time of a period was used up. */
    Duration throttled() {
        if (accounts == null) {
            return Duration.ZERO;
        }
        var statistics = accounts.resolve("cpu.stat");
        // version 1 counts in ns, version 2 in µs
        return Duration.ofNanos(sum(statistics, "throttled_time") + 1000 * sum(statistics, "throttled_usec"));
    }

    private static long sum(Path file, String word) {
        return Proc.field(file, word).stream().mapToLong(Long::parseLong).sum();
    }

    /** Removes the group. Its processes must have ended. */
    @Override
    public void close() {
        folders.forEach(ControlGroup::remove);
        folders.clear();
    }

    private static void remove(Path folder) {
        // deletes a group's folder, although the system shows files in it, but never a folder of real files
        for (int i = 0; i < 100 && folder.toFile().exists() && !folder.toFile().delete(); i++) {
            // the last process has ended, but has not yet left the group
            LockSupport.parkNanos(10_000_000);
        }
    }
}
