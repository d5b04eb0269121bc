import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Requests that compute for 60 ms arrive in bursts, n at the same time. Larger bursts arrive less often: together they
 * use 35 % of one CPU. Every 5 ms a small request also arrives, which needs hardly any CPU time.
 *
 * <p>Arguments: bursts of each run, then a contender and the size n of a burst for each run. Contenders:
 * <ul>
 *   <li>one carrier: each request has a virtual thread of its own, and computes on it
 *   <li>16 carriers, or any other name: the same on 16 carriers
 *   <li>pool of 200: each request is done by one of 200 platform threads
 *   <li>small pool: like 16 carriers, but requests that compute do so on a pool of platform threads, one for each CPU
 *       that the JVM counts
 * </ul>
 *
 * <p>CSV, a trial for each burst, from its arrival to that of the next: contender, kind, n, trial, average use (%) (CPU
 * time of this JVM, of one CPU), throttled periods (%) (nr_throttled ÷ nr_periods of its control group), throttled (ms)
 * (throttled time, summed over the CPUs; without a control group both are NaN), small requests, longest (ms) (the
 * largest of their latencies, each from its scheduled arrival).
 */
class Bursts {

    static final double COMPUTE = 60; // ms of CPU time
    static final double USE = 0.35; // of one CPU, on average
    static final double TICK = 5; // ms, from one small request to the next

    static volatile long result; // keeps the work from being optimized away
    static long rounds; // that take 60 ms

    static long work(long n) {
        long x = 42;
        for (long i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return result = x;
    }

    /** How many rounds take 60 ms on an otherwise idle CPU, by the fastest of several tries. */
    static long calibrate() {
        long n = 2_000_000;
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 40; i++) {
            long start = System.nanoTime();
            work(n);
            best = Math.min(best, System.nanoTime() - start);
        }
        return (long) (n * COMPUTE * 1e6 / best);
    }

    /** The work of a request that computes. */
    static Callable<Long> computing(String contender) {
        if (!contender.equals("small pool")) {
            return () -> work(rounds);
        }
        int cpus = Runtime.getRuntime().availableProcessors();
        var pool = Executors.newFixedThreadPool(cpus, Thread.ofPlatform().daemon().factory());
        return () -> pool.submit(() -> work(rounds)).get();
    }

    /** The executor of the requests. */
    static ExecutorService requests(String contender) {
        if (!contender.equals("pool of 200")) {
            return Executors.newVirtualThreadPerTaskExecutor();
        }
        var pool = new ThreadPoolExecutor(200, 200, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        pool.prestartAllCoreThreads();
        return pool;
    }

    /** The system's counter of this name for the control group of this process; NaN without a group. */
    static double count(String name) throws IOException {
        var file = System.getenv("THREADLAB_CPU_STAT");
        if (file == null) {
            return Double.NaN;
        }
        return Files.readAllLines(Path.of(file)).stream()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .sum();
    }

    /** How long the group was throttled, in ms: version 1 counts ns, version 2 µs. */
    static double throttled() throws IOException {
        return count("throttled_time") / 1e6 + count("throttled_usec") / 1e3;
    }

    /** What the system has counted so far. */
    record Counts(long at, double used, double periods, double often, double throttled) {

        static Counts now() throws IOException {
            var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            return new Counts(
                    System.nanoTime(),
                    system.getProcessCpuTime(),
                    count("nr_periods"),
                    count("nr_throttled"),
                    Bursts.throttled());
        }

        /** Average use (%), throttled periods (%), throttled (ms), since an earlier moment. */
        String since(Counts begin) {
            return "%.1f,%.1f,%.1f".formatted(
                    100 * (used - begin.used) / (at - begin.at),
                    100 * (often - begin.often) / (periods - begin.periods),
                    throttled - begin.throttled);
        }
    }

    /** Sends the bursts of n requests each; returns for each the columns of the CSV from average use on. */
    static List<String> bursts(String contender, int n, int bursts) throws Exception {
        var computing = computing(contender);
        double every = n * COMPUTE / USE; // ms
        var dues = new ArrayList<Long>();
        var ends = new ArrayList<Future<Long>>();
        var firsts = new ArrayList<Integer>(); // the number of the first small request with each burst
        var counts = new ArrayList<Counts>();
        try (var requests = requests(contender)) {
            long start = System.nanoTime();
            for (double at = 0; at < bursts * every; at += TICK) {
                long due = start + (long) (at * 1e6);
                for (long ahead; (ahead = due - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(ahead);
                }
                if (at >= firsts.size() * every) {
                    firsts.add(dues.size());
                    counts.add(Counts.now());
                    for (int i = 0; i < n; i++) {
                        requests.submit(computing);
                    }
                }
                dues.add(due);
                ends.add(requests.submit(System::nanoTime)); // a small request
            }
        }
        counts.add(Counts.now());
        firsts.add(dues.size());
        var rows = new ArrayList<String>();
        for (int burst = 0; burst < bursts; burst++) {
            double longest = 0;
            for (int i = firsts.get(burst); i < firsts.get(burst + 1); i++) {
                longest = Math.max(longest, (ends.get(i).get() - dues.get(i)) / 1e6);
            }
            int small = firsts.get(burst + 1) - firsts.get(burst);
            rows.add("%s,%d,%.2f".formatted(counts.get(burst + 1).since(counts.get(burst)), small, longest));
        }
        return rows;
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int bursts = Integer.parseInt(arguments[0]);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        rounds = calibrate();
        bursts("one carrier", 1, 1); // until the code is warm
        System.out.println(
                "contender,kind,n,trial,average use (%),throttled periods (%),throttled (ms),small requests,longest (ms)");
        for (int run = 1; run < arguments.length; run += 2) {
            var contender = arguments[run];
            scheduler.setParallelism(contender.equals("one carrier") ? 1 : 16);
            int n = Integer.parseInt(arguments[run + 1]);
            int trial = 1;
            for (var row : bursts(contender, n, bursts)) {
                var kind = contender.equals("pool of 200") ? "platform" : "virtual";
                System.out.printf("%s,%s,%d,%d,%s%n", contender, kind, n, trial++, row);
            }
        }
    }
}
