package whatwaits.look;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static whatwaits.Expect.refused;
import static whatwaits.look.Watched.tool;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.rules.WaitReason;

/** A refusal says in one sentence what cannot be inspected and what to do instead. Takes 6 s, mostly starts of JVMs. */
@Tag("deep")
class RefusedTest {

    private static final String SLEEPS =
            "public class Sleeps { public static void main(String[] a) throws Exception { System.out.println(1);"
                    + " Thread.sleep(60_000); } }";

    private final List<Process> started = new ArrayList<>();

    @TempDir
    private Path folder;

    @AfterEach
    void end() {
        started.forEach(Process::destroyForcibly);
    }

    private Process start(String... command) throws IOException {
        var process = new ProcessBuilder(command).redirectErrorStream(true).start();
        started.add(process);
        return process;
    }

    private Process jvm(String... command) throws IOException {
        var process = start(command);
        process.inputReader().readLine();
        return process;
    }

    private String source() throws IOException {
        return Files.writeString(folder.resolve("Sleeps.java"), SLEEPS).toString();
    }

    private Process asNobody(String... command) throws IOException {
        var whole = new ArrayList<>(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"));
        whole.addAll(List.of(command));
        return start(whole.toArray(String[]::new));
    }

    @Test
    void a_process_that_does_not_exist() throws Exception {
        var ended = start("sleep", "0");
        ended.waitFor();
        refused(
                "there is no process %d: whatwaits list, or Jvm.list(), shows".formatted(ended.pid()),
                () -> Jvm.attach(ended.pid()));
    }

    @Test
    void a_process_that_is_no_jvm_lives_on() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/bin/sleep")), "no sleep here");
        var other = start("sleep", "60");
        // what a killed JVM with that process id would have left
        var known = Path.of("/tmp", "hsperfdata_" + System.getProperty("user.name"));
        var left = known.resolve(String.valueOf(other.pid()));
        Files.copy(known.resolve(String.valueOf(ProcessHandle.current().pid())), left, REPLACE_EXISTING);
        try {
            refused("is not a JVM, or it is a native image", () -> Jvm.attach(other.pid()));
        } finally {
            Files.delete(left);
        }
        assertTrue(other.isAlive());
    }

    @Test
    void a_jvm_that_lets_nobody_attach() throws Exception {
        var closed = jvm(tool("java"), "-XX:+DisableAttachMechanism", source());
        refused("-XX:+DisableAttachMechanism", () -> Jvm.attach(closed.pid()));
    }

    @Test
    void a_jvm_with_a_network_of_its_own_is_seen() throws Exception {
        assumeTrue(start("unshare", "--net", "true").waitFor() == 0, "this user may not make a network for a process");
        var inside = jvm("unshare", "--net", tool("java"), source());
        try (var jvm = Jvm.attach(inside.pid())) {
            assertEquals(1, jvm.dump().count(WaitReason.SLEEP));
        }
    }

    /** Attaches as another user; it has only the classes that it needs. */
    @Test
    void a_jvm_of_another_user() throws Exception {
        assumeTrue(asNobody("true").waitFor() == 0, "this user may not become another one");
        var said = attached(jvm(tool("java"), source()));
        assertTrue(said.contains("belongs to the user"), said);
        assertTrue(said.contains("put sudo -u"), said);
    }

    /** A service that may open a port below 1024: its user may ask it, but not read what the system shows of it. */
    @Test
    void a_jvm_with_more_rights_than_its_user_is_seen_by_that_user() throws Exception {
        var more = List.of("--inh-caps=+net_bind_service", "--ambient-caps=+net_bind_service");
        assumeTrue(asNobody(with(more, "true")).waitFor() == 0, "this user may not give rights");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        var service = asNobody(with(more, tool("java"), source()));
        service.inputReader().readLine();
        var said = attached(service);
        assertTrue(said.startsWith("attached to Process %d, ".formatted(service.pid())), said);
        assertTrue(said.contains("sleeps"), said);
    }

    private static String[] with(List<String> first, String... more) {
        return Stream.concat(first.stream(), Stream.of(more)).toArray(String[]::new);
    }

    /** What somebody else is told who attaches; of the library, that user has a copy. */
    private String attached(Process to) throws Exception {
        var place = Files.createTempDirectory("whatwaits-nobody-");
        try {
            var parts = List.of(Jvm.class, Attaches.class, com.google.gson.Gson.class);
            for (int i = 0; i < parts.size(); i++) {
                var from = Path.of(parts.get(i)
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI());
                var part = place.resolve(i + (Files.isDirectory(from) ? "" : ".jar"));
                assertEquals(
                        0, start("cp", "-r", from.toString(), part.toString()).waitFor());
            }
            start("chmod", "-R", "a+rX", place.toString()).waitFor();
            var path = Stream.of("0", "1", "2.jar").map(part -> place + "/" + part);
            var asked = asNobody(
                    tool("java"),
                    "-cp",
                    path.collect(Collectors.joining(File.pathSeparator)),
                    Attaches.class.getName(),
                    String.valueOf(to.pid()));
            return new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            start("rm", "-r", place.toString()).waitFor();
        }
    }

    /** Prints what it sees, or why it cannot attach. */
    static final class Attaches {
        public static void main(String[] pid) throws Exception {
            try (var jvm = Jvm.attach(Long.parseLong(pid[0]))) {
                System.out.println("attached to " + jvm + jvm.dump());
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    /** Java 17, if this system has one: virtual threads came later. */
    @Test
    void a_java_without_virtual_threads() throws Exception {
        var old = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
        assumeTrue(Files.isExecutable(old), "no Java 17 here");
        var compiled = start(tool("javac"), "--release", "17", "-d", folder.toString(), source());
        assertEquals(0, compiled.waitFor());
        var running = jvm(old.toString(), "-cp", folder.toString(), "Sleeps");
        refused("runs on Java 17, which has no virtual threads", () -> Jvm.attach(running.pid()));
    }
}
