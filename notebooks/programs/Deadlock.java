import java.util.ArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Five virtual threads want one lock, held by main at first. Four of them request it, each inside its own
 * synchronized block; the fifth, named "next", requested it before them and is not in such a block.
 *
 * <p>Run it with four carriers. Where synchronized pins, it never ends. Prints which threads get the lock.
 */
class Deadlock {

    static final ReentrantLock LOCK = new ReentrantLock(); // waiting threads are in a queue

    static void useLock() {
        LOCK.lock();
        try {
            System.out.println(Thread.currentThread().getName() + " has the lock");
        } finally {
            LOCK.unlock();
        }
    }

    static void useLockInSynchronized() {
        synchronized (new Object()) {
            useLock();
        }
    }

    /** Starts a virtual thread and waits until it is in the lock's queue. */
    static Thread startAndQueue(String name, Runnable task) throws InterruptedException {
        var thread = Thread.ofVirtual().name(name).start(task);
        while (!LOCK.hasQueuedThread(thread)) {
            Thread.sleep(1);
        }
        return thread;
    }

    public static void main(String[] args) throws InterruptedException {
        var threads = new ArrayList<Thread>();
        LOCK.lock();
        threads.add(startAndQueue("next", Deadlock::useLock));
        for (int i = 1; i <= 4; i++) {
            threads.add(startAndQueue("pinned-" + i, Deadlock::useLockInSynchronized));
        }
        LOCK.unlock();
        System.out.println("main has freed the lock and woken " + threads.getFirst().getName());
        for (var thread : threads) {
            thread.join();
        }
        System.out.println("all done");
    }
}
