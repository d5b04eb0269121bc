package threadlab.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that each send their next request when the last is answered. */
final class ClosedLoop {

    private static final Duration METRONOME = Duration.ofMillis(10);

    /** Without this pause, a client would ask a dead server a million times. */
    static final int AFTER_FAILURE_MS = 100;

    private ClosedLoop() {}

    /**
     * Lets the clients send their requests. The tally's clock runs from the start until the last request has ended; with
     * a ramp-up, from the end of the ramp-up for the plan's duration.
     */
    static void run(Plan plan, Iterable<? extends Requester> clients, Tally tally) throws InterruptedException {
        long rampUp = plan.rampUp().toNanos();
        long during = rampUp + plan.during().toNanos();
        long timeOut = plan.timeOut().toNanos();
        int most = plan.most();
        var begun = new AtomicInteger();
        var gate = new CompletableFuture<Long>();
        var threads = new ArrayList<Thread>();
        for (Requester client : clients) {
            threads.add(Thread.startVirtualThread(() -> {
                long start = gate.join();
                if (rampUp > 0) {
                    tally.sleepUntil(start + ThreadLocalRandom.current().nextLong(rampUp));
                }
                boolean answered = true;
                while (tally.nanos() - start < during && begun.getAndIncrement() < most) {
                    if (!answered) {
                        tally.sleepUntil(tally.nanos() + AFTER_FAILURE_MS * 1_000_000L);
                    }
                    answered = tally.take(client, tally.nanos(), timeOut);
                }
            }));
        }
        var metronome = Thread.startVirtualThread(() -> tick(tally));
        if (rampUp == 0) {
            tally.begin();
            gate.complete(tally.start());
        } else {
            long start = tally.nanos();
            gate.complete(start);
            tally.sleepUntil(start + rampUp);
            tally.begin();
            tally.sleepUntil(start + during);
            tally.end();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (rampUp == 0) {
            tally.end();
        }
        metronome.interrupt();
        metronome.join();
    }

    /**
     * Wakes up every 10 ms and notes how late it was. A thread that waits for an answer wakes up in the same way, and
     * in a closed loop that delay can be seen nowhere else.
     */
    private static void tick(Tally tally) {
        long due = tally.nanos();
        while (!Thread.currentThread().isInterrupted()) {
            due += METRONOME.toNanos();
            tally.sleepUntil(due);
            long late = tally.nanos() - due;
            if (late >= 0) {
                tally.late(late);
            }
        }
    }
}
