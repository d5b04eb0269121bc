import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests of two kinds arrive at random times (Poisson): 85 of 100 wait 20 ms, 15 compute for 50 ms. At each load,
 * every contender gets the same requests at the same times.
 *
 * <p>Arguments: contender, seconds at each load, then the loads in % of what the CPUs can compute. Contenders:
 * <ul>
 *   <li>pool: 200 platform threads
 *   <li>virtual: a virtual thread for each request
 *   <li>virtual + semaphore: as virtual; those that compute need one of CPUs - 1 permits
 *   <li>virtual + pool: as virtual; those that compute do so on a pool with one platform thread for each CPU
 * </ul>
 *
 * <p>CSV: contender, kind, n (the load in %), waiting p99 (ms), computing p99 (ms) (99th percentiles of the latency of
 * both kinds, from a request's scheduled arrival to its end), late (the share of waiting requests that took at least 2
 * ms longer).
 */
class MixedLoad {

    static final int WAIT = 20; // ms
    static final int COMPUTE = 50; // ms of CPU time
    static final double COMPUTING = 0.15; // the share of requests that compute
    static final int CPUS = Runtime.getRuntime().availableProcessors();

    static volatile long result; // keeps the work from being optimized away
    static long rounds; // that take 50 ms

    static void work(long n) {
        long x = 42;
        for (long i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        result = x;
    }

    /** How many rounds take 50 ms on an otherwise idle CPU, by the fastest of several tries. */
    static long calibrate() {
        long n = 5_000_000;
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 40; i++) {
            long start = System.nanoTime();
            work(n);
            best = Math.min(best, System.nanoTime() - start);
        }
        return n * COMPUTE * 1_000_000 / best;
    }

    static Void compute() {
        work(rounds);
        return null;
    }

    static Void await() throws InterruptedException {
        Thread.sleep(WAIT);
        return null;
    }

    static ExecutorService requests(String contender) {
        return contender.equals("pool")
                ? Executors.newFixedThreadPool(200)
                : Executors.newVirtualThreadPerTaskExecutor();
    }

    /** The work of a request that computes. */
    static Callable<Void> computing(String contender) {
        return switch (contender) {
            case "pool", "virtual" -> MixedLoad::compute;
            case "virtual + semaphore" -> {
                var permits = new Semaphore(CPUS - 1);
                yield () -> {
                    permits.acquire();
                    try {
                        return compute();
                    } finally {
                        permits.release();
                    }
                };
            }
            case "virtual + pool" -> {
                var pool = Executors.newFixedThreadPool(CPUS, Thread.ofPlatform().daemon().factory());
                yield () -> pool.submit(MixedLoad::compute).get();
            }
            default -> throw new IllegalArgumentException("unknown: " + contender);
        };
    }

    record Request(long arrives, boolean computes) {}

    /** The requests of a period (arrivals in ns after the start), at a share of what the CPUs can compute. */
    static List<Request> arrivals(double share, double seconds) {
        double rate = share * CPUS * 1_000 / (COMPUTING * COMPUTE); // requests per second
        var random = new Random(1);
        var requests = new ArrayList<Request>();
        for (double at = 0; at < seconds; at -= Math.log(1 - random.nextDouble()) / rate) {
            requests.add(new Request((long) (at * 1e9), random.nextDouble() < COMPUTING));
        }
        return requests;
    }

    static double[] latencies(String contender, List<Request> requests) throws Exception {
        var computing = computing(contender);
        var ended = new ArrayList<Future<Long>>();
        long start = System.nanoTime();
        try (var executor = requests(contender)) {
            for (var request : requests) {
                for (long ahead; (ahead = start + request.arrives - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(ahead);
                }
                Callable<Void> task = request.computes ? computing : MixedLoad::await;
                ended.add(executor.submit(() -> {
                    task.call();
                    return System.nanoTime();
                }));
            }
        }
        var latencies = new double[requests.size()];
        for (int i = 0; i < latencies.length; i++) {
            latencies[i] = (ended.get(i).get() - start - requests.get(i).arrives) / 1e6;
        }
        return latencies;
    }

    static double[] sorted(double[] latencies, List<Request> requests, boolean computes) {
        var own = new ArrayList<Double>();
        for (int i = 0; i < latencies.length; i++) {
            if (requests.get(i).computes == computes) {
                own.add(latencies[i]);
            }
        }
        return own.stream().mapToDouble(latency -> latency).sorted().toArray();
    }

    static double p99(double[] sorted) {
        return sorted[(int) Math.ceil(0.99 * sorted.length) - 1];
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var contender = arguments[0];
        double seconds = Double.parseDouble(arguments[1]);
        rounds = calibrate();
        latencies(contender, arrivals(0.3, 0.5)); // until the code is warm
        System.out.println("contender,kind,n,waiting p99 (ms),computing p99 (ms),late");
        for (var load : Arrays.copyOfRange(arguments, 2, arguments.length)) {
            var requests = arrivals(Integer.parseInt(load) / 100.0, seconds);
            var latencies = latencies(contender, requests);
            var waits = sorted(latencies, requests, false);
            System.out.printf("%s,%s,%s,%.2f,%.2f,%.4f%n",
                    contender,
                    contender.equals("pool") ? "platform" : "virtual",
                    load,
                    p99(waits),
                    p99(sorted(latencies, requests, true)),
                    Arrays.stream(waits).filter(latency -> latency > WAIT + 2).count() / (double) waits.length);
        }
    }
}
