import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * n threads that all wait at once: how much memory does the process hold meanwhile?
 *
 * <p>Arguments: platform or virtual; n, at least 4; how many additional frames each thread has on its stack (0 if not
 * given). Run it with -Xbatch, so that its code is compiled before it measures, however busy the machine is, and with
 * -XX:+UseSerialGC -Xmn4m, so that the heap has hardly more pages than its objects need.
 *
 * <p>CSV: memory of the child (MB), its resident size after a collection, while all wait; memory per thread (kB), what
 * they hold more than a quarter of them did, for each that was added. Both are -1 without /proc.
 */
public class Parked {

    static CountDownLatch waiting;
    static CountDownLatch go;

    public static void main(String[] args) throws IOException, InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var kind = args[0].equals("virtual") ? Thread.ofVirtual() : Thread.ofPlatform();
        int n = Integer.parseInt(args[1]);
        int frames = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        // cold, a platform thread touches 80 kB of its stack when it begins, and a virtual one holds larger frames
        for (int round = 0; round < 50; round++) {
            park(kind, 100, frames, round == 0);
        }
        double few = park(kind, n / 4, frames, true);
        double all = park(kind, n, frames, true);
        double each = all < 0 ? -1 : (all - few) / (n - n / 4) / 1e3;
        System.out.printf("memory of the child (MB),memory per thread (kB)%n%.3f,%.3f%n", all < 0 ? -1 : all / 1e6, each);
    }

    /** Lets n threads wait and end; if it looks meanwhile, what the process holds (bytes), else and without /proc -1. */
    static double park(Thread.Builder kind, int n, int frames, boolean look) throws IOException, InterruptedException {
        waiting = new CountDownLatch(n);
        go = new CountDownLatch(1);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = kind.start(() -> await(frames));
        }
        waiting.await();
        double held = look ? residentSize() : -1;
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
        return held;
    }

    static double residentSize() throws IOException, InterruptedException {
        Thread.sleep(200); // the last ones have counted down but may not be parked yet
        System.gc();
        var status = Path.of("/proc/self/status");
        if (!Files.exists(status)) {
            return -1;
        }
        for (var line : Files.readAllLines(status)) {
            if (line.startsWith("VmRSS:")) {
                return 1_024 * Double.parseDouble(line.replaceAll("\\D", ""));
            }
        }
        return -1;
    }

    /** Calls itself until there are enough frames, and waits there. */
    static int await(int frames) {
        if (frames > 0) {
            return 1 + await(frames - 1);
        }
        waiting.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            // no thread interrupts
        }
        return 0;
    }
}
