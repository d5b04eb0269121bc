import java.util.concurrent.CountDownLatch;

/**
 * n threads that all wait at once: how much memory do they hold? The system tells, from outside.
 *
 * <p>Arguments: platform or virtual, n.
 */
public class Parked {

    public static void main(String[] args) throws InterruptedException {
        boolean virtual = args[0].equals("virtual");
        int n = Integer.parseInt(args[1]);
        CountDownLatch waiting = new CountDownLatch(n);
        CountDownLatch go = new CountDownLatch(1);
        Runnable task = () -> {
            waiting.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                // nobody interrupts
            }
        };
        Thread[] threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = virtual ? Thread.ofVirtual().start(task) : Thread.ofPlatform().start(task);
        }
        waiting.await();
        Thread.sleep(200); // long enough to be looked at
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
