package whatwaits.look;

import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** What the system knows about a process. */
final class LocalProcess {

    private static final Duration GOING = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private LocalProcess() {}

    /**
     * Refuses a process that cannot be attached to.
     *
     * @throws IllegalArgumentException with one sentence that says why, and what to do instead
     */
    static void requireOpenJvm(long pid) {
        if (!isAlive(pid)) {
            throw new IllegalArgumentException(
                    "there is no process %d: Jvm.list() shows the running JVMs".formatted(pid));
        }
        var own = ProcessHandle.current().info().user().orElse("");
        var user = ProcessHandle.of(pid).flatMap(other -> other.info().user()).orElse(own);
        if (!user.equals(own) && !own.equals("root")) {
            throw new IllegalArgumentException(
                    "process %d belongs to the user %s, and only that user may attach to it: start this one as %s, or %s"
                            .formatted(pid, user, user, Connection.INSTEAD));
        }
        if (!isJvm(pid)) {
            throw new IllegalArgumentException(
                    "process %d is not a JVM: Jvm.list() shows the running JVMs".formatted(pid));
        }
        if (isElsewhere(pid)) {
            throw new IllegalArgumentException(
                    "process %d runs in a container with a network of its own: %s".formatted(pid, Connection.INSTEAD));
        }
    }

    /** Attaching sends a signal, which ends a process that is not a JVM. */
    private static boolean isJvm(long pid) {
        try (var mapped = Files.lines(Path.of("/proc", String.valueOf(pid), "maps"))) {
            // a file that a killed JVM left behind proves nothing: another process may have its number
            return mapped.anyMatch(line -> line.endsWith("/libjvm.so"));
        } catch (IOException | RuntimeException e) {
            // not Linux, or not allowed: the list of JVMs decides
        }
        return VirtualMachine.list().stream().anyMatch(jvm -> jvm.id().equals(String.valueOf(pid)));
    }

    private static boolean isElsewhere(long pid) {
        try {
            var own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
            return !own.equals(Files.readSymbolicLink(Path.of("/proc", String.valueOf(pid), "ns", "net")));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    /** Whether it still runs: an ending process closes its sockets a moment before it is gone. */
    static boolean remains(long pid) {
        long start = System.nanoTime();
        while (isAlive(pid)) {
            if (System.nanoTime() - start > GOING.toNanos()) {
                return true;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        return false;
    }
}
