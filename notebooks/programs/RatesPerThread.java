import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * The heap that waiting virtual threads hold when each of them has used a table of 1,024 rates (8 KiB).
 *
 * <p>Arguments: how a thread finds its table, and the number of threads. The ways are:
 * <ul>
 *   <li>own: it builds one and keeps it in a ThreadLocal
 *   <li>field: one for all, in a static field
 *   <li>local: one for all; each thread keeps a reference to it in a ThreadLocal
 *   <li>scoped: one for all, in a ScopedValue
 *   <li>pool: it borrows one of 64 and gives it back before it waits
 * </ul>
 *
 * <p>CSV: what (the way), contender and kind (virtual), n (threads), heap per thread (kB) (live, above the heap
 * before), tables built.
 */
class RatesPerThread {

    static final LongAdder BUILT = new LongAdder();
    static final ThreadLocal<double[]> LOCAL = new ThreadLocal<>();
    static final ScopedValue<double[]> SCOPED = ScopedValue.newInstance();
    static double[] field;

    /** What a thread does with its table before it waits. */
    interface Work {
        void run(Runnable waitAMoment);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var way = arguments[0];
        int threads = Integer.parseInt(arguments[1]);
        for (int i = 0; i < 3; i++) {
            heap(Math.max(threads / 5, 10_000), way); // until its code is compiled, so that stacks are smaller
        }
        BUILT.reset();
        double kB = heap(threads, way) / threads / 1_000;
        System.out.println("what,contender,kind,n,heap per thread (kB),tables built");
        System.out.printf("%s,virtual,virtual,%d,%.3f,%d%n", name(way), threads, kB, BUILT.sum());
    }

    static String name(String way) {
        return switch (way) {
            case "own" -> "own tables";
            case "field" -> "static field";
            case "local" -> "ThreadLocal";
            case "scoped" -> "ScopedValue";
            default -> "pool of 64";
        };
    }

    static Work work(String way) {
        switch (way) {
            case "own":
                return waitAMoment -> {
                    LOCAL.set(build());
                    use(LOCAL.get());
                    waitAMoment.run(); // the thread lives on, and so does its table
                };
            case "field":
                field = build();
                return waitAMoment -> {
                    use(field);
                    waitAMoment.run();
                };
            case "local":
                field = build();
                return waitAMoment -> {
                    LOCAL.set(field);
                    use(LOCAL.get());
                    waitAMoment.run();
                };
            case "scoped":
                var rates = build();
                return waitAMoment -> ScopedValue.where(SCOPED, rates).run(() -> {
                    use(SCOPED.get());
                    waitAMoment.run();
                });
            case "pool":
                var pool = new ArrayBlockingQueue<double[]>(64);
                IntStream.range(0, 64).forEach(i -> pool.add(build()));
                return waitAMoment -> {
                    var table = take(pool);
                    table[512]++; // no other thread has it now
                    use(table);
                    pool.add(table);
                    waitAMoment.run();
                };
            default:
                throw new IllegalArgumentException("own, field, local, scoped or pool, not " + way);
        }
    }

    /** Live heap (bytes) that the threads add while all of them wait, including shared tables. */
    static double heap(int threads, String way) throws InterruptedException {
        double before = liveHeap();
        var work = work(way);
        var waiting = new CountDownLatch(threads);
        var end = new CountDownLatch(1);
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < threads; i++) {
                executor.submit(() -> work.run(() -> {
                    waiting.countDown();
                    await(end);
                }));
            }
            waiting.await();
            Thread.sleep(100); // the last ones have counted down but may not be parked yet
            double during = liveHeap();
            end.countDown();
            return during - before;
        }
    }

    static double[] build() {
        BUILT.increment();
        var rates = new double[1_024];
        for (int i = 0; i < rates.length; i++) {
            rates[i] = 1 + i / 100.0;
        }
        return rates;
    }

    static void use(double[] rates) {
        if (rates[512] < 1) {
            throw new IllegalStateException("no such rate");
        }
    }

    static double liveHeap() {
        System.gc();
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory();
    }

    static double[] take(BlockingQueue<double[]> pool) {
        try {
            return pool.take();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
