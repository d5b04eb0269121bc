import java.util.concurrent.CountDownLatch;

/**
 * n threads that all wait at once: how much memory do they hold? It is measured from outside.
 *
 * <p>Arguments: platform or virtual, n, and how many additional frames each thread has on its stack (0 if not
 * given).
 */
public class Parked {

    static CountDownLatch waiting;
    static CountDownLatch go = new CountDownLatch(1);

    public static void main(String[] args) throws InterruptedException {
        boolean virtual = args[0].equals("virtual");
        int n = Integer.parseInt(args[1]);
        int frames = args.length > 2 ? Integer.parseInt(args[2]) : 0;
        waiting = new CountDownLatch(n);
        Runnable task = () -> park(frames);
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
        }
        waiting.await();
        Thread.sleep(200); // long enough to be measured
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Calls itself until there are enough frames, and waits there. */
    static int park(int frames) {
        if (frames > 0) {
            return 1 + park(frames - 1);
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
