import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

/**
 * Two threads pass a token back and forth. Each pass parks one thread and wakes the other: this is one switch.
 *
 * <p>Arguments: how many CPUs this JVM was given; rounds; trials; warm-up rounds.
 *
 * <p>CSV: contender, kind, n (CPUs), trial, µs (for one switch).
 */
class Switch {

    static double microseconds(int rounds, ThreadFactory threads) throws Exception {
        var ping = new Semaphore(0);
        var pong = new Semaphore(0);
        try (var executor = Executors.newThreadPerTaskExecutor(threads)) {
            executor.submit(() -> {
                for (int i = 0; i < rounds; i++) {
                    ping.acquire();
                    pong.release();
                }
                return null;
            });
            return executor.submit(() -> {
                        long begin = System.nanoTime();
                        for (int i = 0; i < rounds; i++) {
                            ping.release();
                            pong.acquire();
                        }
                        return (System.nanoTime() - begin) / 1e3 / (2 * rounds);
                    })
                    .get();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int rounds = Integer.parseInt(arguments[1]);
        int trials = Integer.parseInt(arguments[2]);
        int warmUp = Integer.parseInt(arguments[3]);
        var platform = Thread.ofPlatform().factory();
        var virtual = Thread.ofVirtual().factory();
        microseconds(warmUp, platform);
        microseconds(warmUp, virtual);
        System.out.println("contender,kind,n,trial,µs");
        for (int trial = 1; trial <= trials; trial++) {
            for (int turn = 0; turn < 2; turn++) { // each trial begins with the other kind
                var kind = (trial + turn) % 2 == 0 ? "platform" : "virtual";
                double cost = microseconds(rounds, kind.equals("platform") ? platform : virtual);
                System.out.printf("%s,%s,%s,%d,%.4f%n", kind, kind, arguments[0], trial, cost);
            }
        }
    }
}
