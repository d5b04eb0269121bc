import java.lang.management.ManagementFactory;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Requests of two kinds arrive at random times (Poisson): 85 of 100 wait 20 ms, 15 compute for 25 ms. Each trial has
 * arrivals of its own, the same for all contenders, which take turns.
 *
 * <p>Arguments: the load in % of what the CPUs can compute, seconds of a trial, trials, then contenders, of which one
 * such as {@code pool:3} takes part in the first 3 trials only:
 * <ul>
 *   <li>pool: 200 platform threads, all started before the first request
 *   <li>default: a virtual thread for each request, on one carrier for each CPU
 *   <li>16 carriers: as default, on 16 carriers
 *   <li>semaphore: as default; those that compute need one of CPUs - 1 permits
 *   <li>small pool: as default; those that compute do so on a pool with one platform thread for each CPU
 * </ul>
 *
 * <p>CSV: contender, kind, n (the load in %), trial, waiting (requests that wait), late (the share of them that took at
 * least 2 ms longer), p90 (ms) (of them, from a request's scheduled arrival to its end), computing p90 (ms), and for
 * default on one CPU: load (%) (the time in which the carrier computed), in order (ms) and by queue (ms) (the p90 of
 * those that wait, if one ideal carrier gets the same requests and takes as long for each that computes: one carrier
 * takes them in the order in which they become ready; the other empties the queue of newcomers before it looks at the
 * queue of those that are woken, and the other way round).
 */
class MixedLoad {

    static final int WAIT = 20; // ms
    static final int COMPUTE = 25; // ms of CPU time
    static final double COMPUTING = 0.15; // the share of requests that compute
    static final int CPUS = Runtime.getRuntime().availableProcessors();

    static volatile long result; // keeps the work from being optimized away
    static long rounds; // that take 25 ms

    static void work(long n) {
        long x = 42;
        for (long i = 0; i < n; i++) {
            x = x * 6364136223846793005L + 1442695040888963407L;
        }
        result = x;
    }

    /** How many rounds take 25 ms on an otherwise idle CPU, by the fastest of several tries. */
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
        if (!contender.equals("pool")) {
            return Executors.newVirtualThreadPerTaskExecutor();
        }
        var pool = new ThreadPoolExecutor(200, 200, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        pool.prestartAllCoreThreads();
        return pool;
    }

    /** The work of a request that computes. */
    static Callable<Void> computing(String contender) {
        return switch (contender) {
            case "semaphore" -> {
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
            case "small pool" -> {
                var pool = Executors.newFixedThreadPool(CPUS, Thread.ofPlatform().daemon().factory());
                yield () -> pool.submit(MixedLoad::compute).get();
            }
            default -> MixedLoad::compute;
        };
    }

    record Request(double arrives, boolean computes) {}

    /** When a request began and ended, in ms after the start. */
    record Served(double began, double ended) {}

    /** The requests of a trial (arrivals in ms after its start), at a share of what the CPUs can compute. */
    static List<Request> arrivals(double share, double seconds, long seed) {
        double rate = share * CPUS / (COMPUTING * COMPUTE); // requests per ms
        var random = new Random(seed);
        var requests = new ArrayList<Request>();
        for (double at = 0; at < seconds * 1_000; at += random.nextExponential() / rate) {
            requests.add(new Request(at, random.nextDouble() < COMPUTING));
        }
        return requests;
    }

    static List<Served> serve(String contender, List<Request> requests) throws Exception {
        var computing = computing(contender);
        var ended = new ArrayList<Future<Served>>();
        var executor = requests(contender);
        long start = System.nanoTime();
        try (executor) {
            for (var request : requests) {
                for (double ahead; (ahead = request.arrives - since(start)) > 0; ) {
                    LockSupport.parkNanos((long) (ahead * 1e6));
                }
                Callable<Void> task = request.computes ? computing : MixedLoad::await;
                ended.add(executor.submit(() -> {
                    double began = since(start);
                    task.call();
                    return new Served(began, since(start));
                }));
            }
        }
        var all = new ArrayList<Served>();
        for (var one : ended) {
            all.add(one.get());
        }
        return all;
    }

    static double since(long start) {
        return (System.nanoTime() - start) / 1e6;
    }

    /** When each request ends on an ideal carrier, on which those that compute take as long as they took. */
    static double[] ideal(List<Request> requests, List<Served> took, boolean byQueue) {
        var ended = new double[requests.size()];
        var woken = new ArrayDeque<Integer>(); // their order is the order in which they began
        var due = new double[requests.size()];
        boolean atWoken = false;
        double now = 0;
        for (int next = 0; next < ended.length || !woken.isEmpty(); ) {
            double arrives = next < ended.length ? requests.get(next).arrives : Double.MAX_VALUE;
            double wakes = woken.isEmpty() ? Double.MAX_VALUE : due[woken.peek()];
            now = Math.max(now, Math.min(arrives, wakes));
            if (byQueue) {
                atWoken = atWoken ? wakes <= now : arrives > now; // stay while there is one
            } else {
                atWoken = wakes <= arrives;
            }
            if (atWoken) {
                ended[woken.remove()] = now;
            } else if (requests.get(next).computes) {
                now += took.get(next).ended - took.get(next).began;
                ended[next++] = now;
            } else {
                due[next] = now + WAIT;
                woken.add(next++);
            }
        }
        return ended;
    }

    /** The latencies of one kind of request, sorted. */
    static double[] latencies(List<Request> requests, boolean computes, IntToDoubleFunction ended) {
        return IntStream.range(0, requests.size())
                .filter(i -> requests.get(i).computes == computes)
                .mapToDouble(i -> ended.applyAsDouble(i) - requests.get(i).arrives)
                .sorted()
                .toArray();
    }

    static double p90(double[] sorted) {
        return sorted[(int) Math.ceil(0.9 * sorted.length) - 1];
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        double load = Double.parseDouble(arguments[0]);
        double seconds = Double.parseDouble(arguments[1]);
        int trials = Integer.parseInt(arguments[2]);
        var turns = new LinkedHashMap<String, Integer>(); // of each contender
        for (var one : List.of(arguments).subList(3, arguments.length)) {
            var parts = one.split(":");
            turns.put(parts[0], parts.length > 1 ? Integer.parseInt(parts[1]) : trials);
        }
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        rounds = calibrate();
        serve("default", arrivals(0.3, 0.3, 0)); // until the code is warm
        System.out.println("contender,kind,n,trial,waiting,late,p90 (ms),computing p90 (ms),"
                + "load (%),in order (ms),by queue (ms)");
        for (int trial = 1; trial <= trials; trial++) {
            var requests = arrivals(load / 100, seconds, trial);
            int now = trial;
            var contenders =
                    turns.keySet().stream().filter(one -> turns.get(one) >= now).toList();
            for (int i = 0; i < contenders.size(); i++) {
                var contender = contenders.get((trial + i) % contenders.size());
                scheduler.setParallelism(contender.equals("16 carriers") ? 16 : CPUS);
                var served = serve(contender, requests);
                var waits = latencies(requests, false, k -> served.get(k).ended);
                System.out.printf("%s,%s,%.0f,%d,%d,%.4f,%.2f,%.2f,%s%n",
                        contender,
                        contender.equals("pool") ? "platform" : "virtual",
                        load,
                        trial,
                        waits.length,
                        Arrays.stream(waits).filter(ms -> ms > WAIT + 2).count() / (double) waits.length,
                        p90(waits),
                        p90(latencies(requests, true, k -> served.get(k).ended)),
                        contender.equals("default") && CPUS == 1 ? ideals(requests, served) : "NaN,NaN,NaN");
            }
        }
    }

    /** The last three columns of the CSV. */
    static String ideals(List<Request> requests, List<Served> served) {
        double computed = IntStream.range(0, requests.size())
                .filter(i -> requests.get(i).computes)
                .mapToDouble(i -> served.get(i).ended - served.get(i).began)
                .sum();
        var inOrder = ideal(requests, served, false);
        var byQueue = ideal(requests, served, true);
        return "%.1f,%.2f,%.2f".formatted(
                100 * computed / requests.getLast().arrives,
                p90(latencies(requests, false, k -> inOrder[k])),
                p90(latencies(requests, false, k -> byQueue[k])));
    }
}
