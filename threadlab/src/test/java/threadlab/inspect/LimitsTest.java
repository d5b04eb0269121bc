package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Table;

/** Little's law on this JVM: simulated requests, all behind the same lock. Takes 20 s. */
@Tag("deep")
class LimitsTest {

    private static final int WAITING = 8;

    private final ReentrantLock lock = new ReentrantLock();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger lists = new AtomicInteger();
    private final AtomicInteger figures = new AtomicInteger();

    @TempDir
    private Path folder;

    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        Thread.ofVirtual().name("holder").start(this::hold);
        while (!lock.isLocked()) {
            Thread.onSpinWait();
        }
        for (int i = 0; i < WAITING; i++) {
            Thread.ofVirtual().start(this::queue);
        }
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/actuator/prometheus", exchange -> {
            int n = reads.getAndIncrement();
            answer(exchange, """
                    # HELP http_server_requests_seconds
                    http_server_requests_seconds_count{method="GET",status="200",uri="/orders"} %d
                    http_server_requests_seconds_sum{method="GET",status="200",uri="/orders"} %d
                    http_server_requests_seconds_count{uri="/actuator/prometheus"} 99
                    http_server_requests_seconds_sum{uri="/actuator/prometheus"} 99
                    hikaricp_connections_active{pool="p"} 2.0
                    hikaricp_connections_max{pool="p"} 10.0
                    hikaricp_connections_pending{pool="p"} 0.0
                    """.formatted(1_000 + 100 * n, 500 + 50 * n));
        });
        server.createContext("/actuator/metrics", exchange -> {
            var path = exchange.getRequestURI().getPath();
            var tag = exchange.getRequestURI().getQuery();
            boolean all = path.endsWith("metrics");
            // an Actuator counts those who read it, too
            (all ? lists : figures).incrementAndGet();
            boolean requests = path.endsWith("http.server.requests");
            int n = requests && tag == null ? reads.getAndIncrement() / 2 : 0;
            int own = tag == null
                    ? lists.get() + figures.get()
                    : (tag.endsWith("{requiredMetricName}") ? figures : lists).get();
            answer(
                    exchange,
                    requests
                            ? """
                            {"name":"http.server.requests","measurements":[{"statistic":"COUNT","value":%d},
                             {"statistic":"TOTAL_TIME","value":%d}]}
                            """.formatted(100 * n + own, 50 * n + 7 * own)
                            : all ? "{\"names\":[\"http.server.requests\"]}" : "");
        });
        server.createContext("/closed", exchange -> {
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
        });
        server.createContext("/other", exchange -> answer(exchange, "hello"));
        server.start();
    }

    private static void answer(com.sun.net.httpserver.HttpExchange exchange, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(text.isEmpty() ? 404 : 200, text.isEmpty() ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private void hold() {
        lock.lock();
        try {
            end.await(60, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // the end
        } finally {
            lock.unlock();
        }
    }

    private void queue() {
        lock.lock();
        lock.unlock();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.stop(0);
    }

    private String url(String path) {
        return "http://127.0.0.1:" + server.getAddress().getPort() + path;
    }

    private static Jvm self() {
        return Jvm.attach(ProcessHandle.current().pid());
    }

    @Test
    void the_limit_is_named_with_its_arithmetic_from_prometheus_and_from_an_actuator() throws Exception {
        for (String path : new String[] {"/actuator/prometheus", "/actuator/metrics"}) {
            reads.set(0);
            try (var jvm = self()) {
                var limits = jvm.endpoint(url(path), Duration.ofMillis(600));
                var text = limits.toString();
                assertEquals(0.5, limits.seconds(), 1e-9, text);
                assertEquals(limits.throughput() * 0.5, limits.inside(), 1e-9);
                assertTrue(limits.throughput() < 100 / 0.6 && limits.throughput() > 10, text);
                assertTrue(limits.met().startsWith("the lock ReentrantLock@"), text);
                assertTrue(text.contains("L = X · W = "), text);
                var table = limits.table();
                var lockRow = table.where(table.stringColumn("limit").isEqualTo(limits.met()));
                assertEquals(WAITING, lockRow.doubleColumn("waiting").get(0), table.print());
                if (path.endsWith("prometheus")) {
                    var pool = table.where(table.stringColumn("limit").isEqualTo("connections"));
                    assertEquals(2, pool.doubleColumn("in use").get(0), table.print());
                    assertEquals(20, pool.doubleColumn("share (%)").get(0), table.print());
                    assertEquals("no", pool.getString(0, "met"), table.print());
                }
                assertTrue(table.stringColumn("limit").contains("CPUs"), table.print());
            }
        }
    }

    @Test
    void without_figures_of_the_pool_its_size_is_that_of_the_holders_and_what_they_do_says_which_limit_comes_first() {
        var waits = List.of(
                "java.lang.VirtualThread.park(VirtualThread.java:1)",
                "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)",
                "org.springframework.transaction.interceptor.TransactionInterceptor.invoke(T.java:1)");
        var calls = List.of(
                "java.lang.VirtualThread.park(VirtualThread.java:1)",
                "sun.nio.ch.NioSocketImpl.park(NioSocketImpl.java:1)",
                "org.springframework.transaction.interceptor.TransactionInterceptor.invoke(T.java:1)");
        var computes = List.of(
                "shop.Price.of(Price.java:1)",
                "org.springframework.transaction.support.TransactionTemplate.execute(T.java:1)");
        var wait = busy(waits, calls);
        assertEquals("connections", wait.met(), wait.toString());
        assertTrue(wait.toString().contains("connections: 5 of 5 in use, 30 wait: met"), wait.toString());
        assertTrue(
                wait.toString().endsWith("Connections come first: only 0 of the 5 threads seen with one want a CPU."),
                wait.toString());
        var compute = busy(waits, computes);
        assertEquals("CPUs", compute.met(), compute.toString());
        assertTrue(
                compute.toString()
                        .endsWith("The CPUs come first: 5 of the 5 threads seen with a connection want a CPU."),
                compute.toString());
    }

    @Test
    void threads_that_wait_for_a_client_s_connection_say_nothing_about_those_to_the_database() {
        var client = List.of(
                "java.lang.VirtualThread.park(VirtualThread.java:1)",
                "org.apache.hc.core5.pool.StrictConnPool.lease(StrictConnPool.java:1)");
        var limits = busy(client, List.of("java.lang.VirtualThread.park(VirtualThread.java:1)"));
        assertEquals("connections of a client", limits.met(), limits.toString());
        assertFalse(limits.table().stringColumn("limit").contains("connections"), limits.toString());
    }

    /** A service whose CPUs are busy: 30 threads wait for a connection, and five hold one. */
    private static Limits busy(List<String> waits, List<String> holds) {
        boolean runs = holds.getFirst().startsWith("shop.");
        return observed(
                2,
                1,
                IntStream.range(0, 35)
                        .mapToObj(i -> i < 30
                                ? new ThreadState(i + 1, "", true, "WAITING", 0, null, 0, List.of(), waits)
                                : new ThreadState(
                                        i + 1,
                                        "",
                                        true,
                                        runs ? "RUNNABLE" : "WAITING",
                                        runs ? 99 : 0,
                                        null,
                                        0,
                                        List.of(),
                                        holds))
                        .toList());
    }

    @Test
    void an_access_log_of_tomcat_is_read() throws Exception {
        var log = new StringBuilder();
        var start = OffsetDateTime.of(2026, 11, 22, 10, 0, 0, 0, ZoneOffset.UTC);
        var at = DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.ENGLISH);
        for (int i = 0; i < 1_000; i++) {
            log.append("127.0.0.1 - - [%s] \"GET /orders HTTP/1.1\" 200 - 250000%n"
                    .formatted(at.format(start.plusNanos(i * 10_000_000L))));
        }
        var file = Files.writeString(folder.resolve("access.log"), log);
        var requests = AccessLog.since(file, 0, 10);
        assertEquals(100, requests.perSecond(), 1e-9);
        assertEquals(0.25, requests.mean(), 1e-9);
        var combined = file.resolveSibling("combined.log");
        Files.writeString(combined, log.toString().replace("200 -", "200 17 \"-\" \"curl/8\""));
        assertEquals(0.25, AccessLog.since(combined, 0, 10).mean(), 1e-9);
    }

    @Test
    void only_the_lines_that_a_log_gets_meanwhile_count() throws Exception {
        var line = "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /orders HTTP/1.1\" 200 - %d%n";
        var file = Files.writeString(
                folder.resolve("grows.log"), line.formatted(9_000_000).repeat(500));
        try (var jvm = self()) {
            var nothing = jvm.endpoint(file.toString(), Duration.ofMillis(300));
            assertEquals(0, nothing.throughput(), nothing.toString());
            assertTrue(Double.isNaN(nothing.inside()), nothing.toString());
            assertTrue(nothing.toString().contains("no request was answered in that time"), nothing.toString());
            var writes = Thread.ofPlatform().daemon().start(() -> {
                try {
                    Thread.sleep(100);
                    Files.writeString(file, line.formatted(250_000).repeat(20), StandardOpenOption.APPEND);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            var limits = jvm.endpoint(file.toString(), Duration.ofMillis(600));
            writes.join();
            assertEquals(0.25, limits.seconds(), 1e-9, limits.toString());
            assertTrue(limits.throughput() > 1 && limits.throughput() <= 20 / 0.6, limits.toString());
        }
        // half a line just before does not count as a line; the last one is incomplete
        long before = Files.size(file);
        Files.writeString(file, line.formatted(500_000).repeat(3) + "127.0.0.1 -", StandardOpenOption.APPEND);
        assertEquals(3, AccessLog.since(file, before, 1).count());
        assertEquals(2, AccessLog.since(file, before + 5, 1).count());
        assertEquals(523, AccessLog.since(file, 1_000_000, 1).count());
    }

    @Test
    void the_round_of_a_load_in_which_most_threads_wait_counts_and_not_its_end() throws Exception {
        var most = new CountDownLatch(1);
        try (var jvm = self()) {
            var limits = jvm.endpoint(() -> {
                Thread.sleep(1_500);
                for (int i = 0; i < 40; i++) {
                    Thread.ofVirtual().start(() -> {
                        try {
                            most.await();
                            Thread.sleep(1);
                        } catch (InterruptedException e) {
                            // the end
                        }
                    });
                }
                Thread.ofVirtual().start(this::queue);
                Thread.sleep(3_500);
                most.countDown();
                end.countDown();
                Thread.sleep(3_500);
                return Table.create(
                        DoubleColumn.create("requests/s", 10.0),
                        DoubleColumn.create("mean (ms)", 100.0),
                        DoubleColumn.create("seconds", 8.0));
            });
            assertTrue(limits.met().startsWith("the lock "), limits.toString());
            var row = limits.table().where(limits.table().stringColumn("limit").isEqualTo(limits.met()));
            assertEquals(WAITING + 1, row.doubleColumn("waiting").get(0), limits.toString());
            assertEquals(WAITING + 1, limits.dump().count(WaitReason.LOCK), "the dump of that round");
        }
    }

    private static Limits observed(double cpus, double machine) {
        var stack = List.of("shop.Shop.sum(Shop.java:7)");
        return observed(cpus, machine, List.of(new ThreadState(7, "", true, null, 0, null, 0, List.of(), stack)));
    }

    private static Limits observed(double cpus, double machine, List<ThreadState> threads) {
        var watched = Table.create(
                DoubleColumn.create("mounted", 2.0),
                DoubleColumn.create("queued", 5.0),
                DoubleColumn.create("parallelism", 2.0),
                DoubleColumn.create("CPUs", cpus));
        var dump = new ThreadDump(threads, "25", "threads of a test");
        return LimitFinder.of(
                new Requests(10, 1, 0.1, "a test", Map.of()), new Observed(watched, dump, Map.of(), 2, machine));
    }

    @Test
    void carriers_of_a_machine_whose_cpus_others_use_are_not_met() {
        assertEquals("carriers", observed(0.1, 0.3).met());
        assertEquals("carriers", observed(0.1, Double.NaN).met());
        assertEquals("CPUs", observed(1.9, 1).met());
        var starved = observed(0.4, 0.97);
        assertEquals("the machine's CPUs", starved.met(), starved.toString());
        assertTrue(starved.toString().contains("Other programs keep the machine's CPUs busy"), starved.toString());
        assertEquals(
                "no",
                starved.table()
                        .where(starved.table().stringColumn("limit").isEqualTo("carriers"))
                        .getString(0, "met"));
    }

    @Test
    void full_cpus_come_before_a_lock_if_more_threads_wait_for_them() {
        var limits = observed(1.9, 1, waiting(4));
        assertEquals("CPUs", limits.met(), limits.toString());
        assertTrue(limits.toString().contains("Also met: the lock Object@1f"), limits.toString());
        assertEquals("the machine's CPUs", observed(0.4, 0.97, waiting(4)).met());
        assertTrue(observed(1.9, 1, waiting(6)).met().startsWith("the lock "), "6 wait for it, and 5 for a CPU");
    }

    /** Threads that wait for the same lock. */
    private static List<ThreadState> waiting(int threads) {
        return IntStream.range(0, threads)
                .mapToObj(id -> new ThreadState(
                        id, "", true, "BLOCKED", 0, "Object@1f", 0, List.of(), List.of("shop.Shop.sell(Shop.java:9)")))
                .toList();
    }

    @Test
    void locks_of_the_same_line_count_together() throws Exception {
        var locks = new ReentrantLock[] {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
        var threads = new Thread[12];
        for (var each : locks) {
            each.lock();
        }
        try (var jvm = self()) {
            for (int i = 0; i < threads.length; i++) {
                var mine = locks[i % 3];
                threads[i] = Thread.ofVirtual().start(() -> {
                    mine.lock();
                    mine.unlock();
                });
            }
            while (jvm.dump().count(WaitReason.LOCK) < WAITING + threads.length) {
                Thread.sleep(20);
            }
            var limits = jvm.endpoint(() -> Table.create(
                    DoubleColumn.create("requests/s", 30.0),
                    DoubleColumn.create("mean (ms)", 100.0),
                    DoubleColumn.create("seconds", 10.0)));
            assertTrue(limits.met().startsWith("3 locks of one line, such as ReentrantLock@"), limits.toString());
            assertTrue(
                    limits.toString().contains("one of these 3 locks, it keeps one for 3 ÷ X = 3 ÷ 30 = 100 ms"),
                    limits.toString());
        } finally {
            for (var each : locks) {
                each.unlock();
            }
        }
        for (var thread : threads) {
            thread.join();
        }
    }

    private static void refused(String part, String what) {
        try (var jvm = self()) {
            var error = assertThrows(IllegalArgumentException.class, () -> jvm.endpoint(what, Duration.ofMillis(200)));
            assertTrue(error.getMessage().contains(part), error.getMessage());
            assertFalse(error.getMessage().contains("\n"), error.getMessage());
        }
    }

    @Test
    void what_is_no_log_and_no_metrics_is_refused_in_one_sentence() throws Exception {
        refused("is neither a file nor a URL", folder.resolve("none.log").toString());
        refused("unknown format", write("a.log", "hello\nworld\n"));
        refused(
                "does not say how long",
                write("b.log", "1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n"));
        refused("has no line yet", write("c.log", ""));
        refused("loopback", "http://192.0.2.1/actuator/prometheus");
        refused("neither Prometheus text nor an Actuator", url("/other"));
        refused("/none answered 404", url("/none"));
        refused("/closed answered 401", url("/closed"));
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void the_checklist_says_what_it_saw_and_leaves_the_rest_open() throws Exception {
        var list = checklist();
        var verdicts = list.stringColumn("verdict");
        assertTrue(verdicts.contains("ok") && verdicts.contains("open") && verdicts.contains("change"), list.print());
        var lock = list.where(list.stringColumn("line").isEqualTo("No lock is hot"));
        assertEquals("change", lock.getString(0, "verdict"), list.print());
        assertTrue(lock.getString(0, "seen").contains("LimitsTest.queue("), list.print());
        assertTrue(list.rowCount() >= 12, list.print());
    }

    @Test
    void a_read_from_a_socket_without_a_time_limit_is_seen() throws Exception {
        for (int timeout : new int[] {0, 30_000}) {
            try (var listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                    var socket = new Socket(listening.getInetAddress(), listening.getLocalPort())) {
                socket.setSoTimeout(timeout);
                var reader = Thread.ofVirtual().start(() -> {
                    try {
                        socket.getInputStream().read();
                    } catch (IOException e) {
                        // closed
                    }
                });
                while (reader.getState() == Thread.State.RUNNABLE || reader.getState() == Thread.State.NEW) {
                    Thread.onSpinWait();
                }
                assertEquals(timeout == 0 ? "change" : "open", verdict("Each call to another system has a time limit"));
            }
        }
    }

    @Test
    void a_scheduler_of_one_virtual_thread_is_no_pool_of_them() throws Exception {
        var virtual = Thread.ofVirtual().name("scheduling-", 1).factory();
        try (var scheduler = Executors.newScheduledThreadPool(1, virtual)) {
            scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS).get();
            assertEquals("ok", pooled());
            try (var pool = Executors.newFixedThreadPool(1, virtual)) {
                pool.submit(() -> {}).get();
                assertEquals("change", pooled());
            }
        }
    }

    private static Table checklist() throws InterruptedException {
        return Checklist.run(ProcessHandle.current().pid(), Table.read().csv("../data/defects/hangs.csv"));
    }

    private static String pooled() throws InterruptedException {
        return verdict("Virtual threads are not kept in a pool");
    }

    private static String verdict(String line) throws InterruptedException {
        var list = checklist();
        return list.where(list.stringColumn("line").isEqualTo(line)).getString(0, "verdict");
    }
}
