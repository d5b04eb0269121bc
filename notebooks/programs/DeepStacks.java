import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * n virtual threads wait with some frames on their stacks. The whole heap is collected three times, then garbage is
 * created. How much heap do the threads hold, and what does each collection cost?
 *
 * <p>Arguments: n, frames of each, MiB of garbage.
 *
 * <p>CSV, a row for each collection: n, frames, collection (1 to 3), heap (MB) (in use after it, by the threads alone),
 * CPU (ms) (of this JVM, from when it asks for the collection until it is done). It writes a line to standard error
 * before each collection, and before and after the garbage, so that the pauses in the JVM's log can be told apart.
 */
class DeepStacks {

    static volatile Object last; // keeps the garbage from being optimized away

    static int park(int frames, CountDownLatch waiting, CountDownLatch go) {
        if (frames > 1) {
            return 1 + park(frames - 1, waiting, go);
        }
        waiting.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // no thread interrupts
        }
        return 0;
    }

    /** Starts n threads and returns when all wait, until the result counts down. */
    static CountDownLatch threads(int n, int frames) throws InterruptedException {
        var waiting = new CountDownLatch(n);
        var go = new CountDownLatch(1);
        for (int i = 0; i < n; i++) {
            Thread.ofVirtual().start(() -> park(frames, waiting, go));
        }
        waiting.await();
        return go;
    }

    /** Used heap in MB, after a collection. */
    static double used() {
        System.gc();
        var runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) / 1e6;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int n = Integer.parseInt(arguments[0]);
        int frames = Integer.parseInt(arguments[1]);
        int garbage = Integer.parseInt(arguments[2]);
        for (int i = 0; i < 10; i++) {
            threads(1_000, frames).countDown(); // until the frames are compiled, which makes them small
        }
        double before = used();
        var go = threads(n, frames);
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        System.out.println("n,frames,collection,heap (MB),CPU (ms)");
        for (int collection = 1; collection <= 3; collection++) {
            System.err.println("--- collection " + collection);
            long cpu = system.getProcessCpuTime();
            double heap = used() - before;
            cpu = system.getProcessCpuTime() - cpu;
            System.out.printf("%d,%d,%d,%.2f,%.1f%n", n, frames, collection, heap, cpu / 1e6);
        }
        System.err.println("--- garbage");
        for (int i = 0; i < garbage * 32; i++) {
            last = new byte[32 << 10];
        }
        System.err.println("--- end");
        go.countDown();
    }
}
