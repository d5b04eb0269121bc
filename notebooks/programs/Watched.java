import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import jdk.jfr.consumer.RecordingStream;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * n virtual threads wait. What do the sources inside a JVM say about them?
 *
 * <p>Arguments: n.
 *
 * <p>CSV: source, says (how many threads), seconds (to ask), MB (of the answer, if it is a file).
 */
class Watched {

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int n = Integer.parseInt(arguments[0]);
        var alive = new AtomicLong(); // starts - ends
        try (var stream = new RecordingStream()) {
            stream.enable("jdk.VirtualThreadStart").withoutStackTrace();
            stream.enable("jdk.VirtualThreadEnd").withoutStackTrace();
            stream.onEvent("jdk.VirtualThreadStart", event -> alive.incrementAndGet());
            stream.onEvent("jdk.VirtualThreadEnd", event -> alive.decrementAndGet());
            stream.startAsync();
            startAndWait(n);
            Thread.sleep(100); // until all are unmounted
            System.out.println("source,says,seconds,MB");
            askAll();
            dump();
            ask("starts - ends", () -> {
                stream.stop(); // all events have been delivered when it returns
                return alive.get();
            });
        }
        System.exit(0); // the threads wait for ever
    }

    static void startAndWait(int n) throws InterruptedException {
        var waiting = new CountDownLatch(n);
        for (int i = 0; i < n; i++) {
            Thread.ofVirtual().name("request-" + i).start(() -> {
                waiting.countDown();
                while (true) {
                    LockSupport.park();
                }
            });
        }
        waiting.await();
    }

    static void askAll() {
        var threads = ManagementFactory.getThreadMXBean();
        ask("live threads", threads::getThreadCount);
        ask("all stack traces", () -> Thread.getAllStackTraces().size());
        var tasks = Path.of("/proc/self/task").toFile(); // on Linux only
        if (tasks.isDirectory()) {
            ask("operating system", () -> tasks.list().length);
        }
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        ask("mounted", scheduler::getMountedVirtualThreadCount);
        ask("queued", scheduler::getQueuedVirtualThreadCount);
    }

    static void ask(String source, LongSupplier count) {
        long start = System.nanoTime();
        long says = count.getAsLong();
        System.out.printf("%s,%d,%.4f,0%n", source, says, (System.nanoTime() - start) / 1e9);
    }

    static void dump() throws IOException {
        var folder = Files.createTempDirectory("dump");
        var file = folder.resolve("threads.json");
        var bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        long start = System.nanoTime();
        bean.dumpThreads(file.toString(), ThreadDumpFormat.JSON);
        double seconds = (System.nanoTime() - start) / 1e9;
        try (var lines = Files.lines(file)) {
            long found = lines.filter(line -> line.contains("\"name\": \"request-")).count();
            System.out.printf("thread dump,%d,%.4f,%.3f%n", found, seconds, Files.size(file) / 1e6);
        }
        Files.delete(file);
        Files.delete(folder);
    }
}
