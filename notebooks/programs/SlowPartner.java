import java.lang.management.ManagementFactory;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * 2,000 requests per second arrive. Each asks a partner and holds a buffer of 64 KiB until the partner answers: after
 * 20 ms at first, and after the given time from a quarter of a second on.
 *
 * <p>Arguments: what the requests run on (virtual: a thread for each; platform: a pool of 200); ms in which the slow
 * partner answers; permits of the door, which refuses a request if none is left (0: no door); seconds with the slow
 * partner. Then the program requests a garbage collection and the JVM ends, even if requests still wait.
 *
 * <p>CSV, of the requests that arrive while the partner is slow: answered, refused, wait still. When the partner gets
 * slow, it writes a line to standard error with the seconds since the start of the JVM, as in the JVM's log.
 */
class SlowPartner {

    static final int RATE = 2_000; // requests per second
    static final int BUFFER = 64 << 10;
    static final double NORMAL = 0.25; // seconds

    static volatile long answersAfter = 20; // ms
    static volatile Object last; // keeps what a request makes from being optimized away
    static final LongAdder ANSWERED = new LongAdder();
    static final LongAdder REFUSED = new LongAdder();

    static void request(Semaphore door, boolean counted) {
        last = new byte[BUFFER]; // to read the request: garbage immediately
        if (door != null && !door.tryAcquire()) {
            REFUSED.add(counted ? 1 : 0);
            return;
        }
        try {
            ask(new byte[BUFFER]);
            ANSWERED.add(counted ? 1 : 0);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e); // no thread interrupts
        } finally {
            if (door != null) {
                door.release();
            }
        }
    }

    static void ask(byte[] buffer) throws InterruptedException {
        Thread.sleep(answersAfter);
        last = buffer; // it is needed until the answer comes
    }

    public static void main(String[] arguments) {
        var threads = arguments[0].equals("platform")
                ? Executors.newFixedThreadPool(200, Thread.ofPlatform().daemon().factory())
                : Executors.newVirtualThreadPerTaskExecutor();
        long slow = Long.parseLong(arguments[1]);
        int permits = Integer.parseInt(arguments[2]);
        int some = (int) (RATE * Double.parseDouble(arguments[3]));
        var door = permits > 0 ? new Semaphore(permits) : null;
        var jvm = ManagementFactory.getRuntimeMXBean();
        long start = System.nanoTime();
        for (int i = 0; i < RATE * NORMAL + some; i++) {
            boolean counted = i >= RATE * NORMAL;
            if (counted && answersAfter != slow) {
                System.err.println("--- slow at " + jvm.getUptime() / 1e3);
                answersAfter = slow;
            }
            for (long ahead; (ahead = start + i * 1_000_000_000L / RATE - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(ahead);
            }
            threads.execute(() -> request(door, counted));
        }
        long answered = ANSWERED.sum();
        long refused = REFUSED.sum();
        System.gc();
        System.out.println("answered,refused,wait still");
        System.out.println(answered + "," + refused + "," + (some - answered - refused));
        System.exit(0); // even if requests still wait
    }
}
