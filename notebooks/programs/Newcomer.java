import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import jdk.jfr.consumer.RecordingStream;

/**
 * Six threads wait until 0.5 s are over. After 0.1 s comes a newcomer, a virtual thread. Measures how long it waits for
 * a carrier, on how many carriers the six were, and how many events jdk.VirtualThreadPinned they left.
 *
 * <p>Arguments: platform or virtual (the six threads), then what they wait in: sleep, initializer (all six use the same
 * class, once in this JVM), file (each reads a FIFO) or process (each reads what a process writes); then perhaps the
 * other kind, and more.
 *
 * <p>CSV: contender (kind of the six threads and Java version), kind, what, milliseconds (the newcomer's wait),
 * carriers (0 for platform threads), events.
 */
class Newcomer {

    /** A wait, and how to end it; null if it ends by itself. */
    record Wait(Callable<?> begin, OutputStream end) {}

    record Result(String kind, String what, long milliseconds, int carriers) {}

    static class Slow {
        static final Object VALUE;

        static {
            pause(500);
            VALUE = new Object();
        }
    }

    static void pause(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static Wait prepare(String what, Path folder, int number) throws Exception {
        return switch (what) {
            case "sleep" -> new Wait(Executors.callable(() -> pause(500)), null);
            case "initializer" -> new Wait(() -> Slow.VALUE, null);
            case "file" -> fifo(folder.resolve("fifo-" + number));
            case "process" -> cat();
            default -> throw new IllegalArgumentException("unknown: " + what);
        };
    }

    /** A FIFO is a file that one side writes and another reads. A read waits for data. */
    static Wait fifo(Path path) throws Exception {
        if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
            throw new IOException("mkfifo has failed");
        }
        var both = new RandomAccessFile(path.toFile(), "rw"); // without it, the next line would wait for a reader
        return new Wait(
                () -> {
                    try (both; var in = new FileInputStream(path.toFile())) {
                        return in.read();
                    } finally {
                        Files.delete(path);
                    }
                },
                new FileOutputStream(path.toFile()));
    }

    /** The command cat writes what it reads. */
    static Wait cat() throws IOException {
        var process = new ProcessBuilder("cat").start();
        return new Wait(() -> process.inputReader().read(), process.getOutputStream());
    }

    static Result measure(String kind, String what, Path folder) throws Exception {
        ThreadFactory threads = kind.equals("virtual")
                ? Thread.ofVirtual().name("%s %s ".formatted(kind, what), 1).factory()
                : Thread.ofPlatform().name("%s %s ".formatted(kind, what), 1).factory();
        Set<String> carriers = ConcurrentHashMap.newKeySet();
        var waits = new ArrayList<Wait>();
        for (int i = 1; i <= 6; i++) {
            waits.add(prepare(what, folder, i));
        }
        try (var executor = Executors.newThreadPerTaskExecutor(threads);
                var newcomers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var wait : waits) {
                executor.submit(() -> {
                    if (Thread.currentThread().isVirtual()) {
                        var text = Thread.currentThread().toString();
                        carriers.add(text.substring(text.lastIndexOf('@') + 1));
                    }
                    return wait.begin.call();
                });
            }
            pause(100);
            long asked = System.nanoTime();
            var newcomer = newcomers.submit(() -> System.nanoTime() - asked);
            pause(400);
            for (var wait : waits) {
                if (wait.end != null) {
                    wait.end.write('\n');
                    wait.end.close();
                }
            }
            return new Result(kind, what, Math.round(newcomer.get() / 1e6), carriers.size());
        }
    }

    public static void main(String[] arguments) throws Exception {
        var results = new ArrayList<Result>();
        var pinned = new ConcurrentLinkedQueue<String>();
        var folder = Files.createTempDirectory("fifos");
        try (var stream = new RecordingStream()) {
            stream.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(20));
            stream.onEvent("jdk.VirtualThreadPinned", event -> pinned.add(event.getThread().getJavaName()));
            stream.startAsync();
            var kind = "virtual";
            for (var what : arguments) {
                if (what.equals("virtual") || what.equals("platform")) {
                    kind = what;
                    continue;
                }
                try {
                    results.add(measure(kind, what, folder));
                } catch (IOException e) {
                    System.out.println("\"%s\" is left out: %s".formatted(what, e.getMessage()));
                }
            }
            stream.stop(); // all events have been handed over when it returns
        } finally {
            Files.delete(folder);
        }
        System.out.println("contender,kind,what,milliseconds,carriers,events");
        for (var result : results) {
            var own = "%s %s ".formatted(result.kind, result.what);
            System.out.printf(
                    Locale.ROOT,
                    "%s on Java %d,%s,%s,%d,%d,%d%n",
                    result.kind,
                    Runtime.version().feature(),
                    result.kind,
                    result.what,
                    result.milliseconds,
                    result.carriers,
                    pinned.stream().filter(name -> name.startsWith(own)).count());
        }
    }
}
