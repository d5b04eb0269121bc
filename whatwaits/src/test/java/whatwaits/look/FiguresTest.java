package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.Expect.refused;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.rules.Limit.Kind;
import whatwaits.rules.Observation;
import whatwaits.rules.Outside;
import whatwaits.rules.PoolFigures;
import whatwaits.rules.Requests;
import whatwaits.rules.ThreadState;
import whatwaits.rules.Threads;

/** The figures that services report: access logs, Prometheus text, an Actuator; and which round of a load counts. */
class FiguresTest {

    @TempDir
    private Path folder;

    private static final String LINE = "127.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /orders HTTP/1.1\" 200 - %d%n";
    private static final String QUARTER = LINE.formatted(250_000);

    private static void append(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    /** Ten requests a second, each in 0.25 s. */
    private static void assertTwenty(Requests requests) {
        assertEquals(20, requests.count(), requests.source());
        assertEquals(10, requests.perSecond(), 1e-9);
        assertEquals(0.25, requests.mean(), 1e-9);
    }

    @Test
    void an_access_log_of_tomcat_is_read_from_the_first_new_line_to_the_last_whole_one() throws Exception {
        var file = write(LINE.formatted(9_000_000).repeat(500));
        try (var log = new AccessLog(file)) {
            var nothing = log.requests(1);
            assertEquals(0, nothing.perSecond());
            assertTrue(nothing.source().contains("no request was answered in that time"), nothing.source());
            append(file, QUARTER.repeat(20) + "127.0.0.1 -");
            assertTwenty(log.requests(2));
        }
        try (var log = new AccessLog(file)) {
            // half a line just before does not count as a line
            append(
                    file,
                    " the rest\n"
                            + QUARTER.replace("200 -", "200 17 \"-\" \"curl/8\"")
                                    .repeat(20));
            assertTwenty(log.requests(2));
        }
    }

    @Test
    void one_odd_line_of_a_log_costs_only_itself() throws Exception {
        var file = write("");
        try (var log = new AccessLog(file)) {
            append(file, "2026-11-22 WARN the disk is full\n" + QUARTER.repeat(20));
            var requests = log.requests(2);
            assertTwenty(requests);
            assertTrue(requests.source().contains("1 of its lines have another format"), requests.source());
        }
    }

    @Test
    void what_is_no_log_of_tomcat_is_said_and_the_rest_is_judged() throws Exception {
        var common = "1.2.3.4 - - [22/Nov/2026:10:00:00 +0000] \"GET / HTTP/1.1\" 200 5\n";
        for (var each : Map.of("hello\nworld\n", "an unknown format", common, "do not say how long")
                .entrySet()) {
            var file = write("");
            try (var log = new AccessLog(file)) {
                append(file, each.getKey());
                var requests = log.requests(2);
                assertTrue(Double.isNaN(requests.count()), requests.toString());
                assertTrue(requests.source().contains(each.getValue()), requests.source());
            }
        }
    }

    @Test
    void a_log_that_is_rotated_meanwhile_counts_as_one() throws Exception {
        var file = write(LINE.formatted(9_000_000).repeat(6));
        try (var log = new AccessLog(file)) {
            append(file, QUARTER.repeat(8));
            Files.move(file, folder.resolve("other.log.1"));
            append(folder.resolve("other.log.1"), QUARTER.repeat(2));
            append(file, QUARTER.repeat(10));
            var requests = log.requests(2);
            assertTwenty(requests);
            assertTrue(requests.source().contains("rotated meanwhile"), requests.source());
        }
    }

    @Test
    void a_log_that_is_cut_meanwhile_or_goes_on_under_another_date_is_said() throws Exception {
        var file = write(LINE.formatted(9_000_000).repeat(50));
        try (var log = new AccessLog(file)) {
            Files.writeString(file, QUARTER.repeat(20));
            assertTwenty(log.requests(2));
            assertTrue(log.requests(2).source().contains("X is higher than this"));
        }
        var yesterday = folder.resolve("access_log.2026-11-22.log");
        append(yesterday, QUARTER);
        try (var log = new AccessLog(yesterday)) {
            append(folder.resolve("access_log.2026-11-23.log"), QUARTER);
            var said = log.requests(2).source();
            assertTrue(said.contains("Tomcat writes to access_log.2026-11-23.log now"), said);
        }
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
        return Jvm.busiest(() -> round(waiting[next.getAndIncrement()]), () -> next.get() == waiting.length)
                .waiting();
    }

    private static Observation round(int waiting) {
        var stack = Threads.stack("shop.Shop.sell(Shop.java:9)");
        var blocked = new ThreadState(1, "", true, "BLOCKED", 0, "Object@1f", 0, List.of(), stack);
        var dump = Threads.dump(Collections.nCopies(waiting, blocked));
        return new Observation(
                List.of(),
                dump,
                List.of(),
                2,
                1,
                new Requests(1, 1, 1, "a test", List.of()),
                List.of(),
                Outside.UNKNOWN);
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
            hikaricp_connections_pending{pool="p"} 7.0
            hikaricp_connections_max{pool="p"} 10.0
            hikaricp_connections_active{pool="audit"} 1.0
            hikaricp_connections_max{pool="audit"} 50.0
            tomcat_threads_busy_threads{name="http-nio-8080"} 3.0
            tomcat_threads_config_max_threads{name="http-nio-8080"} 200.0
            """;

    /** A pool's beans, as HikariCP registers them. */
    public interface PoolMXBean {
        /** {@return in use} */
        int getActiveConnections();

        /** {@return who waits} */
        int getThreadsAwaitingConnection();

        /** {@return the most} */
        int getMaximumPoolSize();
    }

    /**
     * Figures of a pool.
     *
     * @param getActiveConnections in use
     * @param getThreadsAwaitingConnection who waits
     * @param getMaximumPoolSize the most
     */
    public record Beans(int getActiveConnections, int getThreadsAwaitingConnection, int getMaximumPoolSize)
            implements PoolMXBean {}

    private static void register(MBeanServer server, String type, Beans pool) throws JMException {
        var bean = new StandardMBean(pool, PoolMXBean.class, true);
        server.registerMBean(bean, Gauges.name("com.zaxxer.hikari:type=" + type));
    }

    @Test
    void beans_of_two_pools_are_not_added_up() throws Exception {
        var server = MBeanServerFactory.newMBeanServer();
        for (String type : List.of("Pool", "PoolConfig")) {
            register(server, type + " (orders)", new Beans(5, 20, 5));
            register(server, type + " (audit)", new Beans(1, 0, 50));
        }
        var orders = new PoolFigures(Kind.CONNECTIONS, "orders", 5, 5, 20);
        var audit = new PoolFigures(Kind.CONNECTIONS, "audit", 1, 50, 0);
        assertEquals(Set.of(orders, audit), Set.copyOf(Gauges.read(server)));
    }

    @Test
    void a_service_that_does_not_answer_is_no_wrong_address() throws Exception {
        int port;
        try (var closed = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = closed.getLocalPort();
        }
        try (var metrics = new Metrics("http://127.0.0.1:%d/actuator/prometheus".formatted(port))) {
            var silent = assertThrows(Metrics.Silent.class, metrics::read);
            assertTrue(silent.getMessage().startsWith("nobody listens at http://127.0.0.1:"), silent.getMessage());
        }
    }

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
            if (path.endsWith("hikaricp.connections.max")) {
                var pool = exchange.getRequestURI().getQuery();
                answer(exchange, 200, MOST.formatted(pool == null ? 60 : pool.endsWith("audit") ? 50 : 10));
                return;
            }
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
        server.createContext("/full", exchange -> answer(exchange, 503, ""));
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
                    var audit = new PoolFigures(Kind.CONNECTIONS, "audit", 1, 50, Double.NaN);
                    var tomcat = new PoolFigures(Kind.THREADS, "http-nio-8080", 3, 200, Double.NaN);
                    var pool = new PoolFigures(Kind.CONNECTIONS, "p", 2, 10, 7);
                    assertEquals(
                            path.endsWith("prometheus")
                                    ? List.of(audit, tomcat, pool)
                                    : List.of(most("audit", 50), most("p", 10)),
                            requests.pools());
                }
            }
            try (var self = Jvm.attach(ProcessHandle.current().pid())) {
                refused("none.log is neither a file nor a URL", () -> self.endpoint("none.log"));
                refused("loopback", () -> self.endpoint("http://192.0.2.1/actuator/prometheus"));
                refused("neither Prometheus text nor an Actuator", () -> self.endpoint(url + "/other"));
                refused("/none answered 404", () -> self.endpoint(url + "/none"));
                refused("/closed answered 401", () -> self.endpoint(url + "/closed"));
                var silent = self.endpoint(url + "/full").toString();
                assertTrue(silent.startsWith("X, W and L are unknown (the metrics at /full answered 503"), silent);
                assertTrue(silent.contains("Most threads: "), silent);
            }
        } finally {
            server.stop(0);
        }
    }

    private static final String MOST = """
            {"measurements":[{"statistic":"VALUE","value":%d}],"availableTags":[{"tag":"pool","values":["p","audit"]}]}
            """;

    private static PoolFigures most(String pool, double of) {
        return new PoolFigures(Kind.CONNECTIONS, pool, Double.NaN, of, Double.NaN);
    }

    private static void answer(HttpExchange exchange, int status, String text) throws IOException {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }
}
