package threadlab.measure;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import threadlab.support.Cgroup;
import threadlab.support.Proc;

/**
 * A limit on threads that the operating system sets. Linux keeps its limits in files, and macOS answers sysctl; if a
 * file is missing, or says "max" or "unlimited", there is no limit.
 *
 * @param on what it limits
 * @param value how many of them are allowed
 * @param source the file that it was read from, or its name in sysctl
 */
public record SystemLimit(On on, long value, String source) {

    /** What a limit is on. */
    public enum On {
        /** Processes and threads of this process's control group and its ancestors; every {@code pids.max} applies. */
        CONTAINER("processes and threads of this container"),
        /** Processes and threads of the user of this process. */
        USER("processes and threads of this user"),
        /** Threads of a process, on macOS. */
        PROCESS("threads of a process"),
        /** All threads of the system. */
        SYSTEM("threads of the system"),
        /** The numbers that the system gives to threads. */
        NUMBERS("thread numbers of the system"),
        /** Memory mappings of a process. A thread's stack and its guard take two. */
        MAPPINGS("memory mappings");

        private final String words;

        On(String words) {
            this.words = words;
        }

        /** What is limited, in words. */
        @Override
        public String toString() {
            return words;
        }
    }

    /** {@return the limits of this system, none where they cannot be read} */
    public static List<SystemLimit> here() {
        return below(Path.of("/"));
    }

    /** The limits in the files below a folder that takes the place of "/". */
    static List<SystemLimit> below(Path root) {
        var limits = new ArrayList<SystemLimit>();
        Cgroup.ofThisProcess(root, "pids")
                .map(group -> root.relativize(group.folder()).resolve("pids.max"))
                .flatMap(file -> read(On.CONTAINER, root, file, "").stream())
                .min(Comparator.comparingLong(SystemLimit::value))
                .ifPresent(limits::add);
        read(On.USER, root, Path.of("proc/self/limits"), "Max processes").ifPresent(limits::add);
        read(On.SYSTEM, root, Path.of("proc/sys/kernel/threads-max"), "").ifPresent(limits::add);
        read(On.NUMBERS, root, Path.of("proc/sys/kernel/pid_max"), "").ifPresent(limits::add);
        read(On.MAPPINGS, root, Path.of("proc/sys/vm/max_map_count"), "").ifPresent(limits::add);
        if (limits.isEmpty()) {
            sysctl(root, "kern.num_taskthreads").ifPresent(limits::add);
        }
        return List.copyOf(limits);
    }

    /** The number after a key at the start of a line. */
    private static Optional<SystemLimit> read(On on, Path root, Path file, String key) {
        return Proc.field(root.resolve(file), key).stream()
                .flatMap(word -> parse(on, word, "/" + file.toString().replace('\\', '/')).stream())
                .findFirst();
    }

    /** A number that the command sysctl prints, which macOS has at this path. */
    private static Optional<SystemLimit> sysctl(Path root, String name) {
        var command = root.resolve("usr/sbin/sysctl").toString();
        try (var printed = new ProcessBuilder(command, "-n", name)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .inputReader()) {
            return parse(On.PROCESS, printed.readAllAsString().strip(), name);
        } catch (IOException e) {
            return Optional.empty(); // the command does not exist
        }
    }

    private static Optional<SystemLimit> parse(On on, String word, String source) {
        return word.matches("\\d{1,18}")
                ? Optional.of(new SystemLimit(on, Long.parseLong(word), source))
                : Optional.empty();
    }
}
