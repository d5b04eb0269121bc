package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Table;

/** Little's law on threads and samples that are given; {@link ServiceTest} looks at a real service. */
class LimitsTest {

    private static final Requests TEN = new Requests(10, 1, 0.1, "a test", Map.of());

    @TempDir
    private Path folder;

    private static Limits observed(double cpus, double machine) {
        var stack = List.of("shop.Shop.sum(Shop.java:7)");
        return observed(cpus, machine, List.of(new ThreadState(7, "", true, null, 0, null, 0, List.of(), stack)));
    }

    private static Limits observed(double cpus, double machine, List<ThreadState> threads) {
        return LimitFinder.of(TEN, round(cpus, machine, threads));
    }

    private static Observed round(double cpus, double machine, List<ThreadState> threads) {
        var watched = Table.create(
                DoubleColumn.create("mounted", 2.0),
                DoubleColumn.create("queued", 5.0),
                DoubleColumn.create("parallelism", 2.0),
                DoubleColumn.create("CPUs", cpus));
        return new Observed(watched, new ThreadDump(threads, "25", "threads of a test"), Map.of(), 2, machine);
    }

    /** Threads that wait for locks on one line, in turn. */
    private static List<ThreadState> waiting(int threads, String... locks) {
        return IntStream.range(0, threads)
                .mapToObj(id -> new ThreadState(
                        id,
                        "",
                        true,
                        "BLOCKED",
                        0,
                        locks[id % locks.length],
                        0,
                        List.of(),
                        List.of("shop.Shop.sell(Shop.java:9)")))
                .toList();
    }

    private static Table row(Limits limits, String limit) {
        return limits.table().where(limits.table().stringColumn("limit").isEqualTo(limit));
    }

    @Test
    void the_limit_is_named_with_its_arithmetic_beside_those_that_are_not_met() {
        var pool = Map.of(Gauges.CONNECTIONS, 10.0, Gauges.CONNECTIONS_IN_USE, 2.0, Gauges.CONNECTIONS_WAITING, 0.0);
        var requests = new Requests(50, 0.5, 0.25, "a test", pool);
        var limits = LimitFinder.of(requests, round(0.1, 0.3, waiting(8, "Object@1f")));
        var text = limits.toString();
        assertEquals(25, limits.inside(), 1e-9);
        assertTrue(text.contains("L = X · W = 100 · 0.25 = 25"), text);
        assertEquals("the lock Object@1f", limits.met());
        assertEquals(8, row(limits, limits.met()).doubleColumn("waiting").get(0), text);
        var connections = row(limits, "connections");
        assertEquals(2, connections.doubleColumn("in use").get(0), text);
        assertEquals(20, connections.doubleColumn("share (%)").get(0), text);
        assertEquals("no", connections.getString(0, "met"), text);
        assertEquals("no", row(limits, "CPUs").getString(0, "met"), text);
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
        var waiting = new ThreadState(1, "", true, "WAITING", 0, null, 0, List.of(), waits);
        var holding =
                new ThreadState(2, "", true, runs ? "RUNNABLE" : "WAITING", runs ? 99 : 0, null, 0, List.of(), holds);
        return observed(
                2,
                1,
                Stream.concat(Collections.nCopies(30, waiting).stream(), Collections.nCopies(5, holding).stream())
                        .toList());
    }

    @Test
    void an_access_log_of_tomcat_is_read_from_the_first_new_line_to_the_last_whole_one() throws Exception {
        var line = "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /orders HTTP/1.1\" 200 - %d%n";
        var file = Files.writeString(
                folder.resolve("access.log"), line.formatted(9_000_000).repeat(500));
        long before = Files.size(file);
        var nothing = LimitFinder.of(AccessLog.since(file, before, 1), round(0.1, 0.3, List.of()));
        assertEquals(0, nothing.throughput(), nothing.toString());
        assertTrue(Double.isNaN(nothing.inside()), nothing.toString());
        assertTrue(nothing.toString().contains("no request was answered in that time"), nothing.toString());
        Files.writeString(file, line.formatted(250_000).repeat(20) + "127.0.0.1 -", StandardOpenOption.APPEND);
        var requests = AccessLog.since(file, before, 10);
        assertEquals(2, requests.perSecond(), 1e-9);
        assertEquals(0.25, requests.mean(), 1e-9);
        // half a line just before does not count as a line, and a shorter file is a new one
        assertEquals(19, AccessLog.since(file, before + 5, 1).count());
        assertEquals(520, AccessLog.since(file, 1_000_000, 1).count());
        var combined = line.formatted(250_000).replace("200 -", "200 17 \"-\" \"curl/8\"");
        assertEquals(
                0.25,
                AccessLog.since(Files.writeString(folder.resolve("combined.log"), combined), 0, 10)
                        .mean(),
                1e-9);
    }

    @Test
    void the_round_of_a_load_in_which_most_threads_wait_counts_and_not_its_first_or_last() throws Exception {
        assertEquals(5, busiest(9, 2, 5, 3, 8));
        assertEquals(9, busiest(9));
        assertEquals(9, busiest(9, 20), "the load ended in the second");
    }

    /** How many wait in the round that counts, where the load ends in the last round. */
    private static int busiest(int... waiting) throws Exception {
        var next = new AtomicInteger();
        return Jvm.busiest(
                        () -> round(1, 1, waiting(waiting[next.getAndIncrement()], "Object@1f")),
                        () -> next.get() == waiting.length)
                .waiting();
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
        var limits = observed(1.9, 1, waiting(4, "Object@1f"));
        assertEquals("CPUs", limits.met(), limits.toString());
        assertTrue(limits.toString().contains("Also met: the lock Object@1f"), limits.toString());
        assertEquals(
                "the machine's CPUs",
                observed(0.4, 0.97, waiting(4, "Object@1f")).met());
        assertTrue(
                observed(1.9, 1, waiting(6, "Object@1f")).met().startsWith("the lock "),
                "6 wait for it, and 5 for a CPU");
    }

    @Test
    void locks_of_the_same_line_count_together() {
        var limits = observed(0.1, 0.3, waiting(12, "Lock@1", "Lock@2", "Lock@3"));
        assertTrue(limits.met().startsWith("3 locks of one line, such as Lock@"), limits.toString());
        assertTrue(
                limits.toString().contains("one of these 3 locks, it keeps one for 3 ÷ X = 3 ÷ 10 = 300 ms"),
                limits.toString());
    }

    @Test
    void what_is_no_log_of_tomcat_is_refused_in_one_sentence() throws Exception {
        refused("unknown format", () -> AccessLog.requireKnownFormat(write("hello\nworld\n")));
        refused(
                "does not say how long",
                () -> AccessLog.requireKnownFormat(
                        write("1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n")));
        refused("has no line yet", () -> AccessLog.since(write(""), 0, 1));
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("other.log"), text);
    }

    private static final String PROMETHEUS = """
            # HELP http_server_requests_seconds
            http_server_requests_seconds_count{method="GET",status="200",uri="/orders"} %d
            http_server_requests_seconds_sum{method="GET",status="200",uri="/orders"} %d
            http_server_requests_seconds_count{uri="/actuator/prometheus"} 99
            http_server_requests_seconds_sum{uri="/actuator/prometheus"} 99
            hikaricp_connections_active{pool="p"} 2.0
            hikaricp_connections_max{pool="p"} 10.0
            """;

    /** The service has answered 100 more requests, each in 0.5 s, at each reading. */
    @Test
    @Tag("deep")
    void requests_are_counted_by_prometheus_and_by_an_actuator_without_those_of_the_reader() throws Exception {
        var reads = new AtomicInteger();
        var lists = new AtomicInteger();
        var figures = new AtomicInteger();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
        server.createContext("/actuator/prometheus", exchange -> {
            int n = reads.getAndIncrement();
            answer(exchange, 200, PROMETHEUS.formatted(1_000 + 100 * n, 500 + 50 * n));
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
                    requests || all ? 200 : 404,
                    requests
                            ? """
                            {"name":"http.server.requests","measurements":[{"statistic":"COUNT","value":%d},
                             {"statistic":"TOTAL_TIME","value":%d}]}
                            """.formatted(100 * n + own, 50 * n + 7 * own)
                            : "{\"names\":[\"http.server.requests\"]}");
        });
        server.createContext("/closed", exchange -> answer(exchange, 401, ""));
        server.createContext("/other", exchange -> answer(exchange, 200, "hello"));
        server.start();
        var url = "http://127.0.0.1:" + server.getAddress().getPort();
        try {
            for (String path : List.of("/actuator/prometheus", "/actuator/metrics")) {
                reads.set(0);
                try (var metrics = new Metrics(url + path)) {
                    var before = metrics.read();
                    var requests = metrics.between(before, metrics.read(), 2);
                    assertEquals(100, requests.count(), path);
                    assertEquals(0.5, requests.mean(), 1e-9, path);
                    if (path.endsWith("prometheus")) {
                        assertEquals(2, requests.gauges().get(Gauges.CONNECTIONS_IN_USE));
                        assertEquals(10, requests.gauges().get(Gauges.CONNECTIONS));
                    }
                }
            }
            try (var self = Jvm.attach(ProcessHandle.current().pid())) {
                for (String[] refused : new String[][] {
                    {"is neither a file nor a URL", folder.resolve("none.log").toString()},
                    {"loopback", "http://192.0.2.1/actuator/prometheus"},
                    {"neither Prometheus text nor an Actuator", url + "/other"},
                    {"/none answered 404", url + "/none"},
                    {"/closed answered 401", url + "/closed"}
                }) {
                    refused(refused[0], () -> self.endpoint(refused[1], Duration.ofMillis(200)));
                }
            }
        } finally {
            server.stop(0);
        }
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
