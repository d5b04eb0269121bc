import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * n virtual threads wait with some frames on their stacks, then garbage is created. How much heap do the threads hold?
 *
 * <p>Arguments: n, frames of each, MiB of garbage.
 *
 * <p>CSV: n, frames, heap (MB) (in use after a collection, by the threads alone), CPU (ms) (of this JVM, from when it asks
 * for that collection until it is done). It writes a line to standard error
 * before the threads begin, when all wait, and before and after the garbage, so that the pauses in the JVM's log can
 * be told apart.
 */
class DeepStacks {

    static volatile Object last; // keeps the garbage from being optimized away
    static CountDownLatch waiting;
    static final CountDownLatch GO = new CountDownLatch(1);

    static int park(int frames) {
        if (frames > 1) {
            return 1 + park(frames - 1);
        }
        waiting.countDown();
        try {
            GO.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // no thread interrupts
        }
        return 0;
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
        waiting = new CountDownLatch(n);
        double before = used();
        System.err.println("--- the threads begin");
        for (int i = 0; i < n; i++) {
            Thread.ofVirtual().start(() -> park(frames));
        }
        waiting.await();
        System.err.println("--- all wait");
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        long cpu = system.getProcessCpuTime();
        double heap = used() - before;
        cpu = system.getProcessCpuTime() - cpu;
        System.err.println("--- garbage");
        for (int i = 0; i < garbage * 32; i++) {
            last = new byte[32 << 10];
        }
        System.err.println("--- end");
        System.out.println("n,frames,heap (MB),CPU (ms)");
        System.out.printf("%d,%d,%.2f,%.1f%n", n, frames, heap, cpu / 1e6);
        GO.countDown();
    }
}
