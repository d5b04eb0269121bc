package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.tools.attach.VirtualMachine;
import com.sun.tools.attach.VirtualMachineDescriptor;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import threadlab.Eventually;

/**
 * Programs that know nothing about this library: the Maven that runs these tests, a server from a public jar, a sample
 * in Spring's package. Takes 12 s.
 */
@Tag("deep")
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
            // it reads the output of the tests' forked JVM
            var dump = jvm.dump();
            assertTrue(
                    String.join("", dump.table().stringColumn("stack").asList()).contains("surefire"), dump.toString());
        }
    }

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

    /** As in Spring's sample: by name alone, every frame of the program would count as a library's. */
    @Test
    void a_program_whose_package_begins_as_spring_s_shows_its_own_line() throws Exception {
        var library = source("org/springframework/util/Waits.java", """
                package org.springframework.util;
                public class Waits {
                    public static void briefly() throws Exception { Thread.sleep(60_000); }
                }
                """);
        var program = source("org/springframework/samples/petclinic/Clinic.java", """
                package org.springframework.samples.petclinic;
                public class Clinic {
                    static void visit() throws Exception { org.springframework.util.Waits.briefly(); }
                    public static void main(String[] args) throws Exception {
                        System.out.println("open");
                        visit();
                    }
                }
                """);
        run("javac", "-d", folder.resolve("library").toString(), library);
        run(
                "javac",
                "-d",
                folder.resolve("program").toString(),
                "-cp",
                folder.resolve("library").toString(),
                program);
        var jar = folder.resolve("library.jar");
        run(
                "jar",
                "--create",
                "--file",
                jar.toString(),
                "-C",
                folder.resolve("library").toString(),
                ".");
        var clinic = new ProcessBuilder(
                        tool("java"),
                        "-cp",
                        folder.resolve("program") + File.pathSeparator + jar,
                        "org.springframework.samples.petclinic.Clinic")
                .redirectErrorStream(true)
                .start();
        try (var output = clinic.inputReader()) {
            assertEquals("open", output.readLine());
            try (var jvm = Jvm.attach(clinic.pid())) {
                Eventually.await("a sleeping thread", () -> jvm.dump().count(WaitReason.SLEEP) > 0);
                var dump = jvm.dump();
                var where = dump.table().stringColumn("where").asList();
                assertTrue(
                        where.stream()
                                .anyMatch(
                                        line -> line.startsWith("org.springframework.samples.petclinic.Clinic.visit(")),
                        dump.toString());
            }
        } finally {
            clinic.destroyForcibly().waitFor();
        }
    }

    private String source(String name, String text) throws Exception {
        var file = folder.resolve("source").resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text).toString();
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
            var noDump = assertThrows(IllegalArgumentException.class, () -> Jvm.read(other), text);
            assertTrue(noDump.getMessage().contains("-format=json"), noDump.getMessage());
        }
        assertThrows(
                IllegalArgumentException.class,
                () -> Jvm.read(folder.resolve("none").toString()));
    }
}
