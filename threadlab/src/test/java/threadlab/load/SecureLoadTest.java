package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests over TLS, with a body, with headers: 4 s. */
class SecureLoadTest {

    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    @TempDir
    private Path folder;

    private <T extends HttpServer> T started(T server) {
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            var body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            seen.add(exchange.getRequestMethod() + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                    + exchange.getRequestHeaders().getFirst("X-Till") + " " + body);
            exchange.sendResponseHeaders(200, 2);
            exchange.getResponseBody().write("ok".getBytes(StandardCharsets.US_ASCII));
            exchange.close();
        });
        server.start();
        return server;
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** With a certificate of its own, as a developer's server has it. */
    private SSLContext secure() throws Exception {
        var keys = folder.resolve("keys.p12");
        var made = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "till",
                        "-dname",
                        "CN=till",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        keys.toString(),
                        "-storepass",
                        "change it")
                .start();
        assertEquals(0, made.waitFor());
        var password = "change it".toCharArray();
        var store = KeyStore.getInstance("PKCS12");
        try (var in = Files.newInputStream(keys)) {
            store.load(in, password);
        }
        var managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(store, password);
        var context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    @Test
    void a_load_goes_to_a_server_with_tls() throws Exception {
        var server = HttpsServer.create(anyPort(), 50);
        server.setHttpsConfigurator(new HttpsConfigurator(secure()));
        started(server);
        try {
            var run = Load.on("https://localhost:%d/orders"
                            .formatted(server.getAddress().getPort()))
                    .clients(4)
                    .requests(40)
                    .run();
            assertEquals("ok", run.getString(0, "outcome"), run.print());
            assertEquals(40, run.intColumn("requests").get(0));
            assertEquals(Set.of("GET null null "), seen);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void a_load_posts_a_body_with_headers() throws Exception {
        var server = started(HttpServer.create(anyPort(), 50));
        try {
            var url = "http://127.0.0.1:%d/orders".formatted(server.getAddress().getPort());
            var run = Load.on(url)
                    .post("application/json", "{\"item\":\"plum – red\"}")
                    .header("X-Till", "seven")
                    .clients(2)
                    .requests(20)
                    .run();
            assertEquals("ok", run.getString(0, "outcome"), run.print());
            assertEquals(Set.of("POST application/json seven {\"item\":\"plum – red\"}"), seen);
        } finally {
            server.stop(0);
        }
    }

    @Test
    void http_where_https_is_meant_is_told() throws Exception {
        var server = started(HttpServer.create(anyPort(), 50));
        try {
            var run = Load.on("https://127.0.0.1:%d/"
                            .formatted(server.getAddress().getPort()))
                    .clients(1)
                    .requests(2)
                    // this server waits for the rest of what is no HTTP
                    .timeOut(Duration.ofMillis(300))
                    .run();
            assertTrue(run.getString(0, "outcome").startsWith("2 of 2 requests failed"), run.print());
        } finally {
            server.stop(0);
        }
    }

    @Test
    void headers_that_are_none_or_the_generators_own_are_refused() {
        var load = Load.on("http://127.0.0.1/");
        assertThrows(IllegalArgumentException.class, () -> load.header("Host", "elsewhere"));
        assertThrows(IllegalArgumentException.class, () -> load.header("Content-Length", "1"));
        assertThrows(IllegalArgumentException.class, () -> load.header("two words", "1"));
        assertThrows(IllegalArgumentException.class, () -> load.header("X-Till", "a\r\nHost: b"));
        assertThrows(IllegalArgumentException.class, () -> Load.on("https://192.0.2.1/"));
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    void the_summary_of_k6_becomes_a_row() throws Exception {
        // --summary-export
        var exported = file("tills.json", """
                {"root_group":{},"metrics":{
                  "http_req_duration":{"avg":52.5,"min":50.1,"med":52.0,"max":80.5,"p(90)":55.0,"p(95)":60.0},
                  "http_req_failed":{"passes":3,"fails":597,"value":0.005},
                  "http_reqs":{"count":600,"rate":60.0},
                  "vus_max":{"value":4,"min":4,"max":4}}}
                """);
        var row = Load.read(exported.toString());
        assertEquals("tills", row.getString(0, "contender"));
        assertEquals(4, row.intColumn("n").get(0));
        assertEquals(10, row.doubleColumn("seconds").get(0), 1e-9);
        assertEquals(59.7, row.doubleColumn("requests/s").get(0), 1e-9);
        assertEquals(52.5, row.doubleColumn("mean (ms)").get(0));
        assertTrue(row.doubleColumn("p99 (ms)").isMissing(0));
        assertEquals("3 of 600 requests failed", row.getString(0, "outcome"));
        // handleSummary
        var handled = file("handled.json", """
                {"metrics":{
                  "http_req_duration":{"type":"trend","values":{"avg":20,"min":10,"med":15,"max":90,"p(95)":50}},
                  "http_reqs":{"type":"counter","values":{"count":100,"rate":50}}},
                 "state":{"testRunDurationMs":2000.0}}
                """);
        assertEquals(
                50, Load.read(handled.toString()).doubleColumn("requests/s").get(0), 1e-9);
        Load.runs("n clients").append(row).append(Load.read(handled.toString()));
    }

    @Test
    void the_points_of_k6_become_a_row() throws Exception {
        var lines = new StringBuilder(
                "{\"type\":\"Metric\",\"data\":{\"name\":\"http_req_duration\"},\"metric\":\"http_req_duration\"}\n");
        for (int i = 1; i <= 100; i++) {
            lines.append("""
                    {"metric":"http_req_duration","type":"Point","data":{"time":"2026-11-22T10:00:%02d.%02d0Z","value":%d,"tags":{"expected_response":"%s"}}}
                    """.formatted(i / 50, i % 50 * 2, 10, i % 10 != 0));
        }
        var row = Load.read(file("points.json", lines.toString()).toString());
        assertEquals(100, row.intColumn("requests").get(0));
        assertEquals("10 of 100 requests failed", row.getString(0, "outcome"));
        assertEquals(10, row.doubleColumn("p50 (ms)").get(0), 0.02);
        assertEquals(1.99, row.doubleColumn("seconds").get(0), 0.02);
    }

    @Test
    void a_log_of_hdr_histogram_becomes_a_row_whatever_its_unit() throws Exception {
        for (int perMilli : new int[] {1_000, 1_000_000}) {
            var log = folder.resolve("log-%d.hlog".formatted(perMilli));
            try (var out = new java.io.PrintStream(log.toFile(), StandardCharsets.UTF_8)) {
                var writer = new org.HdrHistogram.HistogramLogWriter(out);
                writer.outputLogFormatVersion();
                writer.outputLegend();
                for (int second = 0; second < 2; second++) {
                    var histogram = new org.HdrHistogram.Histogram(3);
                    for (int i = 1; i <= 100; i++) {
                        histogram.recordValue((long) i * perMilli);
                    }
                    histogram.setStartTimeStamp(1_000L * second);
                    histogram.setEndTimeStamp(1_000L * (second + 1));
                    writer.outputIntervalHistogram(second, second + 1, histogram, perMilli);
                }
            }
            var row = Load.read(log.toString());
            assertEquals(200, row.intColumn("requests").get(0), row.print());
            assertEquals(2, row.doubleColumn("seconds").get(0), 0.01);
            assertEquals(100, row.doubleColumn("requests/s").get(0), 1);
            assertEquals(50.5, row.doubleColumn("mean (ms)").get(0), 0.1);
            assertEquals(100, row.doubleColumn("max (ms)").get(0), 0.2);
        }
    }

    @Test
    void another_file_is_refused_in_one_sentence() throws Exception {
        for (String text : new String[] {"", "hello", "{\"metrics\":{}}", "{}", "{", "#[no log\n1,2\n", "[1]"}) {
            var other = file("other.txt", text);
            var error = assertThrows(IllegalArgumentException.class, () -> Load.read(other.toString()), text);
            assertTrue(error.getMessage().contains("k6"), error.getMessage());
        }
        var error = assertThrows(IllegalArgumentException.class, () -> Load.read(folder + "/none"));
        assertTrue(error.getMessage().startsWith("there is no file"), error.getMessage());
    }
}
