package threadlab.child;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The process of a child and what belongs to it. Where the system has {@code setsid}, it runs in a session of its own:
 * so all that it has started can be ended when it has ended itself, and its {@link Guard} survives the kill of a whole
 * kernel, which Jupyter ends with its process group.
 *
 * @param root the process
 * @param folder of the program's classes
 * @param group limits it; null for none
 * @param allowed the limit on its native threads; null for none
 * @param session whether it has a session of its own
 */
record ChildProcess(Process root, Path folder, ControlGroup group, NativeLimits.Allowed allowed, boolean session) {

    static ChildProcess start(
            List<String> command,
            Map<String, String> environment,
            Path folder,
            ControlGroup group,
            NativeLimits.Allowed allowed)
            throws IOException {
        boolean session = onPath("setsid", System.getenv().getOrDefault("PATH", ""));
        var whole = new ArrayList<>(session ? List.of("setsid") : List.<String>of());
        whole.addAll(command);
        var builder = new ProcessBuilder(whole);
        builder.environment().putAll(environment);
        return new ChildProcess(builder.start(), folder, group, allowed, session);
    }

    /** Whether a program is in one of the folders of a list such as the variable PATH. */
    static boolean onPath(String program, String path) {
        return Arrays.stream(path.split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
    }

    /** Ends the root first, so that it starts nothing more, then the processes that it has started. */
    void kill() {
        var descendants = root.descendants().toList();
        root.destroyForcibly();
        descendants.forEach(ProcessHandle::destroyForcibly);
        try {
            if (session) {
                // Java cannot send a signal to a process group
                new ProcessBuilder("sh", "-c", "kill -KILL -" + root.pid() + " 2> /dev/null")
                        .start()
                        .waitFor(5, TimeUnit.SECONDS);
            }
            root.waitFor(5, TimeUnit.SECONDS);
        } catch (IOException e) {
            // there is no shell: what has left the tree goes on
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends all of it and removes its files. */
    void close() {
        kill();
        Guard.delete(folder.toFile());
        if (group != null) {
            group.close();
        }
    }
}
