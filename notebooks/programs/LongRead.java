import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Virtual threads read from other processes, which write nothing until the end. Newcomers, virtual threads that only
 * need to run, come at several times. Measures how long each waits for a carrier, and how many carriers exist when it
 * comes.
 *
 * <p>Arguments: how many threads read; the seconds that one more virtual thread sleeps before each short piece of work
 * (0: no such thread); when the newcomers come, in seconds since the start; the last one says when the reads end.
 *
 * <p>CSV: java (version), works every (s), comes after (s), carriers, waits (ms); no rows if there is no command cat.
 */
class LongRead {

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        System.out.println("java,works every (s),comes after (s),carriers,waits (ms)");
        var processes = new ArrayList<Process>();
        try {
            for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
                processes.add(new ProcessBuilder("cat").start()); // it writes what it reads
            }
        } catch (IOException e) {
            return; // this system has no cat: no rows
        }
        double every = Double.parseDouble(arguments[1]);
        var times = List.of(arguments).subList(2, arguments.length);
        long start = System.nanoTime();
        long end = start + nanoseconds(times.getLast());
        var carriers = new ArrayList<Long>();
        var waits = new ArrayList<Future<Long>>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var process : processes) {
                threads.submit(() -> process.getInputStream().read());
            }
            if (every > 0) {
                threads.submit(() -> {
                    while (System.nanoTime() < end) {
                        sleepUntil(Math.min(end, System.nanoTime() + (long) (every * 1e9)));
                    }
                    return null;
                });
            }
            for (var time : times.subList(0, times.size() - 1)) {
                sleepUntil(start + nanoseconds(time));
                carriers.add(carriers());
                long asked = System.nanoTime();
                waits.add(threads.submit(() -> (System.nanoTime() - asked) / 1_000_000));
            }
            sleepUntil(end);
            for (var process : processes) {
                process.getOutputStream().close(); // the end of its input ends the process and so the read
            }
        }
        for (int i = 0; i < waits.size(); i++) {
            System.out.printf("%d,%s,%s,%d,%d%n",
                    Runtime.version().feature(),
                    arguments[1],
                    times.get(i),
                    carriers.get(i),
                    waits.get(i).get());
        }
    }

    static long nanoseconds(String seconds) {
        return (long) (Double.parseDouble(seconds) * 1e9);
    }

    static void sleepUntil(long due) throws InterruptedException {
        Thread.sleep(Math.max(0, (due - System.nanoTime()) / 1_000_000 + 1));
    }

    /** The number of carriers, busy or idle: platform threads with the name of the pool. */
    static long carriers() {
        return Stream.of(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false))
                .filter(thread -> thread.getThreadName().startsWith("ForkJoinPool-1-worker"))
                .count();
    }
}
