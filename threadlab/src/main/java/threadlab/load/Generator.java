package threadlab.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import threadlab.child.Parent;

/** The program in the child JVM: it sends loads, with one virtual thread per client or request. */
final class Generator {
    private static final Duration BETWEEN_MOMENTS = Duration.ofMillis(100);
    private static final int OPENED_AT_A_TIME = 64;

    /**
     * Runs each {@link Plan} that it is asked for. It answers a {@link Moment} from time to time and the
     * {@link LoadResult} at the end; or, if the plan only warms up the server, {@link WarmedUp}.
     *
     * @param args none
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            fault.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        Practice.run();
        Parent.answerQuestions(Plan.class, Generator::run);
    }

    static Object run(Plan plan) {
        var clients = new ConcurrentLinkedDeque<Client>();
        try {
            IntStream.range(0, plan.clients()).forEach(i -> clients.add(new Client(plan.target())));
            open(clients, plan.connecting());
            if (plan.steadyWithin().isPositive()) {
                return warmUp(plan, clients);
            }
            if (plan.warmUp() > 0) {
                send(plan.warmingUp(), clients, new Tally(0));
            }
            // garbage from the start, which would otherwise be collected while the clock runs
            System.gc();
            var tally = new Tally(plan.serverProcess());
            var moments = Thread.ofPlatform().daemon().name("moments").start(() -> tellMoments(tally));
            send(plan, clients, tally);
            moments.interrupt();
            moments.join();
            return tally.result();
        } catch (InterruptedException e) {
            throw new IllegalStateException("nothing interrupts the generator", e);
        } finally {
            clients.forEach(Client::close);
        }
    }

    private static WarmedUp warmUp(Plan plan, ConcurrentLinkedDeque<Client> clients) throws InterruptedException {
        var slices = new ArrayList<Double>();
        int requests = 0;
        long start = System.nanoTime();
        while (true) {
            var tally = new Tally(plan.serverProcess());
            send(plan.slice(), clients, tally);
            var slice = tally.result();
            requests += slice.requests();
            slices.add(slice.cpuPerRequest());
            long nanos = System.nanoTime() - start;
            var warm = new WarmedUp(nanos / 1e9, requests, slices);
            if (warm.steady() || nanos >= plan.steadyWithin().toNanos()) {
                return warm;
            }
        }
    }

    private static void send(Plan plan, ConcurrentLinkedDeque<Client> clients, Tally tally)
            throws InterruptedException {
        if (plan.rate() > 0) {
            OpenLoop.run(plan, clients, () -> new Client(plan.target()), tally);
        } else {
            ClosedLoop.run(plan, clients, tally);
        }
    }

    /** Opens the connections before the clock starts, a few at a time. The first request retries one that failed. */
    private static void open(Iterable<Client> clients, Duration most) throws InterruptedException {
        long deadline = System.nanoTime() + most.toNanos();
        var few = new Semaphore(OPENED_AT_A_TIME);
        for (Client client : clients) {
            few.acquire();
            Thread.startVirtualThread(() -> {
                try {
                    client.open(deadline);
                } catch (IOException e) {
                    // its first request will fail in the same way, and is counted
                } finally {
                    few.release();
                }
            });
        }
        few.acquire(OPENED_AT_A_TIME);
    }

    private static void tellMoments(Tally tally) {
        while (!Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(BETWEEN_MOMENTS.toNanos());
            var moment = tally.moment();
            if (moment != null) {
                Parent.answer(moment);
            }
        }
    }
}
