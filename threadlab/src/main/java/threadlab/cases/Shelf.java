package threadlab.cases;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The files with the texts of the items: on a fast disk, or as slow as on a network file system. */
final class Shelf implements AutoCloseable {

    private static final Duration MADE_LIMIT = Duration.ofSeconds(5);

    private final Path folder;
    private final List<Path> files = new ArrayList<>();
    private final List<Thread> writers = new ArrayList<>();
    private final int slowMs;
    private volatile boolean closed;

    /** Creates the files; a read waits for {@code slowMs}, or is one of a disk for 0. */
    Shelf(int items, int slowMs) throws InterruptedException {
        this.slowMs = slowMs;
        try {
            folder = Files.createTempDirectory("threadlab-texts-");
            for (int i = 0; i < items; i++) {
                files.add(folder.resolve("item-%02d.txt".formatted(i)));
            }
            if (slowMs > 0) {
                makePipes();
            }
            for (int i = 0; i < items; i++) {
                var file = files.get(i);
                var text = "tea number " + i + ", picked by hand\n";
                if (slowMs > 0) {
                    writers.add(Thread.ofPlatform().daemon().name("slow file").start(() -> write(file, text)));
                } else {
                    Files.writeString(file, text);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the files of the shop could not be created", e);
        }
    }

    /** Whether this system has named pipes, which can be made slow. */
    static boolean canBeSlow() {
        return !System.getProperty("os.name").startsWith("Windows");
    }

    List<Path> files() {
        return files;
    }

    private void makePipes() throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of("mkfifo"));
        files.forEach(file -> command.add(file.toString()));
        var made = new ProcessBuilder(command).start();
        if (!made.waitFor(MADE_LIMIT) || made.exitValue() != 0) {
            throw new IOException("mkfifo failed");
        }
    }

    /** Answers one reader after the other; opening the pipe waits for a reader. */
    private void write(Path file, String text) {
        while (!closed) {
            try (var out = new FileOutputStream(file.toFile())) {
                Thread.sleep(slowMs);
                out.write(text.getBytes(StandardCharsets.UTF_8));
            } catch (IOException e) {
                // the previous reader had not closed the pipe yet, and now has
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            for (int i = 0; i < files.size() && slowMs > 0; i++) {
                release(files.get(i), writers.get(i));
            }
            for (var file : files) {
                Files.deleteIfExists(file);
            }
            Files.deleteIfExists(folder);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Acts as the reader for which a writer waits. Opening a pipe for both reading and writing does not block. */
    private static void release(Path file, Thread writer) throws IOException, InterruptedException {
        writer.interrupt();
        while (writer.isAlive()) {
            try (var _ = new RandomAccessFile(file.toFile(), "rw")) {
                writer.join(20);
            }
        }
    }
}
