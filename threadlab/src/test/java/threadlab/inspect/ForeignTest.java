package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What nobody here wrote: the Maven that runs these tests, and a server from a public jar, and files that were written without this library: 12 s. */
class ForeignTest {

    @TempDir
    private Path folder;

    @Test
    void the_maven_that_runs_these_tests_is_seen_waiting_for_them() throws Exception {
        var jvms = VirtualMachine.list().stream()
                .map(VirtualMachineDescriptor::id)
                .map(Long::parseLong)
                .toList();
        var maven = Stream.iterate(
                        ProcessHandle.current().parent(),
                        java.util.Optional::isPresent,
                        above -> above.flatMap(ProcessHandle::parent))
                .map(java.util.Optional::orElseThrow)
                .map(ProcessHandle::pid)
                .filter(jvms::contains)
                .findFirst();
        assumeTrue(maven.isPresent(), "these tests do not run in Maven");
        try (var jvm = Jvm.attach(maven.orElseThrow())) {
            assertTrue(jvm.toString().contains("classworlds"), jvm.toString());
            var watched = jvm.watch(Duration.ofMillis(300));
            assertTrue(watched.doubleColumn("platform threads").min() > 5, watched.print());
            // it reads what the forked JVM of the tests says
            var dump = jvm.dump();
            assertTrue(
                    String.join("", dump.table().stringColumn("stack").asList()).contains("surefire"), dump.toString());
        }
    }

    @Test
    void a_dump_of_jcmd_is_read_without_the_jvm() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 5)) {
            var dump = folder.resolve("threads.json");
            jcmd(watched.pid(), "Thread.dump_to_file", "-format=json", dump.toString());
            var read = Jvm.read(dump.toString());
            assertEquals(5 + 1, read.count(WaitReason.LOCK), read.toString());
        }
    }

    @Test
    void a_server_from_a_public_jar_is_seen() throws Exception {
        var jar = Path.of(org.h2.Driver.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        var server = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dh2.bindAddress=127.0.0.1",
                        "-cp",
                        jar.toString(),
                        "org.h2.tools.Server",
                        "-tcp",
                        "-tcpPort",
                        "0",
                        "-ifNotExists",
                        "-baseDir",
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        try (var output = server.inputReader()) {
            var said = output.readLine();
            var port = said.replaceFirst(".*:(\\d+) .*", "$1");
            var list = Jvm.list();
            var row = list.where(list.longColumn("pid").isEqualTo(server.pid()));
            assertEquals("org.h2.tools.Server", row.getString(0, "main"), list.print());
            try (var client = DriverManager.getConnection("jdbc:h2:tcp://127.0.0.1:%s/mem:shop".formatted(port));
                    var jvm = Jvm.attach(server.pid())) {
                assertTrue(client.isValid(1), said);
                assertTrue(jvm.toString().contains("org.h2.tools.Server"), jvm.toString());
                var watched = jvm.watch(Duration.ofMillis(500));
                assertTrue(
                        watched.rowCount() >= 2 && watched.doubleColumn("CPUs").min() >= 0, watched.print());
                assertTrue(
                        watched.columnNames().stream().anyMatch(name -> name.startsWith("threads H2 TCP Server")),
                        watched.print());
                // one that waits for clients, one that waits for this client's next statement
                var dump = jvm.dump();
                assertTrue(dump.count(WaitReason.SOCKET) >= 2, dump.toString());
                assertTrue(
                        String.join("", dump.table().stringColumn("stack").asList())
                                .contains("org.h2.server.TcpServerThread.run("),
                        dump.toString());
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static void jcmd(long pid, String... words) throws Exception {
        var command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                        .toString(),
                                String.valueOf(pid)),
                        Stream.of(words))
                .toList();
        var asked = new ProcessBuilder(command).redirectErrorStream(true).start();
        asked.getInputStream().readAllBytes();
        assertEquals(0, asked.waitFor());
    }

    @Test
    void another_file_is_refused_in_one_sentence() throws Exception {
        for (String text : List.of("", "hello", "{}", "[1]", "{\"threadDump\": {\"threadContainers\": 7}}")) {
            var other = Files.writeString(folder.resolve("other"), text).toString();
            var noDump = assertThrows(IllegalArgumentException.class, () -> Jvm.read(other), text);
            assertTrue(noDump.getMessage().contains("-format=json"), noDump.getMessage());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Jvm.read(folder.resolve("none").toString()));
    }
}
