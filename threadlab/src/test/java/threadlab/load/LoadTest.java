package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.OperatingSystemMXBean;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Progress;
import threadlab.measure.Results;
import threadlab.plot.Plots;

/** The generator's figures for servers whose true figures are known. */
@Tag("deep")
class LoadTest {

    static {
        // the JDK's server keeps 200 idle connections and delays small packets, unless set before its start
        System.setProperty("sun.net.httpserver.maxIdleConnections", "20000");
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** Answers a request; requests are numbered from 0. */
    private interface Handler {
        void handle(HttpExchange exchange, int number) throws IOException, InterruptedException;
    }

    /** Does anything with a connection; returns when the connection should be closed. */
    private interface Raw {
        void serve(Socket connection) throws Exception;
    }

    private final List<AutoCloseable> open = new ArrayList<>();
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private final ByteArrayOutputStream cell = new ByteArrayOutputStream();
    private PrintStream before;

    @BeforeEach
    void listenToTheCell() {
        before = System.out;
        System.setOut(new PrintStream(cell, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        System.setOut(before);
        for (AutoCloseable each : open) {
            each.close();
        }
        assertEquals(0, ProcessHandle.current().children().count(), "a child is left");
    }

    private String server(Handler handler) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4_096);
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            try {
                handler.handle(exchange, requests.getAndIncrement());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        open.add(() -> {
            server.stop(0);
            executor.shutdownNow();
        });
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/orders";
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length);
        try (var body = exchange.getResponseBody()) {
            body.write(bytes);
        }
    }

    private String delayed(int ms) throws IOException {
        return server((exchange, number) -> {
            Thread.sleep(ms);
            answer(exchange, 200, "[1, 2, 3]");
        });
    }

    /** A server on plain sockets, for what no good server does. */
    private String raw(Raw raw) throws IOException {
        var listening = new ServerSocket(0, 1_000, InetAddress.getLoopbackAddress());
        var accepted = new ConcurrentLinkedQueue<Socket>();
        open.add(() -> {
            listening.close();
            for (Socket each : accepted) {
                each.close();
            }
        });
        Thread.startVirtualThread(() -> {
            try {
                while (true) {
                    var connection = listening.accept();
                    connections.incrementAndGet();
                    accepted.add(connection);
                    Thread.startVirtualThread(() -> {
                        try (connection) {
                            connection.setTcpNoDelay(true);
                            raw.serve(connection);
                        } catch (Exception e) {
                            // the client has closed, or the test is over
                        }
                    });
                }
            } catch (IOException e) {
                // closed at the end
            }
        });
        return "http://127.0.0.1:" + listening.getLocalPort() + "/orders";
    }

    /** Reads a request to its empty line; false if the client has closed. */
    private boolean request(Socket connection) throws IOException {
        var in = connection.getInputStream();
        int last = 0;
        for (int matched = 0; matched < 4; ) {
            last = in.read();
            if (last < 0) {
                return false;
            }
            matched = last == "\r\n\r\n".charAt(matched) ? matched + 1 : last == '\r' ? 1 : 0;
        }
        requests.incrementAndGet();
        return true;
    }

    private static void write(Socket connection, String text) throws IOException {
        connection.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Answers the requests of each connection with one text after the other. */
    private String inTurn(String... texts) throws IOException {
        return raw(connection -> {
            for (int i = 0; request(connection); i++) {
                write(connection, texts[i % texts.length]);
            }
        });
    }

    /** A run that says that its figures are the server's. Other processes on this machine may disturb it twice. */
    private static Table undisturbed(Load load) throws InterruptedException {
        for (int i = 0; i < 2; i++) {
            var run = load.run();
            if (run.stringColumn("bottleneck").get(0).equals("none")) {
                return run;
            }
        }
        return load.run();
    }

    private static double of(Table run, String column) {
        return ((NumericColumn<?>) run.column(column)).getDouble(0);
    }

    /**
     * By how many ms a request may be late because this machine is busy. The run says how late a thread wakes up here,
     * and a request waits for three: the server's reading thread, its sleeping thread and the client's.
     */
    private static double late(Table run) {
        return 3 * of(run, "generator late, p99 (ms)");
    }

    private static String outcome(Table run) {
        return run.stringColumn("outcome").get(0);
    }

    private static void near(double expected, double measured, double share, double least, Table run) {
        assertTrue(Math.abs(measured - expected) <= Math.max(share * expected, least), () -> "%s instead of %s%n%s"
                .formatted(measured, expected, run.printAll()));
    }

    private static void failed(Table run, int n, String kind) {
        assertEquals(n, of(run, "requests"), run::printAll);
        for (Failure failure : Failure.values()) {
            assertEquals(failure.column().equals(kind) ? n : 0, of(run, failure.column()), run::printAll);
        }
        assertEquals(0, of(run, "requests/s"));
        assertTrue(run.doubleColumn("p50 (ms)").isMissing(0), run::printAll);
        assertTrue(outcome(run).startsWith("%d of %d requests failed: %d %s".formatted(n, n, n, kind)), outcome(run));
    }

    // --- honesty of the figures ---

    @Test
    void the_timeline_says_how_many_wait_and_adds_up_to_the_row() throws Exception {
        // one after the other, 20 ms each: of 100 a second, half must wait, in a growing queue
        var turn = new Semaphore(1, true);
        var url = server((exchange, number) -> {
            turn.acquire();
            try {
                Thread.sleep(20);
                answer(exchange, number % 5 == 0 ? 503 : 200, "served");
            } finally {
                turn.release();
            }
        });
        var load = Load.on(url).rate(100).during(Duration.ofSeconds(1));
        assertEquals(0, load.timeline().rowCount(), "before a run");
        var run = load.run();
        var timeline = load.timeline();

        double good = 0;
        double failed = 0;
        double last = 0;
        for (var row : timeline) {
            double time = row.getDouble("seconds") - last;
            assertTrue(time > 0, () -> "rows %.3f s apart".formatted(time));
            last = row.getDouble("seconds");
            good += time * row.getDouble("good/s");
            failed += time * row.getDouble("failed/s");
        }
        assertEquals(of(run, "seconds"), last, 0.2);
        assertEquals(of(run, "requests"), good + failed, 12);
        assertEquals(of(run, "not 200"), failed, 5);
        int most = (int) timeline.intColumn("waiting").max();
        assertTrue(most >= 35 && most <= 100, () -> most + " waited at most; after 1 s it is 100 - 50, at least");
    }

    @Test
    @Tag("timing")
    void latency_and_throughput_are_right_against_a_known_delay() throws Exception {
        var load = Load.on(delayed(50)).server(Kind.VIRTUAL).clients(20).during(Duration.ofMillis(1_500));
        var run = undisturbed(load.warmUp(600));
        near(50, of(run, "min (ms)"), 0.05, 2, run);
        for (String latency : List.of("mean", "p50", "p95")) {
            near(50, of(run, latency + " (ms)"), 0.05, 2 + late(run), run);
        }
        near(20 / 0.050, of(run, "requests/s"), 0.05 + late(run) / 50, 0, run);
        assertEquals("ok", outcome(run));
        assertEquals(of(run, "requests"), of(run, "requests/s") * of(run, "seconds"), 0.01);
    }

    @Test
    @Tag("timing")
    void clients_with_a_ramp_up_come_in_no_waves_and_are_counted_in_the_steady_state() throws Exception {
        var arrivals = new ConcurrentLinkedQueue<Long>();
        var url = server((exchange, number) -> {
            arrivals.add(System.nanoTime());
            Thread.sleep(200);
            answer(exchange, 200, "");
        });
        var load = Load.on(url).clients(40).rampUp(Duration.ofMillis(200)).during(Duration.ofSeconds(1));
        var run = undisturbed(load);
        near(1, of(run, "seconds"), 0, 0.02, run);
        near(40 / 0.2, of(run, "requests/s"), 0.05 + late(run) / 200, 0, run);
        near(40, of(run, "requests/s") * of(run, "mean (ms)") / 1_000, 0.1, 0, run);
        // 40 in 200 ms: about 4 in any 20 ms, where a wave would bring all
        long first = arrivals.peek();
        long inFirst = arrivals.stream().filter(at -> at - first < 20_000_000).count();
        assertTrue(inFirst < 20, inFirst + " of 40 came in the first 20 ms");
    }

    @Test
    @Tag("timing")
    void percentiles_are_those_of_the_distribution() throws Exception {
        var url = server((exchange, number) -> {
            // one in ten is slow: the slow tenth begins between p50 and p95
            Thread.sleep(number % 10 == 0 ? 200 : 40);
            answer(exchange, 200, "");
        });
        var run = undisturbed(Load.on(url).clients(40).requests(1_000));
        near(40, of(run, "p50 (ms)"), 0.05, 2 + late(run), run);
        near(0.9 * 40 + 0.1 * 200, of(run, "mean (ms)"), 0.05, 2 + late(run), run);
        near(200, of(run, "p95 (ms)"), 0.05, 2 + late(run), run);
        near(200, of(run, "p99 (ms)"), 0.05, 2 + late(run), run);
        assertTrue(of(run, "max (ms)") >= of(run, "p99 (ms)"));
        assertTrue(of(run, "min (ms)") >= 40, run::printAll);
        assertEquals(1_000, of(run, "requests"));
        assertEquals(0, requests.get() % 1_000, "neither more nor fewer were sent");
    }

    @Test
    @Tag("timing")
    void the_first_request_of_a_cold_generator_is_not_slower() throws Exception {
        var run = Load.on(delayed(50)).clients(1).requests(1).run();
        near(50, of(run, "max (ms)"), 0, 6 + late(run), run);
    }

    @Test
    @Tag("timing")
    void an_open_loop_sends_by_the_clock() throws Exception {
        var url = delayed(50);
        var run =
                Load.on(url).rate(200).during(Duration.ofSeconds(1)).warmUp(20).run();
        assertEquals(arrivals(200, 1, 1), of(run, "requests"));
        assertEquals(200, of(run, "n"));
        near(50, of(run, "p50 (ms)"), 0.05, 2 + late(run), run);
        near(1.05, of(run, "seconds"), 0.05, 0, run);
    }

    @Test
    @Tag("timing")
    void random_arrivals_are_a_poisson_process() throws Exception {
        var at = new ConcurrentLinkedQueue<Long>();
        var url = server((exchange, number) -> {
            at.add(System.nanoTime());
            answer(exchange, 200, "");
        });
        var run = Load.on(url).rate(400).during(Duration.ofSeconds(1)).run();
        assertEquals(arrivals(400, 1, 1), of(run, "requests"));
        // of exponentially distributed gaps, a share of 1/e is longer than the mean, which is their standard deviation
        assertEquals(
                1 / Math.E, longer(gaps(at.stream().mapToLong(Long::longValue).sorted())), 0.08);
        // more exactly, because nothing can delay them: the gaps between the times when the requests are due
        var due = new OpenLoop.Arrivals(new Loop.Open(400, 1));
        var exact = gaps(LongStream.generate(due::next).limit(20_000));
        assertEquals(1 / Math.E, longer(exact), 0.01);
        assertEquals(1e9 / 400, exact.mean(), 0.03e9 / 400);
        assertEquals(1e9 / 400, exact.standardDeviation(), 0.03e9 / 400);
    }

    private static DoubleColumn gaps(LongStream times) {
        var gaps = DoubleColumn.create("time", times.toArray()).difference();
        return gaps.where(gaps.isNotMissing());
    }

    private static double longer(DoubleColumn gaps) {
        return gaps.isGreaterThan(gaps.mean()).size() / (double) gaps.size();
    }

    @Test
    void each_trial_has_its_own_arrivals_whatever_the_server() throws Exception {
        var load = Load.on(delayed(1)).server("another").rate(400).trial(2);
        var run = load.during(Duration.ofMillis(500)).run();
        assertEquals(arrivals(400, 2, 0.5), of(run, "requests"));
        assertNotEquals(arrivals(400, 1, 0.5), arrivals(400, 2, 0.5));
    }

    private static long arrivals(int rate, long seed, double seconds) {
        var due = new OpenLoop.Arrivals(new Loop.Open(rate, seed));
        return LongStream.generate(due::next)
                .takeWhile(nanos -> nanos < seconds * 1e9)
                .count();
    }

    @Test
    @Tag("timing")
    void a_stall_is_charged_to_the_server_in_an_open_loop_and_hidden_by_a_closed_one() throws Exception {
        var open = Load.on(stalling()).rate(200).during(Duration.ofMillis(2_500));
        var closed = Load.on(stalling()).clients(1).during(Duration.ofMillis(2_500));
        try (var sideBySide = Executors.newFixedThreadPool(2)) {
            var first = sideBySide.submit(open::run);
            var second = sideBySide.submit(closed::run);
            // about 200 of 500 requests came in the stall and waited from 1 s down to 0: 190 of them longer than 50 ms
            var run = first.get();
            assertEquals(arrivals(200, 1, 2.5), of(run, "requests"));
            near(1_000, of(run, "max (ms)"), 0.05, 0, run);
            near(975, of(run, "p99 (ms)"), 0.05, 0, run);
            near(875, of(run, "p95 (ms)"), 0.05, 0, run);
            near(stalled(200, 1) / of(run, "requests") + 2, of(run, "mean (ms)"), 0.1, late(run), run);
            // the only client waited once
            var other = second.get();
            near(1_000, of(other, "max (ms)"), 0.05, 0, other);
            assertTrue(of(other, "p99 (ms)") < 200, other::printAll);
        }
    }

    /** The total ms that all requests of the stall wait. */
    private static double stalled(int rate, long seed) {
        var due = new OpenLoop.Arrivals(new Loop.Open(rate, seed));
        double first = due.next() / 1e6;
        return DoubleStream.generate(() -> due.next() / 1e6 - first)
                .takeWhile(ms -> ms < 1_500)
                .filter(ms -> ms > 500)
                .map(ms -> 1_500 - ms)
                .sum();
    }

    /** Answers nothing from 0.5 s to 1.5 s after the first request. */
    private String stalling() throws IOException {
        var start = new AtomicReference<Long>();
        return server((exchange, number) -> {
            start.compareAndSet(null, System.nanoTime());
            double since = (System.nanoTime() - start.get()) / 1e9;
            Thread.sleep(since > 0.5 && since < 1.5 ? (long) ((1.5 - since) * 1_000) : 2);
            answer(exchange, 200, "");
        });
    }

    @Test
    @Tag("timing")
    void latency_counts_from_when_a_request_was_due_also_when_connections_must_be_opened() throws Exception {
        // every answer closes its connection and takes the server 20 ms of wall time, one after the other
        var free = new AtomicLong();
        var run = Load.on(raw(connection -> {
                    request(connection);
                    long now = System.nanoTime();
                    Thread.sleep(Duration.ofNanos(free.updateAndGet(t -> Math.max(t, now) + 20_000_000) - now));
                    write(connection, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
                }))
                .rate(100)
                .during(Duration.ofMillis(500))
                .run();
        // about 50 come within 0.5 s and 25 are served, so that the last waits for about 0.5 s
        long came = arrivals(100, 1, 0.5);
        assertEquals("ok", outcome(run));
        near(20 * came - 480, of(run, "max (ms)"), 0.1, 0, run);
        near(20e-3 * came, of(run, "seconds"), 0.1, 0, run);
        assertEquals(came, connections.get());
    }

    @Test
    @Tag("timing")
    void cpu_seconds_are_those_of_the_two_processes() throws Exception {
        var url = server((exchange, number) -> {
            long until = System.nanoTime() + 4_000_000;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
            answer(exchange, 200, "");
        });
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long before = system.getProcessCpuTime();
        var run = Load.on(url)
                .clients(1)
                .requests(250)
                .serverProcess(ProcessHandle.current().pid())
                .run();
        double used = (system.getProcessCpuTime() - before) / 1e9;
        double served = of(run, "server CPU (s)");
        // the second of the answers; what this process uses before and after them is less than that
        assertTrue(served > 0.5 * used && served <= used + 0.02, () -> used + "\n" + run.printAll());
        double own = of(run, "generator CPU (s)");
        assertTrue(own > 0.001 && own < served / 2, run::printAll);
    }

    // --- failures, each as what it is ---

    @Test
    void a_connection_that_is_reset_or_closed_without_or_within_an_answer_is_a_reset() throws Exception {
        var parts = List.of(
                "",
                "HTTP/1.1 20",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nServer: s\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n");
        var turn = new AtomicInteger();
        var run = Load.on(raw(connection -> {
                    request(connection);
                    int kind = turn.getAndIncrement() % (parts.size() + 1);
                    if (kind < parts.size()) {
                        write(connection, parts.get(kind));
                    } else {
                        connection.setSoLinger(true, 0);
                    }
                }))
                .clients(9)
                .requests(18)
                .run();
        failed(run, 18, "reset");
    }

    @Test
    void no_answer_in_time_is_a_time_out_also_if_it_trickles_in() throws Exception {
        var turn = new AtomicInteger();
        var run = Load.on(raw(connection -> {
                    request(connection);
                    if (turn.getAndIncrement() % 2 == 0) {
                        Thread.sleep(Duration.ofMinutes(1));
                    }
                    write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
                    for (int i = 0; i < 1_000; i++) {
                        write(connection, "x");
                        Thread.sleep(20);
                    }
                }))
                .clients(6)
                .requests(12)
                .timeOut(Duration.ofMillis(300))
                .run();
        failed(run, 12, "time-outs");
        assertTrue(of(run, "seconds") >= 0.6 && of(run, "seconds") < 5, run::printAll);
    }

    @Test
    void a_full_queue_of_connections_is_a_time_out() throws Exception {
        // no thread accepts, and the system queues only a few connections
        try (var server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var run = Load.on("http://127.0.0.1:" + server.getLocalPort())
                    .clients(10)
                    .requests(10)
                    .timeOut(Duration.ofMillis(400))
                    .run();
            failed(run, 10, "time-outs");
        }
    }

    @Test
    void any_other_status_is_not_200_and_a_redirect_is_not_followed() throws Exception {
        var url = inTurn(
                "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 204 No Content\r\n\r\n",
                "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n");
        failed(Load.on(url).clients(1).requests(12).run(), 12, "not 200");
    }

    @Test
    void what_is_no_http_is_told_with_its_reason() throws Exception {
        var run = Load.on(raw(connection -> {
                    write(connection, "SSH-2.0-OpenSSH_9.6\r\n".repeat(2_000));
                    request(connection);
                    Thread.sleep(200);
                }))
                .clients(2)
                .requests(4)
                .run();
        failed(run, 4, "other");
        assertTrue(outcome(run).contains("(org.apache.hc.core5.http."), outcome(run));
    }

    @Test
    void failures_do_not_hide_among_good_answers() throws Exception {
        var run = Load.on(server((exchange, number) -> {
                    Thread.sleep(number % 4 == 0 ? 0 : 20);
                    answer(exchange, number % 4 == 0 ? 503 : 200, "");
                }))
                .clients(4)
                .requests(200)
                .run();
        assertEquals(50, of(run, "not 200"));
        assertEquals("50 of 200 requests failed: 50 not 200", outcome(run));
        // fast failures do not improve the latency
        assertTrue(of(run, "min (ms)") >= 20, run::printAll);
        assertEquals(150, of(run, "requests/s") * of(run, "seconds"), 0.01);
        assertEquals(0, Results.spread(run, "p50 (ms)").intColumn("ok").get(0));
    }

    @Test
    void a_server_that_stops_in_mid_load_is_seen() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        var executor = Executors.newVirtualThreadPerTaskExecutor();
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            try {
                Thread.sleep(100);
                answer(exchange, 200, "");
            } catch (InterruptedException e) {
                exchange.close();
            }
        });
        server.start();
        open.add(executor::shutdownNow);
        var stopped = new AtomicInteger();
        var run = Load.on("http://127.0.0.1:" + server.getAddress().getPort(), progress -> {
                    if (progress.done() > 50 && stopped.getAndIncrement() == 0) {
                        server.stop(0);
                    }
                })
                .clients(10)
                .during(Duration.ofMillis(1_500))
                .run();
        assertTrue(of(run, "requests/s") > 10, run::printAll);
        assertEquals(10, of(run, "reset"), 10, "those on their way");
        // every client tries again every 100 ms, and no more often
        assertTrue(of(run, "refused") > 10 && of(run, "refused") <= 150, run::printAll);
        assertTrue(outcome(run).contains(" refused"), outcome(run));
    }

    // --- HTTP ---

    @Test
    void every_form_of_a_whole_answer_is_read_to_its_end() throws Exception {
        var large = "x".repeat(100_000);
        var url = inTurn(
                "HTTP/1.1 200 OK\r\ncontent-length:   5  \r\n\r\nhello",
                "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + large,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n186A0\r\n" + large
                        + "\r\n0\r\nTrailer: t\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        var run = Load.on(url).clients(3).requests(210).run();
        assertEquals("ok", outcome(run));
        assertEquals(3, connections.get(), "an answer was not read to its end");
    }

    @Test
    void an_answer_that_ends_with_its_connection_is_whole() throws Exception {
        var heads = List.of("HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
        var turn = new AtomicInteger();
        var run = Load.on(raw(connection -> {
                    request(connection);
                    write(connection, heads.get(turn.getAndIncrement() % 2) + "hello");
                }))
                .clients(3)
                .requests(60)
                .run();
        assertEquals("ok", outcome(run));
        assertEquals(0, of(run, "resent"));
        assertTrue(connections.get() >= 60, "a connection for each request");
    }

    @Test
    void a_kept_connection_that_the_server_has_closed_is_no_failure_but_is_told() throws Exception {
        var run = Load.on(raw(connection -> {
                    for (int i = 0; i < 10 && request(connection); i++) {
                        write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                    }
                }))
                .clients(3)
                .requests(300)
                .run();
        assertEquals("ok", outcome(run));
        assertTrue(of(run, "resent") >= 27 && of(run, "resent") <= 30, run::printAll);
    }

    @Test
    void the_request_has_its_path_its_query_and_its_host() throws Exception {
        var seen = new AtomicReference<URI>();
        var host = new AtomicReference<String>();
        var url = server((exchange, number) -> {
            seen.set(exchange.getRequestURI());
            host.set(exchange.getRequestHeaders().getFirst("Host"));
            answer(exchange, 200, "");
        });
        var run = Load.on(url.replace("127.0.0.1", "localhost") + "/ä b".replace(" ", "%20") + "?q=1&r=%2F#part")
                .clients(1)
                .requests(1)
                .run();
        assertEquals("ok", outcome(run));
        assertEquals("/orders/%C3%A4%20b?q=1&r=%2F", seen.get().toString());
        assertTrue(host.get().matches("localhost:\\d+"), host.get());
    }

    @Test
    void thousands_of_clients_fit() throws Exception {
        var run = Load.on(delayed(500)).clients(2_000).requests(2_000).run();
        assertEquals("ok", outcome(run));
        assertEquals(2_000, of(run, "requests"));
        assertTrue(of(run, "min (ms)") >= 499, run::printAll);
    }

    // --- what limits a run ---

    @Test
    @Tag("timing")
    void a_generator_that_is_the_bottleneck_says_so() throws Exception {
        // chunks of one byte cost the reader more than the server, which writes them in one go
        var chunks = "1\r\nx\r\n".repeat(20_000);
        var run = Load.on(inTurn("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks + "0\r\n\r\n"))
                .server("bytes")
                .clients(100)
                .during(Duration.ofSeconds(1))
                .serverProcess(ProcessHandle.current().pid())
                .run();
        double own = of(run, "generator CPU (s)");
        assertTrue(own > of(run, "server CPU (s)"), run::printAll);
        // if other programs leave it less than half of the CPUs, they are named
        double share = own / of(run, "seconds") / Runtime.getRuntime().availableProcessors();
        var named = run.stringColumn("bottleneck").get(0);
        assertTrue(named.equals("generator") || named.equals("CPUs") && share < 0.5, run::printAll);
        var shown = cell.toString(StandardCharsets.UTF_8);
        assertTrue(shown.startsWith("bytes: the " + (share < 0.5 ? "" : "load generator ")), shown);
        assertEquals(1, shown.lines().count());
    }

    @Test
    void a_bottleneck_is_judged_by_shares_of_the_cpus() {
        assertEquals("none", Bottleneck.of(0.5, 0.5, 1.2, 2, 1, 100).name());
        assertEquals("generator", Bottleneck.of(1.2, 0.7, 1.9, 2, 1, 100).name());
        assertEquals("generator", Bottleneck.of(1.8, Double.NaN, 1.8, 2, 1, 100).name());
        assertEquals("CPUs", Bottleneck.of(0.4, 1.5, 1.9, 2, 1, 100).name());
        assertEquals("CPUs", Bottleneck.of(0.4, Double.NaN, 2, 2, 1, 100).name());
        assertEquals("generator", Bottleneck.of(0.1, 0.1, 0.3, 2, 11, 100).name());
        assertEquals("none", Bottleneck.of(0.1, 0.1, 0.3, 2, 9, 100).name());
        assertEquals("none", Bottleneck.of(0.1, 0.1, 0.3, 2, 1.9, 1).name());
        assertEquals("none", Bottleneck.of(0.1, 0.1, 0.3, 2, 50, Double.NaN).name());
        assertTrue(Bottleneck.of(0.4, 1.5, 1.9, 2, 1, 100)
                .sentence()
                .contains("(of 2 CPUs, the generator used 0.4, the server 1.5, everything else 0.0)"));
    }

    // --- in a cell ---

    @Test
    void runs_go_into_one_table_and_onto_a_chart() throws Exception {
        var url = delayed(10);
        var runs = Load.runs("n clients");
        var load = Load.on(url).server(Kind.VIRTUAL).requests(50);
        runs.append(load.clients(1).run());
        runs.append(load.clients(10).trial(2).run());
        assertEquals(List.of(1, 10), runs.intColumn("n").asList());
        assertEquals(List.of(1, 2), runs.intColumn("trial").asList());
        assertEquals(List.of("virtual", "virtual"), runs.stringColumn("kind").asList());
        assertEquals("requests/s", Results.figure(runs));
        var spread = Results.spread(runs, "requests/s");
        assertEquals(List.of(1, 1), spread.intColumn("ok").asList());
        assertTrue(spread.doubleColumn("median").get(1)
                > 2 * spread.doubleColumn("median").get(0));
        Plots.bySize(runs, "p50 (ms)");
        Plots.onPrediction(runs, n -> n / 0.010);
    }

    @Test
    void the_row_names_the_server_and_what_its_requests_run_on() throws Exception {
        var load = Load.on(delayed(1)).clients(1).requests(1);
        var mvc = load.server(Kind.VIRTUAL, "Spring MVC").run();
        assertEquals("virtual, Spring MVC", mvc.getString(0, "contender"));
        assertEquals("virtual", mvc.getString(0, "kind"));
        var other = load.server("WebFlux").run();
        assertEquals("WebFlux", other.getString(0, "contender"));
        assertEquals("other", other.getString(0, "kind"));
    }

    @Test
    void connections_are_kept_and_progress_counts_the_requests() throws Exception {
        var told = new ArrayList<Progress>();
        var url = raw(connection -> {
            while (request(connection)) {
                Thread.sleep(100);
                write(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            }
        });
        var run = Load.on(url, told::add)
                .server(Kind.VIRTUAL)
                .clients(10)
                .requests(100)
                .warmUp(20)
                .run();
        assertEquals("ok", outcome(run));
        assertEquals(List.of(10, 120), List.of(connections.get(), requests.get()));
        assertEquals(0, of(run, "resent"));
        var last = told.getLast();
        assertEquals(Progress.State.FINISHED, last.state());
        assertEquals(List.of(100, 120, 120), List.of(last.measured(), last.planned(), last.done()));
        assertEquals("virtual, 10 clients", last.experiment());
        assertTrue(told.size() > 5, told::toString);
        assertTrue(told.stream().anyMatch(p -> p.running().endsWith("warm-up")));
        assertTrue(told.stream()
                .anyMatch(p -> p.left() != null && p.left().isPositive() && p.done() > 20 && p.done() < 120));
        for (int i = 1; i < told.size(); i++) {
            assertTrue(told.get(i).done() >= told.get(i - 1).done());
        }
    }

    @Test
    void an_interrupt_ends_the_generator() throws Exception {
        var url = delayed(10);
        var thrown = new CountDownLatch(1);
        var told = new ConcurrentLinkedQueue<Progress>();
        var caller = Thread.ofPlatform().start(() -> {
            try {
                Load.on(url, told::add)
                        .clients(50)
                        .during(Duration.ofMinutes(2))
                        .run();
            } catch (InterruptedException e) {
                thrown.countDown();
            }
        });
        while (requests.get() < 100) {
            Thread.sleep(10);
        }
        caller.interrupt();
        assertTrue(thrown.await(20, TimeUnit.SECONDS));
        assertEquals(0, ProcessHandle.current().children().count());
        assertEquals(
                List.of(Progress.State.INTERRUPTED),
                told.stream()
                        .map(Progress::state)
                        .filter(state -> state != Progress.State.RUNNING)
                        .toList());
        Thread.sleep(200);
        int then = requests.get();
        Thread.sleep(300);
        assertEquals(then, requests.get(), "requests still come");
    }

    @Test
    void a_url_that_is_not_of_this_machine_is_refused() {
        var sentences = new String[][] {
            {"http://192.0.2.7/", "192.0.2.7 is not a loopback address"},
            {"http://0.0.0.0:8080/", "0.0.0.0 is not a loopback address"},
            {"http://10.0.0.1:8080/", "10.0.0.1 is not a loopback address"},
            {"http://[2001:db8::1]:8080/", "is not a loopback address"},
            {"http://no-such-host.invalid/", "the host no-such-host.invalid is unknown"},
            {"ftp://127.0.0.1/", "does not begin with http://"},
            {"127.0.0.1:8080/orders", "is not a URL"},
            {"localhost:8080/orders", "does not begin with http://"},
            {"http://127.0.0.1:80 80/", "is not a URL"},
            {"http://127.0.0.1:99999/", "a port from 1 to 65,535"},
            {"http:///orders", "does not name a host"},
            {"http://me@127.0.0.1/", "does not name a host"},
            {"http://127.0.0.1@192.0.2.7/", "does not name a host"},
            {"", "does not begin with http://"},
        };
        for (String[] sentence : sentences) {
            var error = assertThrows(IllegalArgumentException.class, () -> Load.on(sentence[0]), sentence[0]);
            assertTrue(error.getMessage().contains(sentence[1]), error.getMessage());
        }
    }

    @Test
    void a_name_that_stands_for_another_address_is_refused() throws Exception {
        // this machine's own name, if it has a network
        var own = InetAddress.getLocalHost();
        if (!own.isLoopbackAddress()) {
            var error = assertThrows(
                    IllegalArgumentException.class, () -> Load.on("http://" + own.getHostName() + ":8080/"));
            assertTrue(
                    error.getMessage().contains("(" + own.getHostAddress() + ") is not a loopback"),
                    error.getMessage());
        }
    }

    @Test
    void settings_out_of_range_are_refused_with_the_range() {
        var load = Load.on("http://127.0.0.1:1/");
        refused("clients(0) is out of range: it must be from 1 to 20,000", () -> load.clients(0));
        refused("clients(20,001) is out of range", () -> load.clients(20_001));
        refused("rate(0) is out of range: it must be from 1 to 20,000", () -> load.rate(0));
        refused("requests(0) is out of range: it must be from 1 to 1,000,000", () -> load.requests(0));
        refused("warmUp(-1) is out of range: it must be from 0 to", () -> load.warmUp(-1));
        refused("during(0 s) is out of range: it must be from 0.001 s to 120 s", () -> load.during(Duration.ZERO));
        refused("during(121 s) is out of range", () -> load.during(Duration.ofSeconds(121)));
        refused(
                "timeOut(61 s) is out of range: it must be from 0.001 s to 60 s",
                () -> load.timeOut(Duration.ofSeconds(61)));
        refused("there is no process 999999999", () -> load.serverProcess(999_999_999));
        refused("a contender or a server needs a name", () -> load.server(" "));
        refused("a contender or a server needs a name", () -> load.server(Kind.VIRTUAL, ""));
        assertThrows(NullPointerException.class, () -> load.server((Kind) null));
        refused("needs clients(n)", load::run);
        refused("needs an end: set requests(n) or during(time)", () -> load.clients(5)
                .run());
        refused("requests(4) are too few for clients(5)", () -> load.requests(4).run());
        refused("either requests(n) or during(time), not both", () -> load.during(Duration.ofSeconds(1))
                .run());
        refused("either clients(n), for a closed loop, or rate(n)", () -> load.rate(5)
                .run());
        refused("a load with rampUp(time) ends after a time", () -> Load.on("http://127.0.0.1:1/")
                .clients(1)
                .requests(1)
                .rampUp(Duration.ofSeconds(1))
                .run());
        refused("rampUp(time) is for a closed loop", () -> Load.on("http://127.0.0.1:1/")
                .rate(1)
                .requests(1)
                .rampUp(Duration.ofSeconds(1))
                .run());
    }

    private static void refused(String sentence, org.junit.jupiter.api.function.Executable setting) {
        var error = assertThrows(RuntimeException.class, setting);
        assertTrue(error.getMessage().contains(sentence), error.getMessage());
    }
}
