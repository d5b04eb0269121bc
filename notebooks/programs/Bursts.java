import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
 * Requests that compute for 80 ms arrive in bursts, n at the same time. Larger bursts arrive less often: together they
 * use 35 % of one CPU. Every 5 ms a small request also arrives, which needs hardly any CPU time.
 *
 * <p>Arguments: seconds of each run, then a contender and the size n of a burst for each run. Contenders:
 * <ul>
 *   <li>one carrier, 16 carriers: each request has a virtual thread of its own, and computes on it
 *   <li>pool of 200: each request is done by one of 200 platform threads
 *   <li>small pool: like 16 carriers, but requests that compute do so on a pool of platform threads, one for each CPU
 *       that the JVM counts
 * </ul>
 *
 * <p>CSV: contender, kind, n, average use (%) (CPU time of this JVM, of one CPU), throttled periods (%) (nr_throttled ÷
 * nr_periods of its control group), throttled (ms) (throttled time, summed over the CPUs; without a control group both
 * are NaN), small p99 (ms) (99th percentile of the small requests' latency, from the scheduled arrival of each).
 */
class Bursts {

    static final double COMPUTE = 80; // ms of CPU time
    static final double USE = 0.35; // of one CPU, on average
    static final double TICK = 5; // ms, from one small request to the next

    static volatile long result; // keeps the work from being optimized away
    static long rounds; // that take 80 ms

    static long work(long n) {
        long x = 42;
        for (long i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        return result = x;
    }

    /** How many rounds take 80 ms on an otherwise idle CPU, by the fastest of several tries. */
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

    /** Sends the bursts of n requests each; returns the sorted latencies of the small requests in ms. */
    static double[] latencies(String contender, int n, long bursts) throws Exception {
        var computing = computing(contender);
        double every = n * COMPUTE / USE; // ms
        var dues = new ArrayList<Long>();
        var ends = new ArrayList<Future<Long>>();
        long begun = 0;
        try (var requests = requests(contender)) {
            long start = System.nanoTime();
            for (double at = 0; at < bursts * every; at += TICK) {
                long due = start + (long) (at * 1e6);
                for (long ahead; (ahead = due - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(ahead);
                }
                dues.add(due);
                ends.add(requests.submit(System::nanoTime)); // a small request
                if (at >= begun * every) {
                    begun++;
                    for (int i = 0; i < n; i++) {
                        requests.submit(computing);
                    }
                }
            }
        }
        var latencies = new double[dues.size()];
        for (int i = 0; i < latencies.length; i++) {
            latencies[i] = (ends.get(i).get() - dues.get(i)) / 1e6;
        }
        Arrays.sort(latencies);
        return latencies;
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        double seconds = Double.parseDouble(arguments[0]);
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        rounds = calibrate();
        latencies("one carrier", 1, 1); // until the code is warm
        System.out.println("contender,kind,n,average use (%),throttled periods (%),throttled (ms),small p99 (ms)");
        for (int run = 1; run < arguments.length; run += 2) {
            scheduler.setParallelism(arguments[run].equals("one carrier") ? 1 : 16);
            int n = Integer.parseInt(arguments[run + 1]);
            long bursts = Math.max(1, Math.round(seconds * 1e3 * USE / (n * COMPUTE)));
            double periods = count("nr_periods");
            double often = count("nr_throttled");
            double throttled = throttled();
            long used = system.getProcessCpuTime();
            long start = System.nanoTime();
            var latencies = latencies(arguments[run], n, bursts);
            System.out.printf("%s,%s,%d,%.1f,%.1f,%.1f,%.2f%n",
                    arguments[run],
                    arguments[run].equals("pool of 200") ? "platform" : "virtual",
                    n,
                    100.0 * (system.getProcessCpuTime() - used) / (System.nanoTime() - start),
                    100 * (count("nr_throttled") - often) / (count("nr_periods") - periods),
                    throttled() - throttled,
                    latencies[(int) Math.ceil(0.99 * latencies.length) - 1]);
        }
    }
}
