package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static whatwaits.Expect.refused;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import jdk.management.jfr.FlightRecorderMXBean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import whatwaits.Expect;
import whatwaits.rules.Pool;

/** What is left in an inspected JVM. Takes 8 s. */
@Tag("deep")
class LeftTest {

    /** 127.0.0.1 in a socket of both versions of the protocol, as the system writes it. */
    private static final String LOOPBACK = "0000000000000000FFFF00000100007F:";

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

    /** Of the two that attach, the second closes last. */
    @ParameterizedTest
    @MethodSource("whatwaits.look.Watched#javas")
    void only_the_loopback_interface_is_listened_to_and_not_after_the_last_close(int java) throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/net/tcp6")), "this system does not show its sockets so");
        try (var watched = Watched.on(java, folder, 1)) {
            var before = listeners(watched.pid());
            for (int i = 0; i < 3; i++) {
                var one = Jvm.attach(watched.pid());
                try (var other = Jvm.attach(watched.pid())) {
                    one.close();
                    var during = listeners(watched.pid());
                    during.removeAll(before);
                    assertEquals(1, during.size(), during.toString());
                    assertTrue(during.getFirst().startsWith(LOOPBACK), during.toString());
                    isRefusedWithoutPassword(Integer.parseInt(during.getFirst().substring(LOOPBACK.length()), 16));
                    assertFalse(other.watch(Duration.ofMillis(100)).isEmpty());
                }
                Expect.await("the port to close", () -> listeners(watched.pid()).equals(before));
            }
        }
    }

    private static void isRefusedWithoutPassword(int port) throws Exception {
        var url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:%d/jmxrmi".formatted(port));
        assertThrows(SecurityException.class, () -> JMXConnectorFactory.connect(url));
    }

    @Test
    void an_agent_of_the_program_stays_as_it_is() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/net/tcp6")), "this system does not show its sockets so");
        var java = List.of(Watched.tool("java"), "-Dcom.sun.management.jmxremote");
        try (var watched = Watched.by(java, folder, 1)) {
            var before = listeners(watched.pid());
            try (var jvm = Jvm.attach(watched.pid())) {
                assertEquals(before, listeners(watched.pid()));
                assertTrue(jvm.toString().contains("management agent of its own"), jvm.toString());
            }
            assertEquals(before, listeners(watched.pid()));
        }
    }

    @Test
    void who_comes_second_is_told_what_to_do() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            var target = Target.of(watched.pid());
            var start = "ManagementAgent.start jmxremote.port=%d jmxremote.host=127.0.0.1 jmxremote.authenticate=false"
                    + " jmxremote.ssl=false";
            int port;
            try (var free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                port = free.getLocalPort();
            }
            Attachment.to(target).command(Duration.ofSeconds(30), start.formatted(port));
            refused("ManagementAgent.stop", () -> Jvm.attach(watched.pid()));
            Attachment.to(target).command(Duration.ofSeconds(30), "ManagementAgent.stop");
            Jvm.attach(watched.pid()).close();
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
