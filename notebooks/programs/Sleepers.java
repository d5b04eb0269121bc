import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * n tasks that each sleep one second, on a cached pool of platform threads or on a virtual thread each.
 *
 * <p>Arguments: platform or virtual, n, the number of trials. Prints one row per trial:
 * <ul>
 *   <li>contender and kind: platform or virtual
 *   <li>seconds: from the first submit until every task has ended
 *   <li>largest pool: the most threads that the pool had at once; for virtual threads n, since each has its own
 * </ul>
 */
public class Sleepers {

    public static void main(String[] args) throws InterruptedException {
        String contender = args[0];
        int n = Integer.parseInt(args[1]);
        int trials = Integer.parseInt(args[2]);

        System.out.println("contender,kind,n,trial,seconds,largest pool");
        for (int trial = 1; trial <= trials; trial++) {
            ExecutorService executor =
                    switch (contender) {
                        case "platform" -> Executors.newCachedThreadPool();
                        case "virtual" -> Executors.newVirtualThreadPerTaskExecutor();
                        default -> throw new IllegalArgumentException("platform or virtual, not " + contender);
                    };
            double seconds = sleepers(executor, n);
            int largest = executor instanceof ThreadPoolExecutor pool ? pool.getLargestPoolSize() : n;
            System.out.printf(
                    Locale.ROOT, "%s,%s,%d,%d,%.4f,%d%n", contender, contender, n, trial, seconds, largest);
        }
    }

    static double sleepers(ExecutorService executor, int n) {
        long start = System.nanoTime();
        try (executor) { // waits until every task has ended
            for (int i = 0; i < n; i++) {
                executor.submit(() -> {
                    Thread.sleep(1_000);
                    return null;
                });
            }
        }
        return (System.nanoTime() - start) / 1e9;
    }
}
