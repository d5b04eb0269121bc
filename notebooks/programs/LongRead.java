import java.io.IOException;
import java.util.ArrayList;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A virtual thread reads what another process writes, and that is nothing until the end. Newcomers, virtual threads
 * that only want to run, come at several times. Measures how long each waits for a carrier.
 *
 * <p>Arguments: when the newcomers come, in seconds since the start; the last one says when the read ends.
 *
 * <p>CSV: java (version), comes after (s), waits (ms); no rows where there is no command cat.
 */
class LongRead {

    public static void main(String[] arguments) throws Exception {
        System.out.println("java,comes after (s),waits (ms)");
        Process process;
        try {
            process = new ProcessBuilder("cat").start(); // it writes what it reads
        } catch (IOException e) {
            return; // this system has none: no rows
        }
        var waits = new ArrayList<Future<Long>>();
        long start = System.nanoTime();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.submit(() -> process.getInputStream().read());
            for (int i = 0; i < arguments.length; i++) {
                long due = start + (long) (Double.parseDouble(arguments[i]) * 1e9);
                Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000));
                if (i < arguments.length - 1) {
                    long asked = System.nanoTime();
                    waits.add(threads.submit(() -> (System.nanoTime() - asked) / 1_000_000));
                }
            }
            process.getOutputStream().close(); // the end of its input ends the process, and so the read
        }
        for (int i = 0; i < waits.size(); i++) {
            System.out.printf(
                    Locale.ROOT,
                    "%d,%s,%d%n",
                    Runtime.version().feature(),
                    arguments[i],
                    waits.get(i).get());
        }
    }
}
