import java.util.Locale;
import jdk.jfr.Recording;

/**
 * Repeatedly starts virtual threads that end immediately, with and without a recording of each start and end.
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

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int n = Integer.parseInt(arguments[0]);
        seconds(n);
        seconds(n); // until the code is compiled
        System.out.println("contender,kind,n,trial,seconds,MB");
        for (int trial = 1; trial <= Integer.parseInt(arguments[1]); trial++) {
            System.out.printf("no recording,virtual,%d,%d,%.4f,0%n", n, trial, seconds(n));
            try (var recording = new Recording()) {
                recording.enable("jdk.VirtualThreadStart").withoutStackTrace();
                recording.enable("jdk.VirtualThreadEnd").withoutStackTrace();
                recording.start();
                double seconds = seconds(n);
                recording.stop();
                System.out.printf("start and end recorded,virtual,%d,%d,%.4f,%.2f%n",
                        n,
                        trial,
                        seconds,
                        recording.getSize() / 1e6);
            }
        }
    }
}
