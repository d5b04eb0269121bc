import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Measures how long n threads take that each wait 0.5 s, all at the same time, and on how many carriers they run. No
 * thread waits for another: each has its own lock.
 *
 * <p>Arguments: platform or virtual; n; how often; then what to do: synchronized, Object.wait or
 * ReentrantLock.
 *
 * <p>CSV: contender (kind of thread and Java version), kind, java (version), what, n, trial, seconds (wall time), carriers
 * (how many different ones; 0 for platform threads).
 */
class Pinning {

    static void underSynchronized() throws InterruptedException {
        synchronized (new Object()) {
            Thread.sleep(500);
        }
    }

    static void inObjectWait() throws InterruptedException {
        var lock = new Object();
        synchronized (lock) {
            lock.wait(500); // no thread notifies
        }
    }

    static void underReentrantLock() throws InterruptedException {
        var lock = new ReentrantLock();
        lock.lock();
        try {
            Thread.sleep(500);
        } finally {
            lock.unlock();
        }
    }

    static void waitHalfASecond(String what) throws Exception {
        switch (what) {
            case "synchronized" -> underSynchronized();
            case "Object.wait" -> inObjectWait();
            case "ReentrantLock" -> underReentrantLock();
            default -> throw new IllegalArgumentException("unknown: " + what);
        }
    }

    /** The carrier follows the @ in the text of a virtual thread. */
    static String carrier() {
        var text = Thread.currentThread().toString();
        return text.substring(text.lastIndexOf('@') + 1);
    }

    static void measure(String kind, int n, int trial, String what) {
        ThreadFactory threads = kind.equals("virtual") ? Thread.ofVirtual().factory() : Thread.ofPlatform().factory();
        Set<String> carriers = ConcurrentHashMap.newKeySet();
        long start = System.nanoTime();
        try (var executor = Executors.newThreadPerTaskExecutor(threads)) {
            for (int i = 0; i < n; i++) {
                executor.submit(() -> {
                    if (Thread.currentThread().isVirtual()) {
                        carriers.add(carrier());
                    }
                    waitHalfASecond(what);
                    return null;
                });
            }
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        int java = Runtime.version().feature();
        System.out.printf("%s on Java %d,%s,%d,%s,%d,%d,%s,%d%n",
                kind,
                java,
                kind,
                java,
                what,
                n,
                trial,
                seconds,
                carriers.size());
    }

    public static void main(String[] arguments) {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        System.out.println("contender,kind,java,what,n,trial,seconds,carriers");
        for (int trial = 1; trial <= Integer.parseInt(arguments[2]); trial++) {
            for (int i = 3; i < arguments.length; i++) {
                measure(arguments[0], Integer.parseInt(arguments[1]), trial, arguments[i]);
            }
        }
    }
}
