package threadlab.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import com.zaxxer.hikari.HikariDataSource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import threadlab.Expect;

/** Real servers, asked over HTTP. */
@Timeout(120)
@Tag("deep")
class LocalServerTest {

    @RestController
    static class Hello {
        static final Semaphore ASLEEP = new Semaphore(0);

        @GetMapping("/who")
        String who() {
            return Thread.currentThread().toString();
        }

        @GetMapping("/sleep/{ms}")
        String sleep(@PathVariable("ms") int ms) throws InterruptedException {
            ASLEEP.release();
            Thread.sleep(ms);
            return "slept";
        }

        @GetMapping("/bad/{id}")
        String bad(@PathVariable("id") int id) {
            throw new IllegalStateException("no tea " + id);
        }
    }

    @RestController
    static class Reactive {
        @GetMapping("/who")
        Mono<String> who() {
            return Mono.fromSupplier(() -> Thread.currentThread().toString());
        }

        @GetMapping("/bad/{id}")
        Mono<String> bad(@PathVariable("id") int id) {
            return Mono.delay(Duration.ofMillis(1)).map(_ -> {
                throw new IllegalStateException("no tea " + id);
            });
        }
    }

    static class Prices {
        int of(String tea) {
            return tea.length();
        }
    }

    @RestController
    static class Shop {
        Shop(Prices prices) {
            assertEquals(3, prices.of("tea"));
        }
    }

    @Aspect
    static class Dearer {
        @Around("execution(int threadlab.server.LocalServerTest.Prices.of(..))")
        Object twice(ProceedingJoinPoint call) throws Throwable {
            return 2 * (int) call.proceed();
        }
    }

    @RestController
    static class Broken {
        Broken() {
            throw new IllegalStateException("the kettle\n is cold");
        }
    }

    @RestController
    static class Slow {
        static CountDownLatch inside;

        Slow() throws InterruptedException {
            inside.countDown();
            Thread.sleep(300);
        }
    }

    @RestController
    static class Stock {
        private final JdbcClient jdbc;

        Stock(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @GetMapping("/count")
        int count() {
            return jdbc.sql("select 41 + 1").query(Integer.class).single();
        }
    }

    private final HttpClient http = HttpClient.newHttpClient();

    /** Every test closes what it starts, which must end all threads of the server. */
    @AfterEach
    void no_thread_of_a_server_is_left() throws Exception {
        http.close();
        Expect.await("the end of a server's threads", () -> serverThreads().isEmpty());
    }

    private static List<String> serverThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.matches("(http-nio|tomcat|Catalina|webflux-http|server|container).*"))
                .toList();
    }

    private HttpResponse<String> get(String url) throws Exception {
        var request = HttpRequest.newBuilder(URI.create(url)).timeout(Duration.ofSeconds(60));
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static boolean listens(int port) throws IOException {
        try (var _ = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }

    static void listensOnLoopbackOnly(int port) throws IOException {
        assertTrue(listens(port));
        for (var network : NetworkInterface.networkInterfaces().toList()) {
            for (var address : network.inetAddresses().toList()) {
                if (!address.isLoopbackAddress()) {
                    assertThrows(IOException.class, () -> new Socket(address, port).close());
                }
            }
        }
    }

    private static String messageOf(LocalServer.Builder builder) {
        return assertThrows(IllegalStateException.class, builder::start).getMessage();
    }

    /** What a block prints, in both streams. */
    private static String printedBy(Executable block) throws Throwable {
        var out = System.out;
        var err = System.err;
        var printed = new ByteArrayOutputStream();
        var stream = new PrintStream(printed, true, UTF_8);
        System.setOut(stream);
        System.setErr(stream);
        try {
            block.execute();
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return printed.toString(UTF_8);
    }

    @ParameterizedTest
    @CsvSource({
        "servlet, false, Thread\\[#.*http-nio-127.*",
        "servlet, true, VirtualThread.*tomcat-handler.*",
        "reactive, false, Thread\\[#.*webflux-http.*"
    })
    void answers_on_threads_of_its_kind(String kind, boolean virtual, String thread) throws Throwable {
        var controller = kind.equals("reactive") ? Reactive.class : Hello.class;
        assertEquals("", printedBy(() -> {
            try (var server = LocalServer.of("who", controller)
                    .set("spring.main.web-application-type", kind)
                    .set("spring.threads.virtual.enabled", virtual)
                    .start()) {
                var answer = get(server.url("/who")).body();
                assertTrue(answer.matches(thread), answer);
                assertTrue(server.isRunning());
                assertTrue(server.toString().contains("\"who\" listens on port " + server.port()), server::toString);
            }
        }));
    }

    @Test
    void its_active_requests_are_counted_without_the_one_that_asks() throws Exception {
        Hello.ASLEEP.drainPermits();
        try (var server = LocalServer.of("hello", Hello.class, ActiveRequests.class)
                        .set("spring.threads.virtual.enabled", true)
                        .start();
                var client = HttpClient.newHttpClient()) {
            for (int i = 0; i < 3; i++) {
                client.sendAsync(
                        HttpRequest.newBuilder(URI.create(server.url("/sleep/2000")))
                                .build(),
                        HttpResponse.BodyHandlers.discarding());
            }
            assertTrue(Hello.ASLEEP.tryAcquire(3, 30, TimeUnit.SECONDS));
            var asked =
                    HttpRequest.newBuilder(URI.create(server.url("/active"))).build();
            assertEquals(
                    "3",
                    client.send(asked, HttpResponse.BodyHandlers.ofString()).body());
        }
    }

    @Test
    void listens_for_this_machine_only() throws Exception {
        try (var server = LocalServer.of("hello", Hello.class).start()) {
            listensOnLoopbackOnly(server.port());
        }
        var hello = LocalServer.of("hello", Hello.class);
        refused("the address 0.0.0.0 is refused", () -> hello.set("server.address", "0.0.0.0"));
    }

    @Test
    void replaces_the_server_of_its_name_and_no_other() throws Exception {
        try (var other = LocalServer.of("other", Hello.class).start()) {
            var first = LocalServer.of("hello", Hello.class).start();
            try (var second = LocalServer.of("hello", Hello.class).start()) {
                assertFalse(first.isRunning());
                assertFalse(listens(first.port()));
                assertEquals("The server \"hello\" is closed.", first.toString());
                first.close();
                assertTrue(second.isRunning());
                assertEquals(200, get(second.url("/who")).statusCode());
                assertEquals(200, get(other.url("/who")).statusCode());
            }
        }
    }

    @Test
    void a_webflux_server_that_closes_leaves_the_others_their_event_loops() throws Exception {
        var first = LocalServer.of("first", Reactive.class)
                .set("spring.main.web-application-type", "reactive")
                .start();
        try (var second = LocalServer.of("second", Reactive.class)
                .set("spring.main.web-application-type", "reactive")
                .start()) {
            first.close();
            assertEquals(200, get(second.url("/who")).statusCode());
        }
    }

    @Test
    void says_that_its_port_is_taken() throws Exception {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertEquals(
                    "the server \"hello\" did not start: Web server failed to start. Port %d was already in use."
                            .formatted(taken.getLocalPort()),
                    messageOf(LocalServer.of("hello", Hello.class).set("server.port", taken.getLocalPort())));
        }
    }

    @Test
    void says_in_one_line_why_it_does_not_start() throws Throwable {
        assertEquals("", printedBy(() -> {
            var missing = messageOf(LocalServer.of("shop", Shop.class));
            assertTrue(
                    missing.matches(
                            "the server \"shop\" did not start: .*Shop required a bean of type '.*Prices' that could not be found. Name its class in LocalServer.of\\(…\\) as well."),
                    missing);
            assertEquals(
                    "the server \"broken\" did not start: IllegalStateException: the kettle is cold",
                    messageOf(LocalServer.of("broken", Broken.class)));
            var wrong = messageOf(LocalServer.of("wrong", Hello.class).set("server.tomcat.threads.max", "many"));
            assertTrue(wrong.contains("server.tomcat.threads.max") && wrong.contains("\"many\""), wrong);
            assertEquals(1, wrong.lines().count());
        }));
    }

    @ParameterizedTest
    @CsvSource({"servlet", "reactive"})
    void tells_each_kind_of_failure_once_and_answers_500_with_its_message(String kind) throws Throwable {
        var controller = kind.equals("reactive") ? Reactive.class : Hello.class;
        var printed = printedBy(() -> {
            try (var server = LocalServer.of("tea", controller)
                    .set("spring.main.web-application-type", kind)
                    .start()) {
                for (int id : List.of(1, 2, 3)) {
                    var answer = get(server.url("/bad/" + id));
                    assertEquals(500, answer.statusCode());
                    assertTrue(answer.body().contains("\"message\":\"no tea " + id + "\""), answer::body);
                }
                assertEquals(404, get(server.url("/nowhere")).statusCode());
            }
        });
        assertEquals("The server \"tea\" failed at GET /bad/1: IllegalStateException: no tea 1", printed.strip());
    }

    @Test
    void an_interrupt_while_it_starts_leaves_nothing_running() throws Exception {
        Slow.inside = new CountDownLatch(1);
        var end = new FutureTask<>(() -> LocalServer.of("slow", Slow.class).start());
        var starter = Thread.ofPlatform().start(end);
        Slow.inside.await();
        starter.interrupt();
        assertInstanceOf(
                InterruptedException.class,
                assertThrows(ExecutionException.class, end::get).getCause());
    }

    @Test
    void closes_at_once_whatever_its_requests_are_doing() throws Exception {
        for (boolean virtual : List.of(false, true)) {
            var server = LocalServer.of("hello", Hello.class)
                    .set("spring.threads.virtual.enabled", virtual)
                    .start();
            var request = HttpRequest.newBuilder(URI.create(server.url("/sleep/600000")));
            var answer = http.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
            Hello.ASLEEP.acquire();
            server.close();
            assertFalse(listens(server.port()));
            // the client notices, by a failure or by an incomplete answer
            var slept = answer.handle((response, failure) -> failure == null && response.statusCode() == 200);
            assertFalse(slept.get(60, TimeUnit.SECONDS));
        }
    }

    @Test
    void gives_the_beans_as_others_get_them() throws Exception {
        try (var plain = LocalServer.of("plain", Shop.class, Prices.class).start()) {
            assertEquals(Prices.class, plain.bean(Prices.class).getClass());
            refused("the server \"plain\" does not have exactly one bean Hello: ", () -> plain.bean(Hello.class));
        }
        try (var dearer = LocalServer.of("dearer", Prices.class, Dearer.class).start()) {
            assertNotEquals(Prices.class, dearer.bean(Prices.class).getClass());
            assertEquals(6, dearer.bean(Prices.class).of("tea"));
        }
    }

    @Test
    void has_a_data_source_if_it_is_told_where() throws Exception {
        try (var db = LocalPostgres.start("stock");
                var server = LocalServer.of("stock", Stock.class)
                        .set("spring.datasource.url", db.url())
                        .set("spring.datasource.hikari.maximum-pool-size", 3)
                        .start()) {
            assertEquals("42", get(server.url("/count")).body());
            assertEquals(3, server.bean(HikariDataSource.class).getMaximumPoolSize());
        }
        var message = messageOf(LocalServer.of("stock", Stock.class));
        assertTrue(message.contains("JdbcClient"), message);
    }

    @Test
    void leaves_the_log_of_the_jvm_as_it_is() throws Exception {
        var root = Logger.getLogger("");
        var handlers = List.of(root.getHandlers());
        var level = root.getLevel();
        LocalServer.of("hello", Hello.class).start().close();
        assertEquals(handlers, List.of(root.getHandlers()));
        assertEquals(level, root.getLevel());
    }

    @Test
    void refuses_what_makes_no_server() {
        assertThrows(IllegalArgumentException.class, () -> LocalServer.of(" ", Hello.class));
        assertThrows(IllegalArgumentException.class, () -> LocalServer.of("hello"));
    }
}
