import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * n tasks that each sleep one second, on a cached pool of platform threads or each on a virtual thread.
 *
 * <p>Arguments: platform, virtual, or both in turns; n; the number of trials; and "count" to count the live tasks. Each
 * trial of both begins with another kind than the one before. Prints one row per trial, cold ones first:
 * <ul>
 *   <li>contender and kind: platform or virtual
 *   <li>seconds: from the first submit until every task has ended
 *   <li>alive at once: the most tasks that had begun and not ended, counted every 5 ms; empty where it was not
 *       counted, because counting takes time too
 * </ul>
 */
public class Sleepers {

    public static void main(String[] args) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var kinds = args[0].equals("both") ? List.of("platform", "virtual") : List.of(args[0]);
        int n = Integer.parseInt(args[1]);
        int trials = Integer.parseInt(args[2]);
        boolean count = args.length > 3;

        System.out.println("contender,kind,n,trial,seconds,alive at once");
        for (int trial = 1; trial <= trials; trial++) {
            for (int turn = 0; turn < kinds.size(); turn++) {
                var kind = kinds.get((trial + turn) % kinds.size());
                var executor = executor(kind);
                var alive = count ? new Alive() : null;
                double seconds = sleepers(executor, n, count ? alive::sleep : Sleepers::sleep);
                var most = count ? String.valueOf(alive.most()) : "";
                System.out.printf("%s,%s,%d,%d,%.4f,%s%n", kind, kind, n, trial, seconds, most);
            }
        }
    }

    private static ExecutorService executor(String kind) {
        return switch (kind) {
            case "platform" -> Executors.newCachedThreadPool();
            case "virtual" -> Executors.newVirtualThreadPerTaskExecutor();
            default -> throw new IllegalArgumentException("platform, virtual or both, not " + kind);
        };
    }

    static double sleepers(ExecutorService executor, int n, Callable<Void> sleep) {
        long start = System.nanoTime();
        try (executor) { // waits until every task has ended
            for (int i = 0; i < n; i++) {
                executor.submit(sleep);
            }
        }
        return (System.nanoTime() - start) / 1e9;
    }

    static Void sleep() throws InterruptedException {
        Thread.sleep(1_000);
        return null;
    }

    /** Counts every 5 ms how many tasks have begun and not ended. */
    static class Alive {
        private final LongAdder begun = new LongAdder();
        private final LongAdder ended = new LongAdder();
        private long most;
        private final Thread counter = Thread.ofPlatform().daemon().start(this::count);

        Void sleep() throws InterruptedException {
            begun.increment();
            Sleepers.sleep();
            ended.increment();
            return null;
        }

        private void count() {
            try {
                while (true) {
                    long all = begun.sum();
                    most = Math.max(most, all - ended.sum());
                    Thread.sleep(5);
                }
            } catch (InterruptedException e) {
                // all have ended
            }
        }

        long most() throws InterruptedException {
            counter.interrupt();
            counter.join();
            return most;
        }
    }
}
