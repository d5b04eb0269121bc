package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import whatwaits.Expect;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Owner;
import whatwaits.rules.Pool;
import whatwaits.rules.TextDump;
import whatwaits.rules.ThreadState;
import whatwaits.rules.WaitReason;

/** What is left in an inspected JVM. Takes 8 s. */
@Tag("deep")
class LeftTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void twenty_attaches_leave_nothing() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            Set<String> before = Set.of();
            List<String> files = List.of();
            for (int i = 0; i < 20; i++) {
                try (var jvm = Jvm.attach(watched.pid())) {
                    if (i % 5 == 1) {
                        jvm.watch(Duration.ofMillis(200));
                        jvm.pinned(Duration.ofMillis(200));
                        jvm.dump();
                    }
                }
                if (i == 4) {
                    before = threads(watched.pid());
                    files = files(watched.pid());
                }
            }
            var after = threads(watched.pid());
            after.removeAll(before); // fewer are not a fault: idle carriers end after 30 s
            assertEquals(Set.of(), after);
            int most = files.size() + 1;
            // connections close by themselves
            Expect.await(
                    "no more files than " + most, () -> files(watched.pid()).size() <= most);
            var more = files(watched.pid()).toString();
            assertFalse(more.contains(".jfr"), more);
            var recordings = Attachment.to(Target.of(watched.pid())).send(SOON, "JFR.check");
            assertTrue(recordings.startsWith("No available recordings"), recordings);
        }
    }

    @ParameterizedTest
    @MethodSource("whatwaits.look.Watched#javas")
    void no_port_is_opened(int java) throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/net/tcp6")), "this system does not show its sockets so");
        try (var watched = Watched.on(java, folder, 1)) {
            var before = listeners(watched.pid());
            try (var jvm = Jvm.attach(watched.pid())) {
                jvm.dump();
                jvm.observe(Duration.ofMillis(300));
                assertEquals(before, listeners(watched.pid()));
            }
        }
    }

    @Test
    void two_who_look_at_the_same_time_do_not_disturb_each_other() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40);
                var one = Jvm.attach(watched.pid());
                var other = Jvm.attach(watched.pid())) {
            var beside = new FutureTask<>(() -> one.observe(Duration.ofSeconds(1)));
            Thread.ofPlatform().daemon().start(beside);
            for (var seen : List.of(other.observe(Duration.ofSeconds(1)), beside.get())) {
                assertEquals(41, seen.dump().count(WaitReason.LOCK), seen.dump().toString());
                assertFalse(Double.isNaN(seen.outside().collecting()), "a recording");
            }
        }
    }

    /** The addresses at which a process listens, as the system writes them. */
    private static List<String> listeners(long pid) throws Exception {
        var own = Set.copyOf(files(pid));
        var found = new ArrayList<String>();
        for (String table : List.of("tcp", "tcp6")) {
            try (var sockets = Files.lines(Path.of("/proc", String.valueOf(pid), "net", table))) {
                sockets.map(line -> line.strip().split("\\s+"))
                        .filter(socket -> socket[3].equals("0A") && own.contains("socket:[" + socket[9] + "]"))
                        .forEach(socket -> found.add(socket[1]));
            }
        }
        return found;
    }

    /** Kinds of threads. */
    private static Set<String> threads(long pid) throws Exception {
        var text = Attachment.to(Target.of(pid)).send(SOON, "Thread.print");
        return TextDump.read(new StringReader(text), new DumpReader(Owner::byName)).threads().stream()
                .map(ThreadState::name)
                .filter(name -> !Pool.watches(name))
                .map(Pool::of)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Open files and connections. */
    private static List<String> files(long pid) throws Exception {
        var folder = Path.of("/proc", String.valueOf(pid), "fd");
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> open = Files.list(folder)) {
            return open.map(LeftTest::target).sorted().toList();
        }
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (java.io.IOException e) {
            return "closed";
        }
    }
}
