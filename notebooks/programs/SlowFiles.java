import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Some threads each read from a file, and the files answer late. How long does a newcomer wait, a virtual thread that
 * only needs to begin? Finally, one such file stands for a log: its user holds a lock that the newcomer, a thread of
 * the same kind, needs.
 *
 * <p>Arguments: after how many milliseconds the files answer, then the numbers of carriers, the smallest first. With n
 * carriers there are n - 1 slow files, then n; with the largest n, also the log.
 *
 * <p>CSV: carriers, files, log (1 if the file is a log), contender and kind (of the reading threads), newcomer waits
 * (ms).
 */
class SlowFiles {

    /** A FIFO stands for a slow file: with the writer's end open, reading waits but opening does not. */
    record Slow(FileInputStream reader, RandomAccessFile writer) {

        static Slow open() throws IOException, InterruptedException {
            var folder = Files.createTempDirectory("slow");
            var path = folder.resolve("file");
            if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
                throw new IOException("mkfifo could not make the pipe");
            }
            var writer = new RandomAccessFile(path.toFile(), "rw");
            var reader = new FileInputStream(path.toFile());
            Files.delete(path);
            Files.delete(folder);
            return new Slow(reader, writer);
        }

        int read() throws IOException {
            return reader.read();
        }

        void answer() throws IOException {
            writer.write('\n');
        }

        void close() throws IOException {
            reader.close();
            writer.close();
        }
    }

    static double newcomer(Thread.Builder builder, int files, int milliseconds) throws Exception {
        var slow = new ArrayList<Slow>();
        for (int i = 0; i < files; i++) {
            slow.add(Slow.open());
        }
        double waited;
        try (var readers = Executors.newThreadPerTaskExecutor(builder.factory());
                var newcomers = Executors.newVirtualThreadPerTaskExecutor()) {
            slow.forEach(file -> readers.submit(file::read));
            Thread.sleep(50); // until they read
            long start = System.nanoTime();
            var newcomer = newcomers.submit(() -> (System.nanoTime() - start) / 1e6);
            Thread.sleep(milliseconds);
            for (var file : slow) {
                file.answer();
            }
            waited = newcomer.get();
        }
        for (var file : slow) {
            file.close();
        }
        return waited;
    }

    static double logging(Thread.Builder builder, int milliseconds) throws Exception {
        var log = Slow.open();
        var appender = new ReentrantLock();
        try (var requests = Executors.newThreadPerTaskExecutor(builder.factory())) {
            requests.submit(() -> locked(appender, log::read));
            Thread.sleep(50); // until it writes
            long start = System.nanoTime();
            var newcomer = requests.submit(() -> locked(appender, () -> (System.nanoTime() - start) / 1e6));
            Thread.sleep(milliseconds);
            log.answer();
            return newcomer.get();
        } finally {
            log.close();
        }
    }

    static <T> T locked(ReentrantLock lock, Callable<T> work) throws Exception {
        lock.lock();
        try {
            return work.call();
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int milliseconds = Integer.parseInt(arguments[0]);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        newcomer(Thread.ofVirtual(), 0, 10); // until the code is loaded
        System.out.println("carriers,files,log,contender,kind,newcomer waits (ms)");
        int n = 0;
        for (var carriers : Arrays.copyOfRange(arguments, 1, arguments.length)) {
            n = Integer.parseInt(carriers);
            scheduler.setParallelism(n);
            print(n, n - 1, 0, "virtual", newcomer(Thread.ofVirtual(), n - 1, milliseconds));
            print(n, n, 0, "platform", newcomer(Thread.ofPlatform(), n, milliseconds));
            print(n, n, 0, "virtual", newcomer(Thread.ofVirtual(), n, milliseconds));
        }
        print(n, 1, 1, "platform", logging(Thread.ofPlatform(), milliseconds));
        print(n, 1, 1, "virtual", logging(Thread.ofVirtual(), milliseconds));
    }

    static void print(int carriers, int files, int log, String kind, double waited) {
        System.out.printf("%d,%d,%d,%s,%s,%.2f%n", carriers, files, log, kind, kind, waited);
    }
}
