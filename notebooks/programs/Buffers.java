import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Each request needs a buffer of 32 KiB for 10 ms. Where does it come from, and how much memory is allocated for it?
 *
 * <p>Arguments: contender, seconds at each rate, then the rates in requests per second. Contenders:
 * <ul>
 *   <li>pool: ThreadLocal: 200 platform threads, each of which keeps its buffer
 *   <li>virtual: ThreadLocal: a virtual thread for each request, which keeps its buffer as long as it lives
 *   <li>virtual: new: each request makes a buffer
 *   <li>virtual: bounded pool: a queue of 100 buffers; a request waits for a free one
 * </ul>
 *
 * <p>CSV: contender, kind, n (requests per second), allocated (MB/s).
 */
class Buffers {

    static final int SIZE = 32 << 10;
    static final int POOLED = 100;
    static final ThreadLocal<byte[]> OWN = ThreadLocal.withInitial(() -> new byte[SIZE]);
    static final ArrayBlockingQueue<byte[]> FREE = new ArrayBlockingQueue<>(POOLED);
    static final LongAdder SUM = new LongAdder();

    static void use(byte[] buffer) throws InterruptedException {
        Arrays.fill(buffer, (byte) 1);
        Thread.sleep(10);
        SUM.add(buffer[SIZE - 1]);
    }

    static Void useOwn() throws InterruptedException {
        use(OWN.get());
        return null;
    }

    static Void useNew() throws InterruptedException {
        use(new byte[SIZE]);
        return null;
    }

    static Void usePooled() throws InterruptedException {
        var buffer = FREE.take();
        try {
            use(buffer);
        } finally {
            FREE.add(buffer);
        }
        return null;
    }

    static void load(ExecutorService executor, String contender, double rate, double seconds) {
        long start = System.nanoTime();
        for (int i = 0; i < rate * seconds; i++) {
            for (long ahead; (ahead = start + (long) (i / rate * 1e9) - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(ahead);
            }
            switch (contender) {
                case "pool: ThreadLocal", "virtual: ThreadLocal" -> executor.submit(Buffers::useOwn);
                case "virtual: new" -> executor.submit(Buffers::useNew);
                case "virtual: bounded pool" -> executor.submit(Buffers::usePooled);
                default -> throw new IllegalArgumentException("unknown: " + contender);
            }
        }
    }

    public static void main(String[] arguments) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var contender = arguments[0];
        double seconds = Double.parseDouble(arguments[1]);
        for (int i = 0; i < POOLED; i++) {
            FREE.add(new byte[SIZE]);
        }
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        boolean pool = contender.startsWith("pool");
        System.out.println("contender,kind,n,allocated (MB/s)");
        try (var executor = pool
                ? Executors.newFixedThreadPool(200)
                : Executors.newVirtualThreadPerTaskExecutor()) {
            load(executor, contender, 1_000, 0.5); // until every thread of the pool has its buffer
            for (var rate : Arrays.copyOfRange(arguments, 2, arguments.length)) {
                long before = threads.getTotalThreadAllocatedBytes();
                long start = System.nanoTime();
                load(executor, contender, Double.parseDouble(rate), seconds);
                double took = (System.nanoTime() - start) / 1e9;
                double allocated = (threads.getTotalThreadAllocatedBytes() - before) / 1e6 / took;
                System.out.printf("%s,%s,%s,%.2f%n", contender, pool ? "platform" : "virtual", rate, allocated);
            }
        }
    }
}
