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
     * Lets the clients send their requests.
     *
     * @param window is open from the start until the last request has ended; with a ramp-up, it opens at the end of the
     *     ramp-up and closes after the plan's duration
     */
    static void run(Plan plan, Loop.Closed loop, Iterable<? extends Requester> clients, Window window)
            throws InterruptedException {
        var tally = window.tally();
        var clock = tally.clock();
        long rampUp = loop.rampUp().toNanos();
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
                    clock.sleepUntil(start + ThreadLocalRandom.current().nextLong(rampUp));
                }
                boolean answered = true;
                while (clock.nanos() - start < during && begun.getAndIncrement() < most) {
                    if (!answered) {
                        clock.sleepUntil(clock.nanos()
                                + Duration.ofMillis(AFTER_FAILURE_MS).toNanos());
                    }
                    answered = tally.take(client, clock.nanos(), timeOut);
                }
            }));
        }
        var metronome = Thread.startVirtualThread(() -> tick(tally));
        if (rampUp == 0) {
            window.begin();
            gate.complete(window.start());
        } else {
            long start = clock.nanos();
            gate.complete(start);
            clock.sleepUntil(start + rampUp);
            window.begin();
            clock.sleepUntil(start + during);
            window.end();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        if (rampUp == 0) {
            window.end();
        }
        metronome.interrupt();
        metronome.join();
    }

    /**
     * Wakes up every 10 ms and notes how late it was. A thread that waits for an answer wakes up in the same way, and
     * in a closed loop that delay can be seen nowhere else.
     */
    private static void tick(Tally tally) {
        var clock = tally.clock();
        long due = clock.nanos();
        while (!Thread.currentThread().isInterrupted()) {
            due += METRONOME.toNanos();
            clock.sleepUntil(due);
            long late = clock.nanos() - due;
            if (late >= 0) {
                tally.late(late);
            }
        }
    }
}
