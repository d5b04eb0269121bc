package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.Expect.refused;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.rules.Group;
import whatwaits.rules.WaitReason;

/**
 * Programs that know nothing about this library: a server from a public jar, a dump of jcmd.
 */
@Tag("deep")
class ForeignTest {

    @TempDir
    private Path folder;

    @Test
    void a_dump_of_jcmd_is_read_without_the_jvm() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 5)) {
            var dump = folder.resolve("threads.json");
            run("jcmd", String.valueOf(watched.pid()), "Thread.dump_to_file", "-format=json", dump.toString());
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
                        tool("java"),
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
            assertTrue(
                    list.stream()
                            .anyMatch(jvm ->
                                    jvm.pid() == server.pid() && jvm.main().equals("org.h2.tools.Server")),
                    list.toString());
            try (var client = DriverManager.getConnection("jdbc:h2:tcp://127.0.0.1:%s/mem:shop".formatted(port));
                    var jvm = Jvm.attach(server.pid())) {
                assertTrue(client.isValid(1), said);
                assertTrue(jvm.toString().contains("org.h2.tools.Server"), jvm.toString());
                var watched = jvm.watch(Duration.ofMillis(500));
                assertTrue(
                        watched.getLast().pools().keySet().stream().anyMatch(pool -> pool.startsWith("H2 TCP Server")),
                        watched.toString());
                // one that waits for clients, one that waits for this client's next statement
                var dump = jvm.dump();
                assertTrue(dump.count(WaitReason.SOCKET) >= 2, dump.toString());
                // by name alone, all of H2 would be a library; here the main class and its package are the program
                var where = dump.groups().stream().map(Group::where).collect(Collectors.joining(" "));
                assertTrue(where.contains("org.h2.tools.Server.run("), dump.toString());
            }
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    private static String tool(String name) {
        return Path.of(System.getProperty("java.home"), "bin", name).toString();
    }

    private static void run(String tool, String... words) throws Exception {
        var command = Stream.concat(Stream.of(tool(tool)), Stream.of(words)).toList();
        var asked = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, asked.waitFor(), said);
    }

    @Test
    void another_file_is_refused_in_one_sentence() throws Exception {
        for (String text : List.of("", "hello", "{}", "[1]", "{\"threadDump\": {\"threadContainers\": 7}}")) {
            var other = Files.writeString(folder.resolve("other"), text).toString();
            refused("-format=json", () -> Jvm.read(other));
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Jvm.read(folder.resolve("none").toString()));
    }
}
