package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import jdk.management.jfr.FlightRecorderMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.Expect;
import whatwaits.rules.Pool;

/** What is left in an inspected JVM. Takes 8 s. */
@Tag("deep")
class LeftTest {

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
            try (var connection = Connection.to(watched.pid(), Set.of())) {
                var recorder = connection.bean("jdk.management.jfr:type=FlightRecorder", FlightRecorderMXBean.class);
                assertEquals(List.of(), recorder.getRecordings());
            }
        }
    }

    /**
     * The JDK binds the listener of its local agent to all interfaces; if this fails, the documentation of {@link Jvm}
     * is wrong.
     */
    @Test
    void attaching_leaves_one_listener() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/net/tcp6")), "this system does not show its sockets so");
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            long before = listeners(watched.pid());
            for (int i = 0; i < 3; i++) {
                Jvm.attach(watched.pid()).close();
                assertEquals(before + 1, listeners(watched.pid()));
            }
        }
    }

    /** The number of a process's sockets that listen on all interfaces. */
    private static long listeners(long pid) throws Exception {
        var own = Set.copyOf(files(pid));
        try (var sockets = Files.lines(Path.of("/proc", String.valueOf(pid), "net", "tcp6"))) {
            return sockets.map(line -> line.strip().split("\\s+"))
                    .filter(socket -> socket[1].startsWith("0".repeat(32)) && socket[3].equals("0A"))
                    .filter(socket -> own.contains("socket:[" + socket[9] + "]"))
                    .count();
        }
    }

    /** Kinds of threads, because the workers of RMI come and go with the connections. */
    private static Set<String> threads(long pid) throws Exception {
        try (var connection = Connection.to(pid, Set.of())) {
            var bean = connection.bean(ManagementFactory.THREAD_MXBEAN_NAME, java.lang.management.ThreadMXBean.class);
            var names = new TreeSet<String>();
            for (var info : bean.getThreadInfo(bean.getAllThreadIds())) {
                if (info != null && !Pool.watches(info.getThreadName())) {
                    names.add(Pool.of(info.getThreadName()));
                }
            }
            return names;
        }
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
