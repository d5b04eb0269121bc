package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import threadlab.child.ChildJvm;

/** What another JDK may change. Takes 4 s. */
@Tag("deep")
class JdkInternalsTest {

    @TempDir
    private Path folder;

    static List<Integer> javas() {
        return ChildJvm.javas().stream().filter(java -> java >= Scheduler.SINCE).toList();
    }

    @ParameterizedTest
    @MethodSource("javas")
    void the_socket_of_attaching_tells_of_the_scheduler_what_its_bean_does(int java) throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc/self/root")), "this system does not show the socket");
        try (var watched = Watched.on(java, folder, 5);
                var connection = Connection.to(watched.pid())) {
            var told = connection.internals().scheduler();
            assertNotNull(told, "Java " + java + " answers Thread.vthread_scheduler otherwise, or not at this socket");
            // all threads of the program wait
            assertArrayEquals(Scheduler.fromBean(connection), told, "mounted, queued, parallelism, pool size");
        }
    }

    /** Without the tool interface, JDK-8364343 ends one of several JVMs that are dumped this often. */
    @Test
    void flight_recorder_is_made_ready_before_the_first_dump() throws Exception {
        assumeTrue(Runtime.version().feature() == JdkInternals.DUMPS_WHAT_MOVES, "only this Java needs it");
        try (var watched = Watched.on(JdkInternals.DUMPS_WHAT_MOVES, folder, 5);
                var connection = Connection.to(watched.pid())) {
            Dumps.take(connection);
            var asked = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            String.valueOf(watched.pid()),
                            "VM.flags",
                            "-all")
                    .redirectErrorStream(true)
                    .start();
            var flags = new String(asked.getInputStream().readAllBytes());
            assertTrue(asked.waitFor(10, TimeUnit.SECONDS));
            assertTrue(flags.matches("(?s).*bool FlightRecorder +[:]?= true.*"), flags);
        }
    }
}
