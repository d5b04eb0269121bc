import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Starts n platform threads that wait, six times, and asks Linux each time what they hold.
 *
 * <p>Arguments: n, and how often ten threads wait and end before, so that the methods of a thread are compiled.
 *
 * <p>CSV: step (0 is before the first thread), resident (the pages of the process that are in memory), page tables (of
 * the process), kernel stacks (of all threads of the machine); all in kB.
 */
class Resident {

    public static void main(String[] arguments) throws Exception {
        int n = Integer.parseInt(arguments[0]);
        for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
            var free = new CountDownLatch(1);
            end(waiting(10, free), free);
        }
        var free = new CountDownLatch(1);
        var threads = new ArrayList<Thread>();
        System.out.println("step,resident,page tables,kernel stacks");
        for (int step = 0; step <= 6; step++) {
            if (step > 0) {
                threads.addAll(waiting(n, free));
            }
            System.out.println(step + "," + kilobytes("/proc/self/status", "VmRSS") + ","
                    + kilobytes("/proc/self/status", "VmPTE") + "," + kilobytes("/proc/meminfo", "KernelStack"));
        }
        end(threads, free);
    }

    static List<Thread> waiting(int n, CountDownLatch free) throws InterruptedException {
        var running = new CountDownLatch(n);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < n; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                running.countDown();
                try {
                    free.await();
                } catch (InterruptedException e) {
                    // nobody interrupts
                }
            }));
        }
        running.await();
        return threads;
    }

    static void end(List<Thread> threads, CountDownLatch free) throws InterruptedException {
        free.countDown();
        for (var thread : threads) {
            thread.join();
        }
    }

    static double kilobytes(String file, String name) throws IOException {
        for (var line : Files.readAllLines(Path.of(file))) {
            if (line.startsWith(name + ":")) {
                return 1.024 * Double.parseDouble(line.replaceAll("\\D", "")); // Linux writes kB and means KiB
            }
        }
        throw new IOException(file + " has no " + name);
    }
}
