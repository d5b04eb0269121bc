package threadlab.load;

import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/** Requests sent at set times, whether or not the last one is answered; latency counts from when each was due. */
final class OpenLoop {

    private OpenLoop() {}

    /**
     * Sends the requests.
     *
     * @param idle clients whose connections are free; new ones are added as needed
     * @param another makes a client
     * @param tally its clock runs from the start until the last request has ended
     */
    static <C extends Requester> void run(Plan plan, ConcurrentLinkedDeque<C> idle, Supplier<C> another, Tally tally)
            throws InterruptedException {
        tally.begin();
        long start = tally.start();
        long timeOut = plan.timeOut().toNanos();
        int most = plan.most();
        var arrivals = new Arrivals(plan.rate(), plan.seed());
        int connections = Load.mostClientsHere();
        var room = new Semaphore(connections);
        for (int i = 0; i < most; i++) {
            long sinceStart = arrivals.next();
            if (sinceStart >= plan.during().toNanos()) {
                break;
            }
            long due = start + sinceStart;
            tally.sleepUntil(due);
            room.acquire();
            Thread.startVirtualThread(() -> {
                tally.late(tally.nanos() - due);
                var client = idle.pollFirst();
                if (client == null) {
                    client = another.get();
                }
                tally.take(client, due, timeOut);
                idle.addFirst(client);
                room.release();
            });
        }
        room.acquire(connections);
        tally.end();
    }

    /** When the requests are due. */
    static final class Arrivals {
        private final double gap;
        private final Random random;
        private double next;

        Arrivals(int rate, long seed) {
            gap = 1e9 / rate;
            random = new Random(seed);
        }

        /** Nanoseconds since the start; the gaps of a Poisson process are exponentially distributed. */
        long next() {
            next -= gap * Math.log(1 - random.nextDouble());
            return (long) next;
        }
    }
}
