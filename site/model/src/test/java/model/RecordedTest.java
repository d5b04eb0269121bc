package model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import model.Step.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The model with the settings of recorded runs: it says what was measured, within 10 % or, for a claim that has only a
 * bound, within that bound.
 */
class RecordedTest {

    private static final Path RECORDED = Path.of("../../data/recorded");
    private static final double FOR_EVER = Double.POSITIVE_INFINITY;

    // --- claims, by how their words begin ---

    private static double perSecond(Simulated seen) {
        return seen.answered() * 1_000.0 / seen.lasted();
    }

    /** Arrivals at random differ from run to run: the median of nine. */
    private static double median(IntToDoubleFunction run) {
        return IntStream.range(0, 9).mapToDouble(run).sorted().toArray()[4];
    }

    private static double servedByPool() {
        // 1,000 clients send six requests of 50 ms each
        var seen = Scenario.of(Step.waits(50))
                .pool(200, Integer.MAX_VALUE)
                .closed(1_000, 6, FOR_EVER)
                .run();
        return perSecond(seen);
    }

    private static Simulated paused(boolean open) {
        var scenario = Scenario.of(Step.stopped(Kind.WAIT, 500, 1_000), Step.waits(10));
        var four = scenario.pool(4, Integer.MAX_VALUE);
        return (open ? four.open(200, 2_500, false, 1) : four.closed(4, Integer.MAX_VALUE, 2_500)).run();
    }

    private static long slow(Simulated seen) {
        return seen.latencies(0).stream().filter(ms -> ms > 250).count();
    }

    private static double nearTheCeiling() {
        return median(seed -> Scenario.of(Step.waits(10))
                .pool(4, Integer.MAX_VALUE)
                .open(360, 1_000, true, seed)
                .run()
                .percentile(99, FOR_EVER));
    }

    /** Seven threads compute three times and sleep 50 ms in between, each busy for as long as in the recorded replay. */
    private static Scenario seven() {
        double busy = 33.6;
        var steps = new ArrayList<Step>();
        for (int i = 0; i < 3; i++) {
            steps.add(Step.compute(busy));
            steps.add(Step.waits(50));
        }
        var scenario = Scenario.of();
        for (int i = 0; i < 7; i++) {
            scenario.also(0, steps.toArray(Step[]::new));
        }
        return scenario;
    }

    private static Simulated eight(Kind kind) {
        // eight threads wait for the end of one second; how many have begun until then?
        var scenario = Scenario.of().virtual(2);
        for (int i = 0; i < 8; i++) {
            scenario.also(0, Step.stopped(kind, 0, 1_000));
        }
        return scenario.run();
    }

    private static double begunIn(Kind kind) {
        return Math.min(
                8, kind == Kind.HOLD ? eight(kind).mostMounted() : eight(kind).begun());
    }

    private static double newcomerAmongSpinners(boolean virtual) {
        var scenario = virtual
                ? Scenario.of().virtual(1).cpus(1)
                : Scenario.of().pool(1_000, 0).cpus(1);
        scenario.also(0, Step.compute(50)).also(0);
        return scenario.run().lastWaits() >= 50 ? 1 : 0;
    }

    private static Simulated spring(int threads, boolean open, int seed) {
        var scenario = Scenario.of(Step.waits(400));
        scenario = threads == 0 ? scenario.virtual(2) : scenario.pool(threads, Integer.MAX_VALUE);
        return (open ? scenario.open(300, 800, true, seed) : scenario.closed(200, 10, FOR_EVER)).run();
    }

    private static double connections(double held) {
        var seen = Scenario.of(Step.enter(0), Step.waits(held), Step.leave(0))
                .place(Place.of(24))
                .closed(48, 20, FOR_EVER)
                .run();
        return perSecond(seen);
    }

    private static double openInView() {
        // on: the connection is kept for the call, too, which takes all of the time
        var on = Scenario.of(Step.enter(0), Step.waits(100), Step.leave(0))
                .place(Place.of(10))
                .closed(20, 10, FOR_EVER)
                .run();
        var off = Scenario.of(Step.enter(0), Step.leave(0), Step.waits(100))
                .place(Place.of(10))
                .closed(20, 10, FOR_EVER)
                .run();
        return on.lasted() / off.lasted();
    }

    private static double nested() {
        var seen = Scenario.of(
                        Step.enter(0), Step.waits(10), Step.enter(0), Step.waits(10), Step.leave(0), Step.leave(0))
                .place(Place.of(10))
                .closed(20, 1, FOR_EVER)
                .run();
        return seen.stuck();
    }

    /** 600 orders per second come to a warehouse with room for 12, which takes 30 ms. */
    static Scenario shop(int permits, double patience, int seed) {
        var limited = permits > 0;
        var scenario = limited
                ? Scenario.of(Step.enter(1), Step.enter(0), Step.waits(30), Step.leave(0), Step.leave(1))
                : Scenario.of(Step.enter(0), Step.waits(30), Step.leave(0));
        scenario.place(Place.of(12)).open(600, 1_800, true, seed);
        return limited ? scenario.place(new Place(permits, patience, false)) : scenario;
    }

    private static double goodShare(IntFunction<Scenario> shop) {
        return median(seed -> shop.apply(seed).run().good(1_200, 1_800, 360) / 400);
    }

    private static double inSynchronized(Kind kind) {
        var seen = Scenario.of(Step.waits(kind, 500))
                .virtual(2)
                .closed(8, 1, FOR_EVER)
                .run();
        return seen.lasted() / 1_000;
    }

    private static double pinned() {
        var seen = Scenario.of(Step.waits(Kind.HOLD, 250))
                .virtual(2)
                .closed(20, 2, FOR_EVER)
                .run();
        return perSecond(seen);
    }

    /** Six threads wait until 500 ms; at 100 ms a newcomer comes. */
    static Simulated newcomer(Kind kind, int carriers) {
        var scenario = Scenario.of().virtual(carriers);
        for (int i = 0; i < 6; i++) {
            scenario.also(0, Step.stopped(kind, 0, 500));
        }
        return scenario.also(100).run();
    }

    static Stream<Arguments> claims() {
        return Stream.of(
                arguments("01", "1,000 clients get 200 ÷ 50 ms", servedByPool()),
                arguments("01", "at 90 % of the ceiling, random arrivals", nearTheCeiling()),
                arguments("01", "in the closed loop, one order of each", (double) slow(paused(false))),
                arguments("01", "in the open loop, orders are slow until", (double) slow(paused(true))),
                arguments("03", "the most threads that are mounted", (double)
                        seven().virtual(2).run().mostMounted()),
                arguments(
                        "03",
                        "all end after 11 of the 21 busy",
                        seven().virtual(2).run().lasted()),
                arguments("03", "a wait in synchronized gives", begunIn(Kind.WAIT)),
                arguments("03", "a wait called by C keeps", begunIn(Kind.HOLD)),
                arguments("03", "a virtual newcomer begins when", newcomerAmongSpinners(true)),
                arguments("03", "when all CPUs are taken, a platform newcomer", newcomerAmongSpinners(false)),
                arguments("04", "the small pool serves", perSecond(spring(80, false, 1))),
                arguments("04", "virtual threads serve clients", perSecond(spring(0, false, 1))),
                arguments("04", "at 150 % for T seconds", median(seed -> spring(80, true, seed)
                        .percentile(100, FOR_EVER))),
                arguments("05", "the connections set the ceiling", connections(100)),
                arguments("05", "open-in-view off ÷ on", openInView()),
                arguments("05", "nested, in the dump", nested()),
                arguments("06", "no limit, the pool, or BLOCK", goodShare(seed -> shop(0, 0, seed))),
                arguments("06", "a limit that refuses", goodShare(seed -> shop(24, 0, seed))),
                arguments(
                        "06",
                        "with two permits per place",
                        median(seed -> shop(24, 0, seed).run().percentile(50, 360) / 30)),
                arguments("07", "Java 21: synchronized takes", inSynchronized(Kind.HOLD)),
                arguments("07", "Java 25: synchronized frees", inSynchronized(Kind.WAIT)),
                arguments("", "pinned threads: throughput", pinned()),
                arguments("07", "without a dump: threads that queue", (double)
                        newcomer(Kind.HOLD, 2).mostQueued()));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("claims")
    void the_model_says_what_a_quiet_run_has_measured(String lesson, String begins, double model) throws IOException {
        var rows = table("claims.csv").stream()
                .filter(row -> row.get(1).startsWith(lesson) && row.get(4).startsWith(begins))
                .filter(row -> row.get(0).equals("usual"))
                .toList();
        assertFalse(rows.isEmpty(), "no recorded claim of " + lesson + " begins with: " + begins);
        var bound = rows.getFirst().get(6);
        double measured = Double.parseDouble(rows.getFirst().get(10));
        double figure =
                Double.parseDouble(bound.replaceFirst("^\\D*([\\d,.]+).*", "$1").replace(",", ""));
        if (bound.startsWith("at least")) {
            assertTrue(model >= figure, model + " is below " + figure);
        } else if (bound.startsWith("at most")) {
            assertTrue(model <= figure, model + " is above " + figure);
        } else {
            double allowed = bound.startsWith("within") ? Math.max(10, figure) : 10;
            assertEquals(measured, model, allowed / 100 * measured, begins);
        }
    }

    // --- whole runs ---

    static Stream<Arguments> newcomers() throws IOException {
        return table("07-newcomers.csv").stream()
                .skip(1)
                .map(row -> arguments(row.get(1), row.get(2), row.get(3), Double.parseDouble(row.get(4))));
    }

    /** What a wait does with its carrier says {@code data/pinning/holds-a-carrier.csv}; here the model plays it. */
    @ParameterizedTest(name = "{0}, Java {1}, {2}")
    @MethodSource("newcomers")
    void a_newcomer_waits_as_long_as_was_measured(String kind, int java, String what, double waits) throws IOException {
        var model = kind.equals("platform") ? Kind.WAIT : held(what, java);
        assertEquals(waits, newcomer(model, 2).lastWaits(), 40, "ms");
    }

    private static Kind held(String what, int java) throws IOException {
        for (List<String> row : table("../pinning/holds-a-carrier.csv")) {
            boolean applies = row.getFirst().equals(what) && java >= Integer.parseInt(row.get(3));
            if (applies && (row.get(4).isEmpty() || java <= Integer.parseInt(row.get(4)))) {
                return row.get(2).equals("held") ? Kind.HOLD : Kind.COMPENSATED;
            }
        }
        return Kind.WAIT;
    }

    static Stream<Arguments> pools() throws IOException {
        // 1,000 platform threads spend CPU time on handing over, which the model leaves out: see the package
        return table("01-pool.csv").stream()
                .skip(1)
                .filter(row -> !row.get(0).equals("pool of n"))
                .map(row -> arguments(row.get(0), Integer.parseInt(row.get(2)), Double.parseDouble(row.get(3))));
    }

    @ParameterizedTest(name = "{0}, {1} clients")
    @MethodSource("pools")
    void a_pool_and_virtual_threads_serve_as_much_as_was_measured(String contender, int clients, double perSecond) {
        var scenario = Scenario.of(Step.waits(50)).closed(clients, 6, FOR_EVER);
        var seen = contender.equals("virtual")
                ? scenario.virtual(2).run()
                : scenario.pool(200, Integer.MAX_VALUE).run();
        assertEquals(perSecond, perSecond(seen), 0.1 * perSecond);
    }

    static Stream<Arguments> limits() throws IOException {
        return table("06-doors.csv").stream().skip(1).map(row -> arguments(row.get(0), Double.parseDouble(row.get(3))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("limits")
    void a_limit_leaves_as_many_good_answers_as_was_measured(String limit, double good) {
        IntFunction<Scenario> shop =
                switch (limit) {
                    case "no limit" -> seed -> shop(0, 0, seed);
                    case "pool of 12" -> seed -> shop(0, 0, seed).pool(12, Integer.MAX_VALUE);
                    case "queue of 12" -> seed -> shop(0, 0, seed).pool(12, 12);
                    case "pool of 200, filter" -> seed -> shop(24, 0, seed).pool(200, Integer.MAX_VALUE);
                    case "annotation, BLOCK" -> seed -> shop(24, FOR_EVER, seed);
                    default -> seed -> shop(24, 0, seed);
                };
        assertEquals(good, 400 * goodShare(shop), 40, "10 % of the capacity of 400 per second");
    }

    @Test
    void the_recorded_replay_ends_when_the_model_says() throws IOException {
        var rows = table("03-replay.csv").stream().skip(1).toList();
        double busy = rows.stream()
                .mapToDouble(row -> Double.parseDouble(row.get(3)) - Double.parseDouble(row.get(2)))
                .average()
                .orElseThrow();
        double ended = Double.parseDouble(rows.getLast().get(3));
        var scenario = Scenario.of().virtual(2);
        var steps = new ArrayList<Step>();
        for (int i = 0; i < 3; i++) {
            steps.add(Step.compute(busy));
            steps.add(Step.waits(50));
        }
        for (int i = 0; i < 7; i++) {
            scenario.also(0, steps.toArray(Step[]::new));
        }
        assertEquals(ended, scenario.run().lasted() - 50, 0.1 * ended);
    }

    @Test
    void each_thread_is_on_a_carrier_when_the_recorded_replay_says() throws IOException {
        var rows = table("03-replay.csv").stream().skip(1).toList();
        var scenario = Scenario.of().virtual(2);
        double secondCarrier = from(rows.get(1)) - from(rows.get(0));
        for (int i = 1; i <= 7; i++) {
            var name = "v" + i;
            var busy = rows.stream()
                    .filter(row -> row.getFirst().equals(name))
                    .mapToDouble(row -> Double.parseDouble(row.get(3)) - from(row))
                    .toArray();
            scenario.also(
                    i == 1 ? 0 : secondCarrier,
                    Step.compute(busy[0]),
                    Step.waits(50),
                    Step.compute(busy[1]),
                    Step.waits(50),
                    Step.compute(busy[2]));
        }
        var seen = scenario.run();
        double ended = Double.parseDouble(rows.getLast().get(3));
        assertEquals(ended, seen.lasted(), 0.03 * ended, "ms");
        // two threads that end together may change places: their later stays differ by the length of one
        for (int i = 0; i < 7; i++) {
            int thread = i;
            var model = seen.mounts().stream()
                    .filter(mount -> mount.request() == thread)
                    .mapToDouble(Simulated.Mount::from)
                    .toArray();
            var measured = rows.stream()
                    .filter(row -> row.getFirst().equals("v" + (thread + 1)))
                    .mapToDouble(RecordedTest::from)
                    .toArray();
            assertArrayEquals(measured, model, 0.1 * ended, "v" + (thread + 1) + ", ms");
        }
    }

    static Stream<Arguments> overtaken() throws IOException {
        var all = new ArrayList<Arguments>();
        for (int permits : new int[] {0, 4}) {
            var rows = table(permits == 0 ? "14-overtaken.csv" : "14-overtaken-at-a-door.csv");
            rows.stream()
                    .skip(1)
                    .collect(Collectors.groupingBy(row -> row.subList(2, 4)))
                    .forEach((key, trials) -> all.add(arguments(key.get(1), key.get(0), permits, trials)));
        }
        return all.stream();
    }

    @ParameterizedTest(name = "{0}, Java {1}, {2} permits")
    @MethodSource("overtaken")
    void a_woken_thread_runs_behind_as_many_newcomers_as_was_measured(
            String what, int java, int permits, List<List<String>> trials) {
        var scenario = Scenario.of().virtual(1).cpus(1).place(Place.of(0)).place(Place.limit(permits));
        if (java >= 25) {
            scenario.byQueue();
        }
        boolean starter = what.equals("the thread that starts them");
        if (!starter) {
            scenario.also(0, what.equals("the thread that computes") ? Step.enter(0) : Step.waits(20));
        }
        scenario.also(0, Step.compute(20), Step.leave(0), Step.compute(45));
        if (starter) {
            scenario.also(20);
        }
        for (int i = 0; i < 20; i++) {
            if (permits == 0) {
                scenario.also(45, Step.compute(5));
            } else {
                scenario.also(45, Step.enter(1), Step.compute(5), Step.waits(20), Step.leave(1));
            }
        }
        var seen = scenario.run();
        int woken = starter ? 1 : 0;
        for (List<String> trial : trials) {
            assertEquals(Integer.parseInt(trial.get(6)), seen.overtook(woken));
        }
        double[] late = trials.stream()
                .mapToDouble(trial -> Double.parseDouble(trial.get(7)))
                .sorted()
                .toArray();
        double median = late[late.length / 2];
        assertEquals(median, seen.ended(woken) - 20, 0.1 * median, "ms");
    }

    private static double from(List<String> row) {
        return Double.parseDouble(row.get(2));
    }

    @Test
    void ten_thousand_sleepers_end_together_as_recorded() throws IOException {
        for (List<String> row : table("00-sleepers.csv").stream().skip(1).toList()) {
            int n = Integer.parseInt(row.get(2));
            if (n <= 10_000) { // beyond, what starting a thread costs is seen, which the model leaves out
                var seen = Scenario.of(Step.waits(1_000))
                        .virtual(2)
                        .closed(n, 1, FOR_EVER)
                        .run();
                double seconds = Double.parseDouble(row.get(4));
                assertEquals(seconds, seen.lasted() / 1_000, 0.1 * seconds, row.toString());
            }
        }
    }

    /** The rows of a table; a field in quotes may hold commas, and quotes that are doubled. */
    private static List<List<String>> table(String name) throws IOException {
        var rows = new ArrayList<List<String>>();
        var row = new ArrayList<String>();
        var field = new StringBuilder();
        boolean quoted = false;
        for (char next : Files.readString(RECORDED.resolve(name)).toCharArray()) {
            if (next == '"') {
                quoted = !quoted;
            } else if (!quoted && (next == ',' || next == '\n')) {
                row.add(field.toString());
                field.setLength(0);
                if (next == '\n') {
                    rows.add(List.copyOf(row));
                    row.clear();
                }
            } else {
                field.append(next);
            }
        }
        return rows;
    }
}
