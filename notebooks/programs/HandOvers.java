import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.SynchronousQueue;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Pairs of threads pass a token back and forth. One of them blocks each time, so nearly all the time goes into
 * mounting and unmounting. What does it cost to have more carriers than CPUs?
 *
 * <p>Arguments: pairs, rounds of each pair, trials, then the numbers of carriers. In each trial they and platform
 * threads take turns, and the next trial begins with another.
 *
 * <p>CSV: contender, kind, n (carriers), trial, hand-over (ns).
 */
class HandOvers {

    static double nanoseconds(Thread.Builder builder, int pairs, int rounds) throws InterruptedException {
        var threads = new ArrayList<Thread>();
        long start = System.nanoTime();
        for (int i = 0; i < pairs; i++) {
            var there = new SynchronousQueue<Integer>();
            var back = new SynchronousQueue<Integer>();
            threads.add(builder.start(() -> hand(there, back, rounds, true)));
            threads.add(builder.start(() -> hand(there, back, rounds, false)));
        }
        for (var thread : threads) {
            thread.join();
        }
        return (System.nanoTime() - start) / (2.0 * pairs * rounds);
    }

    static void hand(SynchronousQueue<Integer> there, SynchronousQueue<Integer> back, int rounds, boolean first) {
        try {
            for (int i = 0; i < rounds; i++) {
                if (first) {
                    there.put(i);
                    back.take();
                } else {
                    there.take();
                    back.put(i);
                }
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // no thread interrupts
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int pairs = Integer.parseInt(arguments[0]);
        int rounds = Integer.parseInt(arguments[1]);
        int trials = Integer.parseInt(arguments[2]);
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        for (int i = 0; i < 3; i++) { // until the code is compiled
            nanoseconds(Thread.ofVirtual(), pairs, rounds);
            nanoseconds(Thread.ofPlatform(), pairs, rounds / 10);
        }
        var carriers = Arrays.copyOfRange(arguments, 3, arguments.length);
        System.out.println("contender,kind,n,trial,hand-over (ns)");
        for (int trial = 1; trial <= trials; trial++) {
            for (int i = 0; i <= carriers.length; i++) {
                int turn = (trial + i) % (carriers.length + 1);
                if (turn == carriers.length) {
                    print("platform", carriers[0], trial, nanoseconds(Thread.ofPlatform(), pairs, rounds));
                } else {
                    scheduler.setParallelism(Integer.parseInt(carriers[turn]));
                    print("virtual", carriers[turn], trial, nanoseconds(Thread.ofVirtual(), pairs, rounds));
                }
            }
        }
    }

    static void print(String kind, String carriers, int trial, double nanoseconds) {
        System.out.printf("%s,%s,%s,%d,%.2f%n", kind, kind, carriers, trial, nanoseconds);
    }
}
