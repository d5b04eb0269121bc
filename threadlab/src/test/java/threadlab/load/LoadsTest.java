package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import threadlab.measure.Results;

/** Servers that take turns under a load. */
class LoadsTest {

    private static Load load(int n) {
        return Load.on("http://127.0.0.1:1/").clients(n).requests(n);
    }

    @Test
    void a_server_is_steady_when_three_slices_in_a_row_are_alike() {
        assertFalse(new WarmedUp(1, 100, List.of(1.0, 1.0)).steady(), "two slices are too few");
        assertFalse(new WarmedUp(4, 400, List.of(3.0, 1.0, 1.0, 0.8)).steady(), "1.0 is 25 % more than 0.8");
        var steady = new WarmedUp(4.4, 4_000, List.of(3.0, 0.5, 0.54, 0.55));
        assertTrue(steady.steady());
        assertEquals(
                "virtual: warm after 4 s and 4,000 requests; CPU time of a request 3.00, 0.50, 0.54, 0.55 ms",
                steady.line("virtual"));
        var cold = new WarmedUp(2, 900, List.of(3.0, 2.0)).line("virtual");
        assertTrue(cold.startsWith("virtual: not steady after 2 s and 900 requests"), cold);
    }

    @Test
    void what_cannot_be_compared_is_refused() {
        var one = Loads.of("n clients").virtual(LoadsTest::load);
        refused("a comparison needs two servers or more, and has 1", one::run);
        refused("there is already a contender \"virtual\"", () -> one.virtual(LoadsTest::load));
        refused("repeat(2) is out of range: it must be from 3 to 100", () -> one.repeat(2));
        refused("a comparison needs the CPU time of \"virtual\"", one.platform("pool", LoadsTest::load)::run);
        refused("no size was given", one::sizes);
        refused("the path \"orders\" does not begin with a slash", () -> load(1).warmUpWith("orders"));
    }

    @Test
    @Tag("deep")
    void a_load_in_which_everything_stood_still_is_sent_again() throws Exception {
        var asked = new AtomicInteger();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        var asleep = new AtomicInteger();
        // who is told of the progress is the thread that watches: what stops the whole program stops it, too
        var load = Load.on("http://127.0.0.1:" + server.getAddress().getPort() + "/")
                .clients(1)
                .during(Duration.ofMillis(2_500))
                .toldTo(progress -> {
                    if (asked.get() > 0 && asleep.compareAndSet(0, asked.get())) {
                        LockSupport.parkNanos(3_000_000_000L);
                        asleep.set(asked.get());
                    }
                });
        try (var generator = new GeneratorJvm(1, Duration.ofSeconds(60))) {
            generator.standstill = Duration.ofSeconds(2);
            var rows = load.run(generator);
            assertEquals(1, rows.rowCount());
            int counted = rows.intColumn("requests").get(0);
            assertTrue(asleep.get() > 0 && asked.get() - asleep.get() >= counted, "those after it are another load");
            assertEquals(0, generator.stoodStill());
            var seconds = load.timeline().doubleColumn("seconds").asList();
            assertEquals(seconds.stream().sorted().toList(), seconds, "the moments of one load alone");
        } finally {
            server.stop(0);
        }
    }

    @Test
    @Tag("deep")
    void each_round_begins_with_another_server_and_all_are_warm_before_the_first() throws Exception {
        var asked = new ConcurrentLinkedQueue<String>();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            asked.add(exchange.getRequestURI().getPath());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            long pid = ProcessHandle.current().pid();
            var address = "http://127.0.0.1:" + server.getAddress().getPort();
            var runs = Loads.of("n clients")
                    .platform("a", n -> Load.on(address + "/a")
                            .warmUpWith("/warm")
                            .serverProcess(pid)
                            .clients(n)
                            .requests(n))
                    .virtual(n -> Load.on(address + "/b")
                            .warmUpWith("/warm")
                            .serverProcess(pid)
                            .clients(n)
                            .requests(n))
                    .sizes(1)
                    .warmUp(Duration.ofSeconds(1))
                    .run();
            assertEquals(
                    List.of("platform, a", "virtual", "virtual", "platform, a", "platform, a", "virtual"),
                    runs.stringColumn("contender").asList());
            assertEquals(List.of(1, 1, 2, 2, 3, 3), runs.intColumn("trial").asList());
            assertEquals(
                    3, Results.ratios(runs, "mean (ms)", "platform", "virtual").rowCount());
            var measured = asked.stream().dropWhile("/warm"::equals).toList();
            assertTrue(asked.size() > measured.size(), "nothing was warmed up");
            assertEquals(List.of("/a", "/b", "/b", "/a", "/a", "/b"), measured);
        } finally {
            server.stop(0);
        }
    }
}
