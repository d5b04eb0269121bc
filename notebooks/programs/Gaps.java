import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Some threads compute all the time, and each records its gaps of 10 ms or more without a CPU; the first is
 * "computes". One more thread repeatedly sleeps for 1 ms, and records each sleep that took at least 10 ms longer.
 *
 * <p>Arguments: the threads that compute, seconds.
 *
 * <p>CSV: threads, who (computes, computes as well, sleeps), at (ms after the start), gap (ms).
 */
class Gaps {

    static final long LEAST = 10_000_000; // ns

    record Gap(String who, long from, long until) {}

    static final List<Gap> GAPS = Collections.synchronizedList(new ArrayList<>());

    static void note(String who, long from, long until) {
        if (until - from >= LEAST) {
            GAPS.add(new Gap(who, from, until));
        }
    }

    static void compute(String who, long end) {
        long last = System.nanoTime();
        while (last < end) {
            long now = System.nanoTime();
            note(who, last, now);
            last = now;
        }
    }

    static void sleep(long end) {
        try {
            for (long last; (last = System.nanoTime()) < end; ) {
                Thread.sleep(1);
                note("sleeps", last + 1_000_000, System.nanoTime());
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // no thread interrupts
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int threads = Integer.parseInt(arguments[0]);
        long start = System.nanoTime();
        long end = start + Long.parseLong(arguments[1]) * 1_000_000_000;
        var others = new ArrayList<Thread>();
        others.add(Thread.ofPlatform().start(() -> sleep(end)));
        for (int i = 1; i < threads; i++) {
            others.add(Thread.ofPlatform().start(() -> compute("computes as well", end)));
        }
        compute("computes", end);
        for (var other : others) {
            other.join();
        }
        System.out.println("threads,who,at,gap");
        for (var gap : GAPS) {
            System.out.printf("%d,%s,%.1f,%.1f%n",
                    threads,
                    gap.who,
                    (gap.from - start) / 1e6,
                    (gap.until - gap.from) / 1e6);
        }
    }
}
