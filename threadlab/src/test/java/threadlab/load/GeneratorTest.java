package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import threadlab.Expect;
import threadlab.measure.Kind;
import threadlab.measure.Results;
import threadlab.plot.Plots;
import threadlab.support.Progress;

/** Real loads of a generator in its own JVM; those for a release measure servers whose figures are known. */
@Timeout(180)
@Tag("deep")
class GeneratorTest {

    static {
        // the JDK's server keeps 200 idle connections and delays small packets, unless set before its start
        System.setProperty("sun.net.httpserver.maxIdleConnections", "20000");
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** Answers a request; requests are numbered from 0. */
    private interface Handler {
        int status(int number) throws InterruptedException;
    }

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicInteger requests = new AtomicInteger();
    private final ConcurrentLinkedQueue<Progress> told = new ConcurrentLinkedQueue<>();
    private final ByteArrayOutputStream cell = new ByteArrayOutputStream();
    private final PrintStream before = System.out;
    private HttpServer server;

    @BeforeEach
    void listenToTheCell() {
        System.setOut(new PrintStream(cell, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        System.setOut(before);
        server.stop(0);
        executor.shutdownNow();
        Expect.nothingLeft();
    }

    private Load on(Handler handler) throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 4_096);
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            try (exchange) {
                exchange.sendResponseHeaders(handler.status(requests.getAndIncrement()), 9);
                exchange.getResponseBody().write("[1, 2, 3]".getBytes(StandardCharsets.UTF_8));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
        return Load.on("http://127.0.0.1:" + server.getAddress().getPort() + "/orders", told::add);
    }

    private static int delayed(int ms) throws InterruptedException {
        Thread.sleep(ms);
        return 200;
    }

    private static double of(Table run, String column) {
        return ((NumericColumn<?>) run.column(column)).getDouble(0);
    }

    private static String outcome(Table run) {
        return run.stringColumn("outcome").get(0);
    }

    @Test
    void runs_are_counted_without_their_warm_up_and_go_into_one_table_and_onto_a_chart() throws Exception {
        var runs = Load.runs("n clients");
        var load = on(number -> delayed(10)).server(Kind.VIRTUAL).requests(100);
        runs.append(load.clients(1).run());
        requests.set(0);
        told.clear();
        runs.append(load.clients(10).trial(2).warmUp(20).run());
        assertEquals(120, requests.get());
        assertEquals(List.of(1, 10), runs.intColumn("n").asList());
        assertEquals(List.of(1, 2), runs.intColumn("trial").asList());
        assertEquals(List.of(100, 100), runs.intColumn("requests").asList());
        assertEquals(List.of(0, 0), runs.intColumn("resent").asList(), "connections are kept");
        assertEquals(List.of("virtual", "virtual"), runs.stringColumn("kind").asList());
        assertEquals(
                List.of(1, 1),
                Results.spread(runs, "requests/s").intColumn("ok").asList());
        assertEquals("requests/s", Results.figure(runs));
        Plots.bySize(runs, "p50 (ms)");
        Plots.onPrediction(runs, "requests/s", n -> n / 0.010);
        var last = new ArrayList<>(told).getLast();
        assertEquals(Progress.State.FINISHED, last.state());
        assertEquals(List.of(100, 120, 120), List.of(last.measured(), last.planned(), last.done()));
    }

    @Test
    void the_row_names_the_server_and_the_timeline_adds_up_to_it() throws Exception {
        var load = on(number -> number % 4 == 0 ? 503 : delayed(10)).clients(4);
        assertEquals(0, load.timeline().rowCount(), "before a run");
        var run = load.server(Kind.VIRTUAL, "Spring MVC")
                .during(Duration.ofMillis(1_500))
                .run();
        assertEquals("virtual, Spring MVC", run.getString(0, "contender"));
        assertEquals("virtual", run.getString(0, "kind"));
        assertTrue(outcome(run).contains(" requests failed: "), outcome(run));
        assertTrue(told.stream().anyMatch(p -> p.done() > 0 && p.planned() > p.done()), told::toString);
        double last = 0;
        double failed = 0;
        for (var row : load.timeline()) {
            failed += (row.getDouble("seconds") - last) * row.getDouble("failed/s");
            last = row.getDouble("seconds");
        }
        assertTrue(last > 0 && last <= of(run, "seconds"), last + " of " + of(run, "seconds"));
        assertTrue(failed <= of(run, "not 200") + 0.5, failed + " of " + of(run, "not 200"));
        var other = load.server("WebFlux").run();
        assertEquals("WebFlux", other.getString(0, "contender"));
        assertEquals("other", other.getString(0, "kind"));
    }

    @Test
    void thousands_of_clients_are_served_at_once() throws Exception {
        var all = new CountDownLatch(2_000);
        var run = on(number -> {
                    all.countDown();
                    all.await();
                    return 200;
                })
                .clients(2_000)
                .requests(2_000)
                .warmUp(0)
                .timeOut(Duration.ofSeconds(60))
                .run();
        assertEquals("ok", outcome(run));
        assertEquals(2_000, of(run, "requests"));
    }

    @Test
    void an_interrupt_ends_the_generator() throws Exception {
        var load = on(number -> delayed(10)).clients(50).during(Duration.ofMinutes(2));
        var running = new FutureTask<>(load::run);
        var caller = Thread.ofPlatform().start(running);
        Expect.await("a hundred requests", () -> requests.get() >= 100);
        caller.interrupt();
        var thrown = assertThrows(ExecutionException.class, running::get);
        assertTrue(thrown.getCause() instanceof InterruptedException, thrown::toString);
        assertEquals(0, ProcessHandle.current().children().count());
        ended(Progress.State.INTERRUPTED);
    }

    @Test
    void the_progress_of_a_load_whose_generator_dies_comes_to_its_end() throws Exception {
        var silence = new CountDownLatch(1);
        var load = on(number -> {
            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
            silence.await();
            return 200;
        });
        refused("the load generator failed: ", load.clients(1).during(Duration.ofSeconds(60))::run);
        ended(Progress.State.INTERRUPTED);
    }

    private void ended(Progress.State state) {
        var states = told.stream().map(Progress::state).filter(each -> each != Progress.State.RUNNING);
        assertEquals(List.of(state), states.toList());
    }

    // --- for a release: measurements on a quiet machine ---

    private static void near(double expected, double measured, double share, double least, Table run) {
        assertEquals(expected, measured, Math.max(share * expected, least), run::printAll);
    }

    @Test
    @Tag("release")
    void latency_and_throughput_are_right_against_a_known_delay() throws Exception {
        var load = on(number -> delayed(50)).warmUp(600).during(Duration.ofMillis(1_500));
        var closed = load.clients(20).run();
        near(20 / 0.050, of(closed, "requests/s"), 0.1, 0, closed);
        var open = Load.on("http://127.0.0.1:" + server.getAddress().getPort())
                .rate(200)
                .warmUp(20)
                .during(Duration.ofSeconds(1))
                .run();
        near(1.05, of(open, "seconds"), 0.05, 0, open);
        for (Table run : List.of(closed, open)) {
            assertEquals("ok", outcome(run));
            for (String latency : List.of("min", "mean", "p50", "p95")) {
                near(50, of(run, latency + " (ms)"), 0.05, 5, run);
            }
        }
    }

    @Test
    @Tag("release")
    void clients_with_a_ramp_up_are_counted_in_the_steady_state() throws Exception {
        var arrivals = new ConcurrentLinkedQueue<Long>();
        var load = on(number -> {
                    arrivals.add(System.nanoTime());
                    return delayed(200);
                })
                .clients(40)
                .rampUp(Duration.ofMillis(200));
        var run = load.during(Duration.ofSeconds(1)).run();
        near(1, of(run, "seconds"), 0, 0.02, run);
        near(40 / 0.2, of(run, "requests/s"), 0.1, 0, run);
        // 40 in 200 ms: about 4 in any 20 ms, where a wave would bring all
        long first = arrivals.peek();
        long inFirst = arrivals.stream().filter(at -> at - first < 20_000_000).count();
        assertTrue(inFirst < 20, inFirst + " of 40 came in the first 20 ms");
    }

    @Test
    @Tag("release")
    void cpu_seconds_are_those_of_the_two_processes_and_the_bottleneck_is_named() throws Exception {
        var load = on(number -> {
                    long until = System.nanoTime() + 4_000_000;
                    while (System.nanoTime() < until) {
                        Thread.onSpinWait();
                    }
                    return 200;
                })
                .server("spins")
                .serverProcess(ProcessHandle.current().pid());
        var run = load.clients(1).requests(250).run();
        near(1, of(run, "server CPU (s)"), 0.2, 0, run);
        double own = of(run, "generator CPU (s)");
        assertTrue(own > 0.001 && own < 0.5, run::printAll);
        var full = load.clients(50).requests(1_000).run();
        assertEquals("CPUs", full.stringColumn("bottleneck").get(0), full::printAll);
        var shown = cell.toString(StandardCharsets.UTF_8);
        assertTrue(shown.startsWith("spins: the CPUs of this machine were the bottleneck"), shown);
    }
}
