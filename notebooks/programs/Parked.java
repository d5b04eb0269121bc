import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * n threads that all wait at once: how much memory do they hold? It is measured from outside.
 *
 * <p>Arguments: platform or virtual; n; how many additional frames each thread has on its stack (0 if not given); and
 * "warm" to let 20,000 threads wait and end five times before, and to print what a collection leaves of the heap while
 * all wait, as CSV: live heap (MB).
 */
public class Parked {

    static CountDownLatch waiting;
    static CountDownLatch go;

    public static void main(String[] args) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var kind = args[0].equals("virtual") ? Thread.ofVirtual() : Thread.ofPlatform();
        int n = Integer.parseInt(args[1]);
        int frames = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        boolean warm = args.length > 3;
        for (int round = 0; warm && round < 5; round++) {
            park(kind, 20_000, frames, () -> {});
        }
        if (warm) {
            // those that ended last may still be reachable, so they are few
            park(kind, 1, frames, () -> {});
        }
        park(kind, n, frames, () -> {
            if (warm) {
                System.gc();
                var runtime = Runtime.getRuntime();
                double used = runtime.totalMemory() - runtime.freeMemory();
                System.out.printf("live heap (MB)%n%.4f%n", used / 1e6);
            }
            Thread.sleep(200); // long enough to be measured
        });
    }

    interface Action {
        void run() throws InterruptedException;
    }

    static void park(Thread.Builder kind, int n, int frames, Action whileAllWait) throws InterruptedException {
        waiting = new CountDownLatch(n);
        go = new CountDownLatch(1);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = kind.start(() -> await(frames));
        }
        waiting.await();
        whileAllWait.run();
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
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
