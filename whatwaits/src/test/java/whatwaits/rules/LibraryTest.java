package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose limit it is, in dumps of the real libraries ({@code dumps}): two callers are inside, two wait. */
class LibraryTest {

    private static Verdict verdict(ThreadDump dump, PoolFigures... pools) {
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.01, Map.of(), Map.of());
        var nobody = Requests.unknown("nobody counted the requests");
        return Verdict.of(new Observation(List.of(sample), dump, List.of(pools), 2, 0.1, nobody));
    }

    /** Each row of the table, but for those of which no dump has been recorded yet: these may only become fewer. */
    @Test
    void each_row_is_in_the_dump_that_it_names() throws IOException {
        var none = new ArrayList<String>();
        for (var row : Library.rows()) {
            if (row.dump().equals("-")) {
                none.add(row.where());
                continue;
            }
            var pattern = row.pattern();
            var seen = Threads.recorded(row.dump()).threads().stream()
                    .flatMap(thread -> row.fact().equals("POOL")
                            ? Stream.of(Pool.of(thread.name()))
                            : thread.stack().frames().stream().map(Frame::text))
                    .anyMatch(text -> pattern.matcher(text).find());
            assertTrue(seen, row.toString());
        }
        assertEquals(4, none.size(), none.toString());
    }

    /** What waits where, without the numbers of objects and lines. */
    private static List<String> waiting(ThreadDump dump, String program) {
        return dump.groups().stream()
                .filter(group -> group.where().startsWith(program))
                .map(group -> group.sentence().replaceAll("@[0-9a-f]+", ""))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "dbcp, connections, a connection (DBCP)",
        "c3p0, connections, a connection (c3p0)",
        "druid, connections, a connection (Druid)",
        "tomcat-jdbc, connections, a connection (Tomcat JDBC)",
        "agroal, connections, a connection (Agroal)",
        "ucp, connections, a connection (UCP)",
        "jedis, connections of a client, a connection (Jedis)",
        "httpclient5, connections of a client, a connection (HttpClient 5)",
        "httpclient4, connections of a client, a connection (HttpClient 4)",
        "bulkhead, permits of Resilience4j's bulkhead, a permit (Resilience4j's bulkhead)",
        "throttle, permits of Spring's concurrency limit, a permit (Spring's concurrency limit)",
        "semaphore, permits of Semaphore, a permit (Semaphore)"
    })
    void a_library_s_limit_is_named_with_the_program_s_line(String dump, String limit, String waits) {
        var verdict = verdict(Threads.recorded(dump));
        var text = verdict.toString();
        assertEquals(1, verdict.met().size(), text);
        assertEquals(limit, verdict.met().getFirst().name().replaceAll("@[0-9a-f]+", ""), text);
        assertEquals(2, verdict.met().getFirst().waiting(), text);
        assertTrue(waiting(verdict.dump(), "Libraries.").contains("2 virtual wait for " + waits), text);
    }

    @Test
    void two_pools_of_one_library_are_told_apart_without_their_figures() {
        var met = verdict(Threads.recorded("hikari")).met();
        assertEquals(2, met.size(), met.toString());
        for (Limit pool : met) {
            assertTrue(pool.name().matches("connections of HikariCP@[0-9a-f]+"), pool.name());
            assertTrue(Double.isNaN(pool.of()), "which of the three who have one has one of which pool is not seen");
        }
        assertEquals(3, met.getFirst().waiting());
        assertEquals(2, met.getLast().waiting());
    }

    @Test
    void who_waits_for_a_pool_that_reports_nothing_is_not_charged_to_one_that_has_free_connections() {
        var free = new PoolFigures(Limit.Kind.CONNECTIONS, "audit", 1, 50, 0);
        var met = verdict(Threads.recorded("druid"), free).met();
        assertEquals(1, met.size(), met.toString());
        assertTrue(met.getFirst().name().matches("connections of Druid@[0-9a-f]+"), met.toString());
        var busy = new PoolFigures(Limit.Kind.CONNECTIONS, "shop", 2, 2, 2);
        met = verdict(Threads.recorded("druid"), busy).met();
        assertEquals("connections", met.getFirst().name());
        assertEquals(2, met.getFirst().of());
    }

    @Test
    void callers_of_a_rate_limiter_wait_for_its_permits() {
        var verdict = verdict(Threads.recorded("limiter"));
        assertEquals(
                "permits of Resilience4j's rate limiter",
                verdict.met().getFirst().name(),
                verdict.toString());
        assertEquals(3, verdict.met().getFirst().waiting(), "one has got the permit of this period");
    }

    @Test
    void whoever_waits_for_an_http_answer_is_seen_in_each_client() {
        var jdk = waiting(Threads.recorded("jdk-http"), "Libraries.");
        assertTrue(jdk.contains("2 virtual wait for a socket (an HTTP answer, the JDK's HttpClient)"), jdk.toString());
        // of sendAsync().get() in the program's own code, no frame is the client's
        assertTrue(jdk.contains("2 virtual wait for a result (CompletableFuture)"), jdk.toString());
        var spring = waiting(Threads.recorded("spring-http"), "Libraries.");
        assertTrue(
                spring.contains("4 virtual wait for a socket (an HTTP answer, Spring's RestClient)"),
                spring.toString());
        var okhttp = waiting(Threads.recorded("okhttp"), "Libraries.");
        var answers = "2 virtual wait for a socket (an HTTP answer, OkHttp)";
        assertEquals(2, okhttp.stream().filter(answers::equals).count(), "HTTP/1.1 and 2: " + okhttp);
        var apache = waiting(Threads.recorded("httpclient5"), "Libraries.");
        assertTrue(apache.contains("2 virtual wait for a socket (an HTTP answer, HttpClient 5)"), apache.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "grpc, an answer, gRPC",
        "lettuce, an answer, Lettuce",
        "mongo, a server of its cluster, MongoDB",
        "kafka, a server of its cluster, Kafka"
    })
    void whoever_waits_for_another_system_s_answer_is_seen(String dump, String what, String library) {
        var groups = waiting(Threads.recorded(dump), "Libraries.");
        assertTrue(groups.contains("4 virtual wait for a socket (" + what + ", " + library + ")"), groups.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"jetty", "tomcat", "undertow", "netty", "derby"})
    void an_idle_server_is_not_accused(String server) {
        var verdict = verdict(Threads.recorded(server));
        assertEquals(List.of(), verdict.met(), verdict.toString());
        assertTrue(!verdict.toString().contains("all busy"), verdict.toString());
        assertEquals(0, verdict.dump().count(WaitReason.NOTHING), verdict.dump().toString());
    }

    @Test
    void a_client_s_own_threads_that_wait_for_their_time_are_idle() {
        var dump = Threads.recorded("okhttp");
        assertEquals(4, dump.count(WaitReason.TASK), "three runners of tasks, and the watchdog: " + dump);
        assertEquals(0, dump.count(WaitReason.CONDITION), dump.toString());
    }

    @Test
    void a_library_that_is_packed_into_another_is_seen_all_the_same() {
        var mock = verdict(Threads.recorded("jetty", "org.eclipse.jetty", "wiremock.org.eclipse.jetty"));
        assertEquals(List.of(), mock.met(), mock.toString());
        assertTrue(mock.toString().contains("- threads of qtp"), mock.toString());
        assertTrue(mock.dump().count(WaitReason.TASK) > 2, mock.dump().toString());
        // this one is packed so as it is published
        var grpc =
                Threads.recorded("grpc").groups().stream().map(Group::sentence).toList();
        assertTrue(grpc.contains("4 virtual wait for a socket (an answer, gRPC)"), grpc.toString());
        assertTrue(grpc.contains("1 platform waits for a socket (any of its connections, Netty)"), grpc.toString());
        var client = verdict(Threads.recorded("httpclient5", "org.apache.hc", "software.org.apache.hc"));
        assertEquals("connections of a client", client.met().getFirst().name(), client.toString());
    }

    @Test
    void an_unknown_library_is_named_as_itself() {
        var dump = Threads.recorded("druid", "com.alibaba.druid.pool.DruidDataSource.", "org.apache.other.Pool.");
        var groups = dump.groups().stream().map(Group::sentence).toList();
        assertTrue(
                groups.stream()
                        .anyMatch(group ->
                                group.startsWith("2 virtual wait for a condition") && group.endsWith(", in Pool)")),
                groups.toString());
    }
}
