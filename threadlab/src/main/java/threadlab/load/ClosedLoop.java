package threadlab.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** Clients of which each sends its next request when the last is answered. */
final class ClosedLoop {

    private static final Duration METRONOME = Duration.ofMillis(10);

    /** How long a client waits after a failed connection, or it would ask a dead server a million times. */
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    private ClosedLoop() {}

    /**
     * Lets the clients send their requests.
     *
     * @return the seconds from the start until the last request has ended
     */
    static double run(Phase phase, Iterable<Client> clients, Tally tally) throws InterruptedException {
        long during = phase.during().toNanos();
        long timeOut = phase.timeOut().toNanos();
        int most = phase.most();
        var begun = new AtomicInteger();
        var gate = new CompletableFuture<Long>();
        var threads = new ArrayList<Thread>();
        for (Client client : clients) {
            threads.add(Thread.startVirtualThread(() -> {
                long start = gate.join();
                boolean answered = true;
                while (System.nanoTime() - start < during && begun.getAndIncrement() < most) {
                    if (!answered) {
                        LockSupport.parkNanos(AFTER_FAILURE.toNanos());
                    }
                    answered = tally.take(client, System.nanoTime(), timeOut);
                }
            }));
        }
        var metronome = Thread.startVirtualThread(() -> tick(tally));
        long start = System.nanoTime();
        gate.complete(start);
        for (Thread thread : threads) {
            thread.join();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        metronome.interrupt();
        metronome.join();
        return seconds;
    }

    /**
     * Wakes up every 10 ms and notes how late. A thread that waits for an answer wakes up in the same way, and how late
     * that is can be seen nowhere else in a closed loop.
     */
    private static void tick(Tally tally) {
        long due = System.nanoTime();
        while (!Thread.currentThread().isInterrupted()) {
            due += METRONOME.toNanos();
            LockSupport.parkNanos(due - System.nanoTime());
            long late = System.nanoTime() - due;
            if (late >= 0) {
                tally.late(late);
            }
        }
    }
}
