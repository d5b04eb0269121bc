package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.Expect.refused;
import static whatwaits.look.Watched.tool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.rules.Group;
import whatwaits.rules.WaitReason;

/** Programs that know nothing about this library: a server from a public jar, a dump of jcmd. */
@Tag("deep")
class ForeignTest {

    @TempDir
    private Path folder;

    @Test
    void a_dump_of_jcmd_is_read_without_the_jvm() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 5)) {
            var dump = folder.resolve("threads.json");
            var asks = "%s %d Thread.dump_to_file -format=json %s".formatted(tool("jcmd"), watched.pid(), dump);
            assertEquals(
                    0, new ProcessBuilder(asks.split(" ")).inheritIO().start().waitFor());
            var read = Jvm.read(dump.toString());
            assertEquals(5 + 1, read.count(WaitReason.LOCK), read.toString());
        }
    }

    @Test
    void a_server_from_a_public_jar_is_seen() throws Exception {
        var driver = org.h2.Driver.class.getProtectionDomain().getCodeSource();
        var jar = Path.of(driver.getLocation().toURI()).toString();
        var starts = "org.h2.tools.Server -tcp -tcpPort 0 -ifNotExists -baseDir " + folder;
        var command = new ArrayList<>(List.of(tool("java"), "-Dh2.bindAddress=127.0.0.1", "-cp", jar));
        command.addAll(List.of(starts.split(" ")));
        var server = new ProcessBuilder(command).redirectErrorStream(true).start();
        try (var output = server.inputReader()) {
            var said = output.readLine();
            var port = said.replaceFirst(".*:(\\d+) .*", "$1");
            var listed =
                    Jvm.list().stream().filter(jvm -> jvm.pid() == server.pid()).map(LocalJvm::main);
            assertEquals(List.of("org.h2.tools.Server"), listed.toList());
            try (var client = DriverManager.getConnection("jdbc:h2:tcp://127.0.0.1:%s/mem:shop".formatted(port));
                    var jvm = Jvm.attach(server.pid())) {
                assertTrue(client.isValid(1), said);
                assertTrue(jvm.toString().contains("org.h2.tools.Server"), jvm.toString());
                var pools = jvm.watch(Duration.ofMillis(500)).getLast().pools().keySet();
                assertTrue(pools.toString().contains("H2 TCP Server"), pools.toString());
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

    @Test
    void another_file_is_refused_in_one_sentence() throws Exception {
        for (String text : List.of("", "hello", "{}", "[1]", "{\"threadDump\": {\"threadContainers\": 7}}")) {
            var other = Files.writeString(folder.resolve("other"), text).toString();
            refused("-format=json", () -> Jvm.read(other));
        }
        refused("there is no file", () -> Jvm.read(folder.resolve("none").toString()));
    }
}
