package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Circles in dumps of real programs, two of each, half a second apart ({@code dumps/Circles.java}). */
class CirclesTest {

    private static final Path PROGRAMS = Path.of("dumps/Circles.java");

    private static ThreadDump seen(ThreadDump dump) {
        return observed(dump).dump();
    }

    private static String verdict(ThreadDump dump) {
        return Verdict.of(observed(dump)).toString();
    }

    /** A dump, and what the JVM would report meanwhile: carriers and threads that use no CPU. */
    private static Observation observed(ThreadDump dump) {
        var still = new HashMap<Long, Double>();
        dump.threads().forEach(thread -> still.put(thread.virtual() ? thread.carrier() : thread.id(), 0.001));
        var sample = new Sample(0, 9, 2, 0, 2, 2, 0.005, Map.of(), still);
        var nobody = Requests.unknown("nobody counted the requests");
        return new Observation(List.of(sample), dump, List.of(), 2, 0.1, nobody);
    }

    private static ThreadDump first(String name) {
        return Threads.recorded("circles/" + name);
    }

    private static ThreadDump both(String name) {
        return first(name + "-2").after(first(name));
    }

    /** The lines of the program that end with the name of a circle: where its threads wait. */
    private static TreeSet<String> truth(String circle) throws IOException {
        var lines = Files.readAllLines(PROGRAMS);
        var marked = new TreeSet<String>();
        for (int i = 0; i < lines.size(); i++) {
            int at = lines.get(i).indexOf("// ");
            if (at >= 0 && List.of(lines.get(i).substring(at + 3).split(", ")).contains(circle)) {
                marked.add("Circles.java:" + (i + 1));
            }
        }
        return marked;
    }

    private static TreeSet<String> lines(Circle circle) {
        var lines = new TreeSet<String>();
        for (String line : circle.lines()) {
            if (line.startsWith("Circles")) {
                lines.add(line.substring(line.indexOf('(') + 1, line.length() - 1));
            }
        }
        return lines;
    }

    @ParameterizedTest
    @CsvSource({
        "monitors, 2, 0, true, true",
        "monitors-mixed, 2, 0, true, true",
        "monitors-ring, 3, 0, true, true",
        "locks, 2, 0, false, true",
        "locks-platform, 2, 0, false, true",
        "locks-crowd, 2, 6, false, true",
        "philosophers, 5, 0, false, true",
        "two-services, 2, 0, false, true",
        "lock-and-monitor, 2, 0, false, true",
        "upgrade, 3, 1, false, true",
        "upgrade-alone, 1, 0, false, false",
        "stamps, 2, 0, false, false",
        "initializers, 2, 0, false, true",
        "initializers-platform, 2, 0, false, true",
        "initializer-and-lock, 2, 0, false, true",
        "initializer-and-task, 2, 0, false, false",
        "connections, 2, 1, false, true",
        "permits, 2, 1, false, true",
        "permit-and-lock, 2, 0, false, true",
        "executor, 2, 2, false, false",
        "executor-and-monitor, 2, 0, false, true",
        "futures, 2, 0, false, false",
        "future-and-lock, 2, 0, false, true",
        "joins, 2, 0, false, false",
        "queued, 3, 1, false, true",
        "aside, 2, 0, false, true",
        "executors, 4, 0, false, false"
    })
    void a_circle_is_named_with_each_of_its_lines(String name, int members, int behind, boolean proven, boolean inOne)
            throws IOException {
        var dump = seen(both(name));
        assertEquals(1, dump.circles().size(), dump.toString());
        var circle = dump.circles().getFirst();
        assertEquals(truth(name), lines(circle), circle.toString());
        assertEquals(members, circle.members().size(), circle.toString());
        assertEquals(behind, circle.behind(), circle.toString());
        assertEquals(proven, circle.proven(), circle.toString());
        assertEquals(inOne, !seen(first(name)).circles().isEmpty(), "what one dump is enough for");
    }

    /** All dumps of programs in which nobody waits for ever. */
    private static List<ThreadDump> healthy() throws IOException {
        var names = new ArrayList<String>();
        try (var files = Files.list(Path.of("src/test/resources/whatwaits/rules"))) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .map(name -> name.substring(0, name.length() - ".json".length()))
                    .filter(name -> !name.equals("initializers"))
                    .forEach(names::add);
        }
        for (String name : List.of("ordered", "brief", "readers", "turns", "phases", "stages", "desk", "chain")) {
            names.add("circles/" + name);
            for (int i = 2; i <= 4; i++) {
                names.add("circles/" + name + "-" + i);
            }
        }
        return names.stream().map(Threads::recorded).toList();
    }

    @Test
    void no_circle_is_named_in_a_healthy_dump() throws IOException {
        var dumps = healthy();
        assertTrue(dumps.size() >= 50, "there are " + dumps.size());
        for (ThreadDump dump : dumps) {
            assertEquals(List.of(), seen(dump).circles(), dump.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"ordered", "brief", "readers", "turns", "phases", "stages", "desk", "chain"})
    void none_is_named_in_two_dumps_of_a_healthy_program(String name) {
        for (int i = 2; i <= 4; i++) {
            var before = first(i == 2 ? name : name + "-" + (i - 1));
            var dump = seen(first(name + "-" + i).after(before));
            assertEquals(List.of(), dump.circles(), dump.toString());
        }
    }

    /** Of connections and permits that nobody is seen to have, no dump tells whether they are held further out, or lost. */
    @ParameterizedTest
    @ValueSource(
            strings = {"queued-healthy", "aside-healthy", "executors-healthy", "calls", "leak", "connections-alone"})
    void none_is_named_where_one_line_makes_the_difference(String name) {
        assertEquals(List.of(), seen(first(name)).circles());
        assertEquals(List.of(), seen(both(name)).circles(), both(name).toString());
    }

    @Test
    void whoever_could_let_the_others_go_contradicts_a_circle_until_it_has_moved() {
        var waits = first("locks").threads();
        var alone = waits.stream().filter(one -> one.name().equals("there")).toList();
        var works = new ThreadState(
                99,
                "works",
                true,
                "WAITING",
                0,
                null,
                0,
                List.of(),
                Threads.stack("java.lang.Thread.sleep(Thread.java:1)", "Circles$Bank.transfer(Circles.java:97)"));
        var all = new ArrayList<>(waits);
        all.add(works);
        assertEquals(List.of(), Threads.dump(all).circles(), "it may have what they want");
        assertTrue(Threads.dump(all).suspectsCircle(), "a second dump is worth its cost");
        assertEquals(List.of(), Threads.dump(all).after(Threads.dump(all)).circles(), "it is still there");
        assertEquals(1, Threads.dump(all).after(Threads.dump(waits)).circles().size(), "it has only just come");
        assertFalse(Threads.dump(alone).mayBeCircle(), "one thread alone is no circle");
    }

    @Test
    void a_second_dump_confirms_a_circle_and_the_threads_stay_those_of_the_first() {
        var waits = first("locks").threads();
        var alone = waits.stream().filter(one -> one.name().equals("there")).toList();
        assertEquals(waits, Threads.dump(waits).confirmedBy(Threads.dump(alone)).threads());
        assertEquals(
                List.of(), Threads.dump(waits).confirmedBy(Threads.dump(alone)).circles());
        assertEquals(
                1,
                Threads.dump(waits).confirmedBy(Threads.dump(waits)).circles().size());
    }

    @Test
    void a_circle_in_which_threads_have_moved_is_none() {
        var waits = first("locks").threads();
        var moved = new ArrayList<>(waits);
        var first = waits.stream()
                .filter(one -> one.name().equals("there"))
                .findFirst()
                .orElseThrow();
        moved.set(
                waits.indexOf(first),
                new ThreadState(
                        first.id(),
                        first.name(),
                        true,
                        first.state(),
                        0,
                        "java.util.concurrent.locks.ReentrantLock$NonfairSync@9",
                        0,
                        List.of(),
                        first.stack()));
        assertEquals(1, Threads.dump(waits).circles().size());
        assertEquals(List.of(), Threads.dump(waits).after(Threads.dump(moved)).circles());
    }

    @Test
    void a_monitor_that_nobody_holds_any_more_is_in_no_circle() {
        var waits = first("monitors").threads().stream()
                .map(one -> new ThreadState(
                        one.id(), one.name(), true, one.state(), 0, one.blocker(), 0, List.of(), one.stack()))
                .toList();
        assertEquals(List.of(), Threads.dump(waits).circles());
    }

    @Test
    void a_time_limit_is_said() {
        var text = both("connections").circles().getFirst().toString();
        assertTrue(text.contains("none of them goes on before a time limit ends its wait; 1 more"), text);
    }

    @Test
    void the_lines_of_the_few_are_shown_beside_that_of_most() {
        var text = first("locks-crowd").toString();
        assertTrue(text.contains("and 1 at Circles$Bank.transfer(Circles.java:"), text);
        assertTrue(verdict(first("locks-crowd")).contains(", and 1 at Circles$Bank.transfer(Circles.java:"), text);
    }

    @Test
    @Timeout(120)
    void many_threads_and_many_locks_are_judged_in_time() {
        var pay = Threads.stack(
                "java.util.concurrent.locks.ReentrantLock.lock(ReentrantLock.java:1)", "shop.Till.pay(Till.java:7)");
        var get = Threads.stack("java.util.concurrent.FutureTask.get(FutureTask.java:1)", "shop.Till.ask(Till.java:9)");
        var many = new ArrayList<ThreadState>();
        for (int i = 1; i <= 20_000; i++) {
            var lock = i % 2 == 0 ? "java.util.concurrent.FutureTask@" + i : "ReentrantLock$NonfairSync@" + i % 1_000;
            many.add(new ThreadState(i, "", true, "WAITING", 0, lock, 0, List.of(), i % 2 == 0 ? get : pay));
        }
        judgedInTime(many);
    }

    @Test
    @Timeout(120)
    void many_who_want_the_same_are_judged_in_time() {
        var read = Threads.stack(
                "java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock.lock(ReentrantReadWriteLock.java:1)",
                "shop.Till.read(Till.java:7)");
        var take = Threads.stack(
                "java.util.concurrent.Semaphore.acquire(Semaphore.java:1)", "shop.Till.take(Till.java:20)");
        var many = new ArrayList<ThreadState>();
        for (int i = 1; i <= 60_000; i++) {
            var wanted = i % 2 == 0 ? "ReentrantReadWriteLock$NonfairSync@1" : "Semaphore$NonfairSync@2";
            many.add(new ThreadState(
                    i,
                    "",
                    true,
                    "WAITING",
                    0,
                    "java.util.concurrent." + wanted,
                    0,
                    List.of(),
                    i % 2 == 0 ? read : take));
        }
        judgedInTime(many);
    }

    private static void judgedInTime(List<ThreadState> many) {
        var cpu = ManagementFactory.getThreadMXBean();
        long before = cpu.getCurrentThreadCpuTime();
        var dump = Threads.dump(many);
        assertEquals(List.of(), dump.circles());
        dump.suspectsCircle();
        double seconds = (cpu.getCurrentThreadCpuTime() - before) / 1e9;
        assertTrue(seconds < 20, "it took " + seconds + " s of CPU time: each thread was compared with all others");
    }
}
