import java.util.Locale;
import jdk.jfr.Recording;

/**
 * Repeatedly starts virtual threads that end immediately, with and without a recording of each start and end. The two
 * take turns: the next trial begins with the other.
 *
 * <p>Arguments: n, trials.
 *
 * <p>CSV: contender, kind, n, trial, seconds, MB (of the recording).
 */
class Starts {

    static double seconds(int n) throws InterruptedException {
        long start = System.nanoTime();
        var threads = new Thread[n];
        for (int i = 0; i < n; i++) {
            threads[i] = Thread.ofVirtual().start(() -> {});
        }
        for (var thread : threads) {
            thread.join();
        }
        return (System.nanoTime() - start) / 1e9;
    }

    record Recorded(double seconds, double mb) {}

    static Recorded recorded(int n) throws Exception {
        try (var recording = new Recording()) {
            recording.enable("jdk.VirtualThreadStart").withoutStackTrace();
            recording.enable("jdk.VirtualThreadEnd").withoutStackTrace();
            recording.start();
            double seconds = seconds(n);
            recording.stop();
            return new Recorded(seconds, recording.getSize() / 1e6);
        }
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int n = Integer.parseInt(arguments[0]);
        var alone = "no recording,virtual,%d,%d,%.4f,0%n";
        for (int i = 0; i < 2; i++) { // until the code is compiled
            seconds(n);
            recorded(n);
        }
        System.out.println("contender,kind,n,trial,seconds,MB");
        for (int trial = 1; trial <= Integer.parseInt(arguments[1]); trial++) {
            boolean first = trial % 2 == 1;
            if (first) {
                System.out.printf(alone, n, trial, seconds(n));
            }
            var recorded = recorded(n);
            System.out.printf("start and end recorded,virtual,%d,%d,%.4f,%.2f%n",
                    n,
                    trial,
                    recorded.seconds,
                    recorded.mb);
            if (!first) {
                System.out.printf(alone, n, trial, seconds(n));
            }
        }
    }
}
