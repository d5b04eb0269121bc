package threadlab.child;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import threadlab.support.Proc;

/**
 * The system limits on a child, set by programs that precede {@code java} on its command line: {@code prlimit},
 * {@code setpriv}, {@code taskset}. If one is missing, a printed line says so.
 */
final class LinuxLimits {

    static final boolean ROOT = "root".equals(System.getProperty("user.name"));

    private final String path;
    private final List<String> command = new ArrayList<>();
    private NativeLimits.Allowed allowedThreads;

    /** @param path the folders with programs, as in the variable PATH */
    LinuxLimits(String path) {
        this.path = path;
    }

    /** The part of the command before {@code java}; empty if nothing is limited. */
    List<String> command() {
        return command;
    }

    /** The limit on native threads; null for none. */
    NativeLimits.Allowed allowedThreads() {
        return allowedThreads;
    }

    /**
     * Limits native threads. Linux limits them per user, not per process, and never for root. So root's child runs as a
     * user with no other threads; another user's child may have this many in addition to those that the user already
     * has.
     *
     * @param most native threads at once
     */
    void threads(int most) {
        if (!ChildProcess.onPath("prlimit", path)) {
            without(most, "prlimit is not installed");
            return;
        }
        if (!ROOT) {
            int others = NativeLimits.threadsOfThisUser();
            command.addAll(List.of("prlimit", "--nproc=" + (most + others)));
            allowedThreads = new NativeLimits.Allowed(most + others, others);
            return;
        }
        if (!ChildProcess.onPath("setpriv", path)) {
            without(most, "root is exempt from the limit, and setpriv is not installed");
        } else if (!overridesPermissions()) {
            without(most, "root is exempt from the limit, and this container's root cannot read every file");
        } else {
            int user = 61_000 + ThreadLocalRandom.current().nextInt(4_000);
            command.addAll(List.of("prlimit", "--nproc=" + most, "setpriv", "--reuid=" + user, "--regid=" + user));
            // wherever root has put the JDK, the library and the classes, the child can read them
            command.addAll(List.of("--clear-groups", "--inh-caps=+dac_override", "--ambient-caps=+dac_override"));
            allowedThreads = new NativeLimits.Allowed(most, 0);
        }
    }

    private static void without(int most, String reason) {
        System.out.println("This child runs without its limit of %,d native threads: %s.".formatted(most, reason));
    }

    /** Binds the child to this many of the CPUs that this process may use. */
    void cpus(int n) {
        var list = Proc.cpus(Path.of("/proc/self/status"))
                .limit(n)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(","));
        if (ChildProcess.onPath("taskset", path) && !list.isEmpty()) {
            command.addAll(List.of("taskset", "-c", list));
        } else {
            System.out.println(
                    "This child is not bound to %,d CPUs, because this system has no taskset: only its JVM is set to count %,d."
                            .formatted(n, n));
        }
    }

    /** Whether this process may read and write every file: CAP_DAC_OVERRIDE is bit 1, see capabilities(7). */
    private static boolean overridesPermissions() {
        return Proc.field(Path.of("/proc/self/status"), "CapEff:").stream()
                .anyMatch(mask -> (Long.parseUnsignedLong(mask, 16) >> 1 & 1) == 1);
    }
}
