import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;

public class T17DocumentLoop {

    static final String BACKUP = """
            import java.nio.channels.*;
            import java.nio.file.*;
            class Backup {
                public static void main(String[] args) throws Exception {
                    Thread end = new Thread(() -> {
                        try { while (System.in.read() >= 0) { } } catch (Exception e) { }
                        System.exit(0);
                    });
                    end.start();
                    FileChannel file = FileChannel.open(Path.of(args[0]), StandardOpenOption.WRITE);
                    while (true) {
                        FileLock lock = file.lock();
                        System.out.println("copy");
                        Thread.sleep(Long.parseLong(args[1]));
                        lock.release();
                        Thread.sleep(400);
                    }
                }
            }
            """;

    private final LinkedBlockingQueue<Runnable> events = new LinkedBlockingQueue<>();
    private final FileChannel journal;

    T17DocumentLoop(Path path) throws IOException {
        journal = FileChannel.open(path, StandardOpenOption.WRITE);
    }

    void loop() {
        try {
            while (true) {
                events.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void save(CompletableFuture<Long> done) {
        try (FileLock own = journal.lock()) {
            done.complete(own.size());
        } catch (IOException e) {
            done.completeExceptionally(e);
        }
    }

    void client() {
        try {
            while (true) {
                CompletableFuture<Long> done = new CompletableFuture<>();
                events.add(() -> save(done));
                done.get();
                Thread.sleep(250);
            }
        } catch (Exception e) {
            System.err.println("client: " + e);
        }
    }

    public static void main(String[] args) throws Exception {
        Path path = Files.createTempFile("journal", ".dat");
        Path script = Files.createTempFile("Backup", ".java");
        path.toFile().deleteOnExit();
        script.toFile().deleteOnExit();
        Files.writeString(script, BACKUP);

        String millis = "115000";
        String java = ProcessHandle.current().info().command().orElse("java");
        Process backup = new ProcessBuilder(java, "-Xmx64m", "-XX:TieredStopAtLevel=1", script.toString(),
                path.toString(), millis).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Runtime.getRuntime().addShutdownHook(new Thread(backup::destroy));
        backup.inputReader().readLine();

        T17DocumentLoop documents = new T17DocumentLoop(path);
        Files.delete(script);
        Files.delete(path);
        Thread.ofPlatform().daemon().name("document-loop").start(documents::loop);
        for (int i = 0; i < 6; i++) {
            Thread.ofPlatform().daemon().name("editor-" + i).start(documents::client);
        }
        Thread.sleep(700);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(95_000);
        System.exit(0);
    }
}
