package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.Expect;
import whatwaits.look.Newcomers.Late;

@Tag("deep")
class NewcomersTest {

    private static final Duration MOST = Duration.ofMillis(50);

    @TempDir
    Path folder;

    interface Work {
        void run() throws Exception;
    }

    private static Late watched(Work work) throws Exception {
        try (var newcomers = Newcomers.watch(MOST)) {
            work.run();
            return newcomers.end();
        }
    }

    /** On each carrier a thread that reads a file whose data comes after half a second. */
    private void slowFiles() throws Exception {
        var slow = Files.createTempDirectory(folder, "slow").resolve("file");
        assertEquals(0, new ProcessBuilder("mkfifo", slow.toString()).start().waitFor());
        // open for both, so that no open waits
        try (var writer = new FileOutputStream(new java.io.RandomAccessFile(slow.toFile(), "rw").getFD());
                var readers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
                readers.submit(() -> read(slow));
            }
            Thread.sleep(500);
            writer.write(new byte[1_000]);
        }
    }

    private static int read(Path file) throws Exception {
        try (var in = new FileInputStream(file.toFile())) {
            return in.read();
        }
    }

    @Test
    void who_reads_slow_files_on_all_carriers_is_named_with_its_line() throws Exception {
        var late = new AtomicReference<Late>();
        Expect.await("a moment in which the machine is not busy", () -> {
            late.set(watched(this::slowFiles));
            return late.get().isTooLong();
        });

        assertTrue(late.get().milliseconds() > 200, late.get()::toString);
        var text = late.get().toString();
        assertTrue(text.contains("may wait 50 ms") && text.contains("NewcomersTest.read(NewcomersTest.java:"), text);
    }

    @Test
    void threads_that_sleep_delay_no_newcomer() throws Exception {
        var late = watched(() -> {
            try (var sleepers = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int i = 0; i < 1_000; i++) {
                    sleepers.submit(() -> {
                        Thread.sleep(300);
                        return null;
                    });
                }
            }
        });

        assertFalse(late.isTooLong(), late::toString);
    }

    @Test
    void a_machine_that_is_busy_is_not_taken_for_held_carriers() throws Exception {
        var stop = new AtomicBoolean();
        var busy = new Thread[8 * Runtime.getRuntime().availableProcessors()];
        for (int i = 0; i < busy.length; i++) {
            busy[i] = Thread.ofPlatform().daemon().start(() -> {
                while (!stop.get()) {
                    Thread.onSpinWait();
                }
            });
        }
        try {
            var late = watched(() -> Thread.sleep(2_000));
            assertFalse(late.isTooLong(), late::toString);
        } finally {
            stop.set(true);
        }
    }

    @Test
    void a_bound_that_no_machine_keeps_is_refused() {
        Expect.refused("from 10 ms to 10 s, not 1 ms", () -> Newcomers.watch(Duration.ofMillis(1)));
    }
}
