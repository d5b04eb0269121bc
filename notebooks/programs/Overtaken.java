import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * A virtual thread waits and is woken after 20 ms. From 5 to 65 ms others compute, one on each carrier. After 45 ms the
 * main thread starts 20 newcomers for each carrier. A newcomer that gets a permit computes for 5 ms, then waits for 20 ms.
 * How many of them run before the thread that was woken first?
 *
 * <p>Arguments: trials, permits (0: as many as newcomers), then how the thread is woken, words of {@link #sleep} and {@link #run}. The property
 * jdk.virtualThreadScheduler.parallelism is the number of carriers.
 *
 * <p>CSV: contender (with the Java version), kind, java, what (what wakes it), n (carriers), trial, newcomers before it,
 * late (ms; after it was woken).
 */
class Overtaken {

    static final int CARRIERS = Integer.getInteger("jdk.virtualThreadScheduler.parallelism");
    static final int NEWCOMERS = 20 * CARRIERS;

    private final long start = System.nanoTime();

    private final String way;
    private final Semaphore door;
    private final Socket reads;
    private final Socket writes;
    private final ConcurrentLinkedQueue<String> ran = new ConcurrentLinkedQueue<>();
    private volatile boolean awake;
    private volatile double ranAt; // ms

    Overtaken(String way, int permits, Socket reads, Socket writes) {
        this.way = way;
        door = new Semaphore(permits == 0 ? NEWCOMERS : permits);
        this.reads = reads;
        this.writes = writes;
    }

    double ms() {
        return (System.nanoTime() - start) / 1e6;
    }

    void until(double ms) {
        for (double ahead; (ahead = ms - ms()) > 0; ) {
            LockSupport.parkNanos((long) (ahead * 1e6));
        }
    }

    void computeUntil(double ms) {
        while (ms() < ms) {
            Thread.onSpinWait();
        }
    }

    /** The thread that is woken. */
    void sleep() {
        try {
            switch (way) {
                case "a timer" -> Thread.sleep(20);
                case "a socket" -> reads.getInputStream().read();
                default -> {
                    while (!awake) {
                        LockSupport.park();
                    }
                }
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
        ranAt = ms();
        ran.add("woken");
    }

    void wake(Thread sleeper) {
        awake = true;
        LockSupport.unpark(sleeper);
    }

    /** Wakes it after 20 ms from a platform thread that starts no newcomers. */
    void fromOutside(Thread sleeper) {
        until(20);
        try {
            if (way.equals("a socket")) {
                writes.getOutputStream().write(1);
            } else {
                wake(sleeper);
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    void newcomer() {
        if (!door.tryAcquire()) {
            return;
        }
        ran.add("newcomer");
        computeUntil(ms() + 5);
        until(ms() + 20);
        door.release();
    }

    void run() throws InterruptedException {
        var all = new ArrayList<Thread>();
        var sleeper = Thread.ofVirtual().start(this::sleep);
        all.add(sleeper);
        until(5);
        boolean inside = way.equals("the thread that computes");
        for (int i = 0; i < CARRIERS; i++) {
            boolean wakes = i == 0 && inside;
            all.add(Thread.ofVirtual().start(() -> {
                computeUntil(20);
                if (wakes) {
                    wake(sleeper);
                }
                computeUntil(65);
            }));
        }
        if (way.equals("a socket") || way.equals("another platform thread")) {
            all.add(Thread.ofPlatform().start(() -> fromOutside(sleeper)));
        }
        if (way.equals("the thread that starts them")) {
            until(20);
            wake(sleeper);
        }
        until(45);
        for (int i = 0; i < NEWCOMERS; i++) {
            all.add(Thread.ofVirtual().start(this::newcomer));
        }
        for (var thread : all) {
            thread.join();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int java = Runtime.version().feature();
        int permits = Integer.parseInt(arguments[1]);
        System.out.println("contender,kind,java,what,n,trial,newcomers before it,late (ms)");
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var writes = new Socket(server.getInetAddress(), server.getLocalPort());
                var reads = server.accept()) {
            new Overtaken("a timer", 0, reads, writes).run(); // until the code is warm
            for (var way : Arrays.copyOfRange(arguments, 2, arguments.length)) {
                for (int trial = 1; trial <= Integer.parseInt(arguments[0]); trial++) {
                    var one = new Overtaken(way, permits, reads, writes);
                    one.run();
                    System.out.printf("virtual on Java %d,virtual,%d,%s,%d,%d,%d,%.1f%n",
                            java, java, way, CARRIERS, trial, List.copyOf(one.ran).indexOf("woken"), one.ranAt - 20);
                }
            }
        }
    }
}
