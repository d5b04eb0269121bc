package threadlab.load;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** The program in the child JVM: it sends the load, with one virtual thread per client or request. */
final class Generator {

    private static final Duration BETWEEN_NOTES = Duration.ofMillis(100);
    private static final int NOTES_PER_REPORT = 2;
    private static final int OPENED_AT_A_TIME = 64;

    /** What is being sent. */
    private record Now(boolean warmUp, Plan plan, Window window, long start) {
        LoadProgressUpdate standing() {
            int ended = window.tally().ended();
            return new LoadProgressUpdate(warmUp, ended, plan.expected(ended, System.nanoTime() - start));
        }
    }

    private final Moments moments = new Moments();
    private volatile Now now;

    private Generator() {}

    /**
     * Runs a plan and prints its progress and its result.
     *
     * @param args the line of a {@link Plan}
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            fault.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        new Generator().run((Plan) Message.of(args[0]));
    }

    private void run(Plan plan) throws Exception {
        Practice.run();
        Thread.ofPlatform().daemon().name("progress").start(this::report);
        var clients = new ConcurrentLinkedDeque<Client>();
        try {
            IntStream.range(0, plan.loop().connections()).forEach(i -> clients.add(new Client(plan.target())));
            open(clients, plan.connecting());
            if (plan.warmUp() > 0) {
                send(plan.warmingUp(), true, clients, new Window(new Tally(), 0));
            }
            // garbage from the start, which would otherwise be collected while the clock runs
            System.gc();
            var window = new Window(new Tally(), plan.serverProcess());
            send(plan, false, clients, window);
            moments.parts().forEach(Generator::tell);
            tell(window.measured());
        } finally {
            clients.forEach(Client::close);
        }
    }

    private void send(Plan plan, boolean warmUp, ConcurrentLinkedDeque<Client> clients, Window window)
            throws InterruptedException {
        now = new Now(warmUp, plan, window, System.nanoTime());
        switch (plan.loop()) {
            case Loop.Closed closed -> ClosedLoop.run(plan, closed, clients, window);
            case Loop.Open open -> OpenLoop.run(plan, open, clients, () -> new Client(plan.target()), window);
        }
        end();
    }

    /** Sends a plan's last report; a later one would come among the figures. */
    private synchronized void end() {
        tell(now.standing());
        now = null;
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

    private void report() {
        for (int notes = 1; true; notes++) {
            LockSupport.parkNanos(BETWEEN_NOTES.toNanos());
            reportNow(notes % NOTES_PER_REPORT == 0);
        }
    }

    private synchronized void reportNow(boolean loud) {
        if (now == null) {
            return;
        }
        if (!now.warmUp()) {
            now.window().note(moments);
        }
        if (loud) {
            tell(now.standing());
        }
    }

    private static void tell(Message message) {
        System.out.println(message.line());
    }
}
