import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.SynchronousQueue;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Pairs of threads pass a token back and forth, and one of them blocks each time. What does it cost to have more
 * carriers than CPUs, and how often does the operating system switch between threads?
 *
 * <p>Arguments: pairs, rounds of each pair, trials, then the numbers of carriers. In each trial they and platform
 * threads take turns, and the next trial begins with another.
 *
 * <p>CSV: contender, kind, n (carriers), trial, hand-over (ns), switches (context switches of the process for each
 * hand-over, voluntary and not; NaN where the system has no {@code getrusage}).
 */
class HandOvers {

    /** What a hand-over took and caused. */
    record Cost(double nanoseconds, double switches) {}

    static Cost cost(Thread.Builder builder, int pairs, int rounds) throws InterruptedException {
        var threads = new ArrayList<Thread>();
        double before = switches();
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
        double handOvers = 2.0 * pairs * rounds;
        return new Cost((System.nanoTime() - start) / handOvers, (switches() - before) / handOvers);
    }

    /** The context switches of this process so far, also of threads that have ended. */
    static double switches() {
        var linker = Linker.nativeLinker();
        var getrusage = linker.defaultLookup().find("getrusage");
        if (getrusage.isEmpty()) {
            return Double.NaN;
        }
        var call = linker.downcallHandle(getrusage.get(), FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS));
        try (var arena = Arena.ofConfined()) {
            var usage = arena.allocate(18 * 8L, 8); // two times of 16 bytes, then 14 counters
            int failed = (int) call.invokeExact(0, usage); // of the whole process
            return failed != 0 ? Double.NaN : usage.getAtIndex(JAVA_LONG, 16) + usage.getAtIndex(JAVA_LONG, 17);
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
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
            cost(Thread.ofVirtual(), pairs, rounds);
            cost(Thread.ofPlatform(), pairs, rounds / 10);
        }
        var carriers = Arrays.copyOfRange(arguments, 3, arguments.length);
        System.out.println("contender,kind,n,trial,hand-over (ns),switches");
        for (int trial = 1; trial <= trials; trial++) {
            for (int i = 0; i <= carriers.length; i++) {
                int turn = (trial + i) % (carriers.length + 1);
                if (turn == carriers.length) {
                    print("platform", carriers[0], trial, cost(Thread.ofPlatform(), pairs, rounds));
                } else {
                    scheduler.setParallelism(Integer.parseInt(carriers[turn]));
                    print("virtual", carriers[turn], trial, cost(Thread.ofVirtual(), pairs, rounds));
                }
            }
        }
    }

    static void print(String kind, String carriers, int trial, Cost cost) {
        System.out.printf("%s,%s,%s,%d,%.2f,%.4f%n", kind, kind, carriers, trial, cost.nanoseconds, cost.switches);
    }
}
