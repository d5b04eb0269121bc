import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests arrive at random times (Poisson). Each computes for 1 ms, waits for 20 ms, and computes for 1 ms: it needs a
 * carrier twice. How long does it wait for one, as a newcomer and in progress, and how many overtake it, which could
 * run 1 ms later or more and ran before it?
 *
 * <p>Arguments: load in % of one CPU, seconds, then seeds of the arrivals, a trial each. Options: -Djdk.virtualThreadScheduler.parallelism=1 and maxPoolSize=1.
 *
 * <p>CSV: contender (newcomers or in progress, with the Java version), kind, n (load in %), trial, requests, wait (ms,
 * mean), p99 (ms), requests overtaken (%).
 */
class InProgress {

    static final double WORK = 1; // ms, twice in each request
    static final double WAIT = 20; // ms

    /** When a thread could run, and when it ran, in ms after the start. */
    record Turn(boolean newcomer, double could, double ran) {}

    private final ConcurrentLinkedQueue<Turn> turns = new ConcurrentLinkedQueue<>();
    private final long start = System.nanoTime();

    double now() {
        return (System.nanoTime() - start) / 1e6;
    }

    void compute() {
        double end = now() + WORK;
        while (now() < end) {
            Thread.onSpinWait();
        }
    }

    Void request(double arrived) throws InterruptedException {
        turns.add(new Turn(true, arrived, now()));
        compute();
        double due = now() + WAIT;
        Thread.sleep((long) WAIT);
        turns.add(new Turn(false, due, now()));
        compute();
        return null;
    }

    void run(double load, double seconds, Random random) {
        double rate = load / (2 * WORK); // requests per ms
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (double at = 0; at < seconds * 1_000; at += random.nextExponential() / rate) {
                double arrives = at;
                for (double ahead; (ahead = arrives - now()) > 0; ) {
                    LockSupport.parkNanos((long) (ahead * 1e6));
                }
                executor.submit(() -> request(arrives));
            }
        }
    }

    /** Of newcomers, or of those in progress: mean and p99 of the wait, and the share that was overtaken. */
    static String figures(Turn[] inOrder, boolean newcomers) {
        int overtaken = 0;
        var waits = Arrays.stream(inOrder).filter(turn -> turn.newcomer == newcomers)
                .mapToDouble(turn -> turn.ran - turn.could).sorted().toArray();
        double latest = 0; // of those that have run: when it could run
        for (var turn : inOrder) {
            if (turn.newcomer == newcomers && latest >= turn.could + 1) {
                overtaken++;
            }
            latest = Math.max(latest, turn.could);
        }
        return "%.2f,%.1f,%.1f".formatted(
                Arrays.stream(waits).average().orElse(0),
                waits[(int) (waits.length * 0.99)],
                100.0 * overtaken / waits.length);
    }

    public static void main(String[] arguments) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int java = Runtime.version().feature();
        double load = Double.parseDouble(arguments[0]) / 100;
        double seconds = Double.parseDouble(arguments[1]);
        new InProgress().run(0.5, 0.5, new Random(0)); // until the code is warm
        System.out.println("contender,kind,n,trial,requests,wait (ms),p99 (ms),requests overtaken (%)");
        for (int i = 2; i < arguments.length; i++) {
            var one = new InProgress();
            one.run(load, seconds, new Random(Long.parseLong(arguments[i])));
            var inOrder = one.turns.toArray(new Turn[0]);
            Arrays.sort(inOrder, (a, b) -> Double.compare(a.ran, b.ran));
            for (boolean newcomers : new boolean[] {true, false}) {
                System.out.printf("%s on Java %d,virtual,%s,%d,%d,%s%n",
                        newcomers ? "newcomers" : "in progress", java, arguments[0], i - 1, inOrder.length / 2,
                        figures(inOrder, newcomers));
            }
        }
    }
}
