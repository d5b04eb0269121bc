import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;

/**
 * The heap that waiting virtual threads hold when each of them uses a table of 1,024 rates (8 KiB):
 * one of its own in a ThreadLocal, or one for all of them, handed down as a ScopedValue.
 *
 * <p>Arguments: threadlocal or scopedvalue, then one or more numbers of threads.
 *
 * <p>CSV: contender, kind (virtual), n (threads), trial, heap (MB) (live, above the heap before), tables built, outcome.
 */
class RatesPerThread {

    static final ThreadLocal<double[]> OWN = ThreadLocal.withInitial(RatesPerThread::build);
    static final ScopedValue<double[]> SHARED = ScopedValue.newInstance();
    static final LongAdder BUILT = new LongAdder();

    public static void main(String[] arguments) throws InterruptedException {
        boolean own = arguments[0].equals("threadlocal");
        System.out.println("contender,kind,n,trial,heap (MB),tables built,outcome");
        for (int i = 1; i < arguments.length; i++) {
            int threads = Integer.parseInt(arguments[i]);
            BUILT.reset();
            double megabytes = own ? heap(threads, RatesPerThread::withOwn) : withShared(threads);
            var contender = own ? "virtual with ThreadLocal" : "virtual with ScopedValue";
            System.out.printf(Locale.ROOT, "%s,virtual,%d,1,%.3f,%d,ok%n", contender, threads, megabytes, BUILT.sum());
        }
    }

    interface Work {
        void run(Runnable waitAMoment);
    }

    static void withOwn(Runnable waitAMoment) {
        use(OWN.get());
        waitAMoment.run(); // the thread lives on, and so does its table
    }

    static double withShared(int threads) throws InterruptedException {
        var rates = build();
        return heap(threads, waitAMoment -> ScopedValue.where(SHARED, rates).run(() -> {
            use(SHARED.get());
            waitAMoment.run();
        }));
    }

    /** Live heap (MB) that the threads add while all of them wait. */
    static double heap(int threads, Work work) throws InterruptedException {
        double before = liveHeap();
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
        return (runtime.totalMemory() - runtime.freeMemory()) / 1e6;
    }

    static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
