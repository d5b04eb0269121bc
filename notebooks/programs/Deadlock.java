import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Three virtual threads want one lock, held by main at first. The first in its queue is "next". The other two request it
 * inside synchronized blocks of their own, or inside the initializers of classes of their own.
 *
 * <p>Arguments: synchronized or initializer; how many milliseconds main waits for the three. Run it with two carriers.
 * Prints which threads get the lock, and how many did when main stops waiting; then the program ends.
 */
class Deadlock {

    static final ReentrantLock LOCK = new ReentrantLock(); // waiting threads are in a queue

    static boolean useLock() {
        LOCK.lock();
        try {
            System.out.println(Thread.currentThread().getName() + " has the lock");
            return true;
        } finally {
            LOCK.unlock();
        }
    }

    static boolean useLockInSynchronized() {
        synchronized (new Object()) {
            return useLock();
        }
    }

    static class First {
        static final boolean DONE = useLock();
    }

    static class Second {
        static final boolean DONE = useLock();
    }

    /** Starts a virtual thread and waits until it is in the lock's queue. */
    static Thread startAndQueue(String name, Callable<?> task) throws InterruptedException {
        var thread = Thread.ofVirtual().name(name).start(new FutureTask<>(task));
        while (!LOCK.hasQueuedThread(thread)) {
            Thread.sleep(1);
        }
        return thread;
    }

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        boolean initializer = arguments[0].equals("initializer");
        long end = System.nanoTime() + Duration.ofMillis(Long.parseLong(arguments[1])).toNanos();
        var threads = new ArrayList<Thread>();
        LOCK.lock();
        threads.add(startAndQueue("next", () -> useLock()));
        threads.add(startAndQueue("pinned-1", () -> initializer ? First.DONE : useLockInSynchronized()));
        threads.add(startAndQueue("pinned-2", () -> initializer ? Second.DONE : useLockInSynchronized()));
        LOCK.unlock();
        System.out.println("main has freed the lock and woken " + threads.getFirst().getName());
        int got = 0;
        for (var thread : threads) {
            got += thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime()))) ? 1 : 0;
        }
        System.out.println("lock %s, got by %d of %d".formatted(LOCK.isLocked() ? "taken" : "free", got, threads.size()));
    }
}
