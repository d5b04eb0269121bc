package threadlab.attach;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What watching costs the watched JVM, which is idle: 17 s, almost all of it waiting. */
class WatchTest {

    @TempDir
    private Path folder;

    @Test
    @Tag("timing")
    void watching_costs_the_watched_jvm_little() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40);
                var jvm = Jvm.attach(watched.pid())) {
            // its code of management becomes warm
            jvm.watch(Duration.ofSeconds(10));
            double before = cpuSeconds(watched);
            var table = jvm.watch(Duration.ofSeconds(5));
            double share = (cpuSeconds(watched) - before) / 5;
            assertTrue(share < 0.05, "it costs %.3f of a CPU".formatted(share));
            assertTrue(table.rowCount() > 40, table.print());
        }
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
}
