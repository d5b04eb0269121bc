package threadlab.child;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.StreamSupport;

/**
 * A process and all its descendants. On Linux, descendants are found by a mark in their environment, even after they
 * have left the tree because their parent has ended; on other systems, only while they are in the tree.
 */
final class ProcessTree {

    private static final String MARK = "THREADLAB_CHILD";
    private static final Path PROC = Path.of("/proc");
    private static final Duration BETWEEN_ROUNDS = Duration.ofMillis(20);

    private final Process root;
    private final String mark;

    private ProcessTree(Process root, String mark) {
        this.root = root;
        this.mark = mark;
    }

    static ProcessTree start(List<String> command, Map<String, String> environment) throws IOException {
        var mark = UUID.randomUUID().toString();
        var builder = new ProcessBuilder(command);
        builder.environment().putAll(environment);
        builder.environment().put(MARK, mark);
        return new ProcessTree(builder.start(), mark);
    }

    Process root() {
        return root;
    }

    /** Ends the root first, so that it starts nothing more, then the processes that it has started. */
    void kill() {
        var descendants = root.descendants().toList();
        root.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        killStrays();
        try {
            root.waitFor(5, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends every marked process except the root. Processes started meanwhile are found in the next round.
     *
     * @return how many there were
     */
    int killStrays() {
        int killed = 0;
        for (int round = 0; round < 20; round++) {
            var strays = strays();
            if (strays.isEmpty()) {
                break;
            }
            strays.forEach(ProcessHandle::destroyForcibly);
            killed = Math.max(killed, strays.size());
            LockSupport.parkNanos(BETWEEN_ROUNDS.toNanos());
        }
        return killed;
    }

    private List<ProcessHandle> strays() {
        var own = MARK + "=" + mark;
        try (var processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            return StreamSupport.stream(processes.spliterator(), false)
                    .filter(process -> !process.endsWith(String.valueOf(root.pid())))
                    .filter(process -> environment(process).contains(own))
                    .flatMap(process -> ProcessHandle.of(
                            Long.parseLong(process.getFileName().toString()))
                            .stream())
                    .filter(ProcessHandle::isAlive)
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static String environment(Path process) {
        try {
            return new String(Files.readAllBytes(process.resolve("environ")), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }
}
