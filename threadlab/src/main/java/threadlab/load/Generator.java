package threadlab.load;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** The program in the child JVM: it sends the load, one virtual thread for each client or request. */
final class Generator {

    static final String PROGRESS = "progress";
    static final String OTHER = "other: ";

    /** What it prints at the end, as CSV; -1 where there is no value. */
    static final String[] COLUMNS = {
        "seconds",
        "requests",
        "good",
        "min",
        "mean",
        "p50",
        "p95",
        "p99",
        "max",
        "refused",
        "reset",
        "time-outs",
        "not 200",
        "other",
        "resent",
        "late",
        "generator CPU",
        "server CPU",
        "busy CPUs",
        "CPUs"
    };

    private static final Duration TICK = Duration.ofMillis(200);
    private static final Duration METRONOME = Duration.ofMillis(10);

    /** How long a client waits after a failed connection, or it would ask a dead server a million times. */
    private static final Duration AFTER_FAILURE = Duration.ofMillis(100);

    private static final int OPENED_AT_ONCE = 64;
    private static final int PRACTICE_REQUESTS = 2_000;
    private static final int PRACTICE_CLIENTS = 8;

    /** What is sent now, for the line of progress. */
    private record Phase(String name, Tally tally, Plan plan, long start) {}

    private volatile Phase phase;

    private Generator() {}

    /**
     * Runs a plan and prints how it goes on and what came of it.
     *
     * @param args see {@link Plan#of}
     * @throws Exception a fault of this program
     */
    public static void main(String[] args) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, fault) -> {
            fault.printStackTrace();
            Runtime.getRuntime().halt(1);
        });
        new Generator().run(Plan.of(args));
    }

    private void run(Plan plan) throws Exception {
        practise(plan);
        Thread.ofPlatform().daemon().name("progress").start(this::report);
        var clients = new ConcurrentLinkedDeque<Client>();
        try {
            IntStream.range(0, plan.clients()).forEach(i -> clients.add(new Client(plan)));
            open(plan, clients);
            if (plan.warmUp() > 0) {
                load("warm-up", plan.part(plan.warmUp(), Plan.LONGEST_WARM_UP), clients, new Tally());
            }
            // the garbage of the beginning, which would else be collected while the clock runs
            System.gc();
            var tally = new Tally();
            var usage = new Usage(plan.serverProcess());
            double seconds = load("load", plan, clients, tally);
            print(tally, seconds, usage.since(seconds));
        } finally {
            clients.forEach(Client::close);
        }
    }

    /** The seconds from its start until the last request has ended. */
    private double load(String name, Plan plan, ConcurrentLinkedDeque<Client> clients, Tally tally)
            throws InterruptedException {
        phase = new Phase(name, tally, plan, System.nanoTime());
        double seconds = plan.open() ? openLoop(plan, clients, tally) : closedLoop(plan, clients, tally);
        tell(phase);
        phase = null;
        return seconds;
    }

    /** Each client sends its next request when the last is answered. */
    private static double closedLoop(Plan plan, Iterable<Client> clients, Tally tally) throws InterruptedException {
        long during = plan.during().toNanos();
        long timeOut = plan.timeOut().toNanos();
        int most = plan.requests() == 0 ? Integer.MAX_VALUE : plan.requests();
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

    /** Requests come by the clock, whether the last is answered or not; the latency counts from when they are due. */
    private static double openLoop(Plan plan, ConcurrentLinkedDeque<Client> idle, Tally tally)
            throws InterruptedException {
        long start = System.nanoTime();
        long timeOut = plan.timeOut().toNanos();
        int most = plan.requests() == 0 ? Integer.MAX_VALUE : plan.requests();
        var arrivals = new Arrivals(plan);
        int mostAtOnce = Plan.mostConnections();
        var room = new Semaphore(mostAtOnce);
        for (int i = 0; i < most; i++) {
            long sinceStart = arrivals.next();
            if (sinceStart >= plan.during().toNanos()) {
                break;
            }
            long due = start + sinceStart;
            for (long wait = due - System.nanoTime(); wait > 0; wait = due - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            room.acquire();
            Thread.startVirtualThread(() -> {
                tally.late(System.nanoTime() - due);
                var client = idle.pollFirst();
                if (client == null) {
                    client = new Client(plan);
                }
                tally.take(client, due, timeOut);
                idle.addFirst(client);
                room.release();
            });
        }
        room.acquire(mostAtOnce);
        return (System.nanoTime() - start) / 1e9;
    }

    /** When the requests of an open loop are due. */
    static final class Arrivals {
        private final double gap;
        private final Random random;
        private double next;

        Arrivals(Plan plan) {
            gap = 1e9 / plan.rate();
            random = plan.evenly() ? null : new Random(plan.seed());
        }

        /** Nanoseconds since the start; the gaps of a Poisson process are exponentially distributed. */
        long next() {
            if (random != null) {
                next -= gap * Math.log(1 - random.nextDouble());
                return (long) next;
            }
            long due = (long) next;
            next += gap;
            return due;
        }
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

    /** Opens the connections before the clock runs, few at a time. What cannot be opened is tried again, and counted. */
    private static void open(Plan plan, Iterable<Client> clients) throws InterruptedException {
        long shortest = Math.min(plan.timeOut().toNanos(), Plan.LONGEST_CONNECT.toNanos());
        long deadline = System.nanoTime() + shortest;
        var few = new Semaphore(OPENED_AT_ONCE);
        for (Client client : clients) {
            few.acquire();
            Thread.startVirtualThread(() -> {
                try {
                    client.open(deadline);
                } catch (IOException e) {
                    // its first request will meet the same, and is counted
                } finally {
                    few.release();
                }
            });
        }
        few.acquire(OPENED_AT_ONCE);
    }

    /**
     * Loads a server of its own first, for the first requests of a JVM take a hundred times as long as the later ones,
     * and the time that its classes take to load and compile is not the server's.
     */
    private static void practise(Plan plan) throws IOException, InterruptedException {
        try (var server = new ServerSocket(0, PRACTICE_CLIENTS, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                try {
                    while (true) {
                        var connection = server.accept();
                        Thread.startVirtualThread(() -> answer(connection));
                    }
                } catch (IOException e) {
                    // the end of the practice closes the server
                }
            });
            var practice = plan.practice(
                    server.getInetAddress().getHostAddress(),
                    server.getLocalPort(),
                    PRACTICE_CLIENTS,
                    PRACTICE_REQUESTS);
            var clients = IntStream.range(0, PRACTICE_CLIENTS)
                    .mapToObj(i -> new Client(practice))
                    .toList();
            closedLoop(practice, clients, new Tally());
            clients.forEach(Client::close);
        }
    }

    /** Answers requests that have no body, until the client closes. */
    private static void answer(Socket connection) {
        var answer = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
                .getBytes(StandardCharsets.US_ASCII);
        try (connection) {
            connection.setTcpNoDelay(true);
            var in = connection.getInputStream();
            var bytes = new byte[4_096];
            int length = 0;
            for (int n = in.read(bytes); n > 0; n = in.read(bytes, length, bytes.length - length)) {
                length += n;
                if (new String(bytes, 0, length, StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
                    connection.getOutputStream().write(answer);
                    length = 0;
                }
            }
        } catch (IOException e) {
            // the client has gone
        }
    }

    /** CPU time, from its making on. */
    private static final class Usage {
        private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        private final long server;
        private final long ownBefore;
        private final double serverBefore;

        Usage(long server) {
            this.server = server;
            // it tells the load since it was asked last
            system.getCpuLoad();
            serverBefore = serverSeconds();
            ownBefore = system.getProcessCpuTime();
        }

        /** CPU seconds of the generator and the server, CPUs that were busy in the mean, and CPUs; -1 if not known. */
        List<Double> since(double seconds) {
            double own = (system.getProcessCpuTime() - ownBefore) / 1e9;
            double serverNow = serverSeconds();
            double served = serverNow < 0 || serverBefore < 0 ? -1 : serverNow - serverBefore;
            int cpus = Runtime.getRuntime().availableProcessors();
            // the system may count CPUs that this process may not use
            double busy = Math.max(system.getCpuLoad() * cpus, (own + Math.max(0, served)) / seconds);
            return List.of(own, served, busy, (double) cpus);
        }

        private double serverSeconds() {
            return server == 0
                    ? -1
                    : ProcessHandle.of(server)
                            .flatMap(process -> process.info().totalCpuDuration())
                            .map(time -> time.toNanos() / 1e9)
                            .orElse(-1.0);
        }
    }

    private static void print(Tally tally, double seconds, List<Double> usage) {
        var values = new ArrayList<Double>(List.of(
                seconds,
                (double) tally.ended(),
                (double) tally.good(),
                tally.latency(0),
                tally.mean(),
                tally.latency(50),
                tally.latency(95),
                tally.latency(99),
                tally.latency(100)));
        for (Failure failure : Failure.values()) {
            values.add((double) tally.failed(failure));
        }
        values.add((double) tally.resent());
        values.add(tally.late());
        values.addAll(usage);
        if (tally.firstOther() != null) {
            System.out.println(OTHER + tally.firstOther().replaceAll("\\s+", " "));
        }
        System.out.println(String.join(",", COLUMNS));
        System.out.println(String.join(",", values.stream().map(String::valueOf).toList()));
    }

    private void report() {
        while (true) {
            LockSupport.parkNanos(TICK.toNanos());
            var now = phase;
            if (now != null) {
                tell(now);
            }
        }
    }

    /** One line: what is sent, how many requests have ended, and about how many will have in the end. */
    private static void tell(Phase now) {
        int ended = now.tally.ended();
        double passed =
                (System.nanoTime() - now.start) / (double) now.plan.during().toNanos();
        long planned = now.plan.requests() > 0
                ? now.plan.requests()
                : now.plan.open()
                        ? Math.round(now.plan.rate() * now.plan.during().toNanos() / 1e9)
                        : Math.round(ended / Math.clamp(passed, 0.01, 1));
        System.out.printf("%s %s %d %d%n", PROGRESS, now.name, ended, Math.max(planned, ended));
    }
}
