import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.Executors;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Some threads read from a file each, and the files answer late. How long does a newcomer wait, a virtual thread that
 * only wants to begin?
 *
 * <p>Arguments: after how many milliseconds the files answer, then the numbers of carriers, the smallest first. With n
 * carriers there are n - 1 slow files, then n.
 *
 * <p>CSV: carriers, files, contender (what the threads are that read), kind, newcomer waits (ms).
 */
class SlowFiles {

    /** A FIFO stands for a slow file: with the writer's end open, opening it does not wait, and reading does. */
    record Slow(FileInputStream reader, RandomAccessFile writer) {

        static Slow open() throws IOException, InterruptedException {
            var folder = Files.createTempDirectory("slow");
            var path = folder.resolve("file");
            if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
                throw new IOException("mkfifo has failed");
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

    public static void main(String[] arguments) throws Exception {
        int milliseconds = Integer.parseInt(arguments[0]);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        newcomer(Thread.ofVirtual(), 0, 10); // until the code is loaded
        System.out.println("carriers,files,contender,kind,newcomer waits (ms)");
        for (var carriers : Arrays.copyOfRange(arguments, 1, arguments.length)) {
            int n = Integer.parseInt(carriers);
            scheduler.setParallelism(n);
            print(n, n - 1, "virtual", newcomer(Thread.ofVirtual(), n - 1, milliseconds));
            print(n, n, "platform", newcomer(Thread.ofPlatform(), n, milliseconds));
            print(n, n, "virtual", newcomer(Thread.ofVirtual(), n, milliseconds));
        }
    }

    static void print(int carriers, int files, String kind, double waited) {
        System.out.printf(Locale.ROOT, "%d,%d,%s,%s,%.2f%n", carriers, files, kind, kind, waited);
    }
}
