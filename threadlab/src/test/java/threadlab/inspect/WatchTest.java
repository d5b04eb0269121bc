package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import threadlab.child.ChildJvm;

/** What watching costs an idle JVM, on every Java on this machine. Takes 15 s, almost all of it waiting. */
@Tag("release")
class WatchTest {

    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration WARM = Duration.ofSeconds(5);

    @TempDir
    private Path folder;

    @Test
    void watching_costs_the_watched_jvm_a_hundredth_of_a_cpu() throws Exception {
        var running = new ArrayList<Future<Void>>();
        try (var threads = Executors.newCachedThreadPool()) {
            for (int java : ChildJvm.javas()) {
                running.add(threads.submit(costs(java)));
            }
        }
        for (var costs : running) {
            costs.get();
        }
    }

    private Callable<Void> costs(int java) {
        return () -> {
            try (var watched = on(java, "costs");
                    var jvm = Jvm.attach(watched.pid())) {
                // in the first seconds the management code is not warm there
                double first = share(watched, jvm, FIRST);
                assertTrue(first < 0.04, "watching Java %d costs %.4f of a CPU at first".formatted(java, first));
                // measured: 0.004 to 0.006, on Java 27 up to 0.009
                double warm = share(watched, jvm, WARM);
                assertTrue(warm < 0.02, "watching Java %d costs %.4f of a CPU".formatted(java, warm));
            }
            return null;
        };
    }

    /** The share of a CPU while the JVM is watched. */
    private static double share(Watched watched, Jvm jvm, Duration window) throws InterruptedException {
        double before = cpuSeconds(watched);
        var table = jvm.watch(window);
        double share = (cpuSeconds(watched) - before) / window.toSeconds();
        assertTrue(table.rowCount() > 8 * window.toSeconds(), table.print());
        return share;
    }

    private static double cpuSeconds(Watched watched) {
        return ProcessHandle.of(watched.pid())
                        .orElseThrow()
                        .info()
                        .totalCpuDuration()
                        .orElseThrow()
                        .toNanos()
                / 1e9;
    }

    private Watched on(int java, String name) throws Exception {
        return Watched.on(java, Files.createDirectories(folder.resolve(name + java)), 40);
    }
}
