import static com.pivovarit.collectors.ParallelCollectors.parallel;
import static java.util.stream.Collectors.toList;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * Fetches n ids at once, each in 1 s: on a pool of n platform threads or on virtual threads.
 *
 * <p>Arguments: {@code platform} or {@code virtual}, n, and the most platform threads that the pool may start, which
 * this machine must be able to run: not every system refuses in time. The CSV has one row, even after a failure:
 * {@code contender}, {@code kind}, {@code n}, {@code users} (fetched for the caller), {@code seconds} (until all
 * threads have ended), {@code platform threads} (the most that were alive at once, including those of the JVM that
 * run Java).
 */
class FetchAll {

    public static void main(String[] args) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int n = Integer.parseInt(args[1]);
        int users = 0;
        long start = System.nanoTime();
        try (var executor = executor(args[0], n, Integer.parseInt(args[2]))) {
            users = fetchAll(n, executor).size();
        } finally {
            System.out.println("contender,kind,n,users,seconds,platform threads");
            System.out.printf("%s,%s,%d,%d,%.2f,%d%n",
                    args[0],
                    args[0],
                    n,
                    users,
                    (System.nanoTime() - start) / 1e9,
                    ManagementFactory.getThreadMXBean().getPeakThreadCount());
        }
    }

    private static ExecutorService executor(String kind, int n, int most) {
        var started = new AtomicInteger();
        return switch (kind) {
            case "platform" -> Executors.newFixedThreadPool(n, task -> {
                if (started.incrementAndGet() > most) {
                    throw new IllegalStateException("a pool of " + n + " threads is too large: it may start " + most);
                }
                return new Thread(task);
            });
            case "virtual" -> Executors.newVirtualThreadPerTaskExecutor();
            default -> throw new IllegalArgumentException("\"" + kind + "\" is neither platform nor virtual");
        };
    }

    private static List<String> fetchAll(int n, ExecutorService executor) {
        return IntStream.range(0, n)
                .boxed()
                .collect(parallel(FetchAll::fetchById, toList(), executor, n))
                .join();
    }

    private static String fetchById(int id) {
        try {
            Thread.sleep(1_000);
            return "user-" + id;
        } catch (InterruptedException e) {
            // so that a failure of one fetch can stop the others
            throw new CancellationException("user-" + id + " was not fetched");
        }
    }
}
