package whatwaits.look;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static whatwaits.Expect.refused;
import static whatwaits.look.Watched.tool;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
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
        refused("there is no process %d: Jvm.list() shows".formatted(ended.pid()), () -> Jvm.attach(ended.pid()));
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
            refused("is not a JVM", () -> Jvm.attach(other.pid()));
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
    void a_jvm_with_a_network_of_its_own() throws Exception {
        assumeTrue(start("unshare", "--net", "true").waitFor() == 0, "this user may not make a network for a process");
        var inside = jvm("unshare", "--net", tool("java"), source());
        refused("docker exec", () -> Jvm.attach(inside.pid()));
    }

    /** Attaches as another user; it has only the classes that it needs. */
    @Test
    void a_jvm_of_another_user() throws Exception {
        assumeTrue(asNobody("true").waitFor() == 0, "this user may not become another one");
        var own = jvm(tool("java"), source());
        var place = Files.createTempDirectory("whatwaits-nobody-");
        try {
            var classes = Files.createDirectories(place.resolve("whatwaits/look"));
            for (Class<?> each : List.of(Connection.class, LocalProcess.class, Attaches.class)) {
                var file = each.getName().replaceFirst(".*\\.", "") + ".class";
                Files.copy(Path.of(each.getResource(file).toURI()), classes.resolve(file));
            }
            start("chmod", "-R", "a+rX", place.toString()).waitFor();
            var pid = String.valueOf(own.pid());
            var asked = asNobody(tool("java"), "-cp", place.toString(), Attaches.class.getName(), pid);
            var said = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(said.contains("belongs to the user"), said);
            assertTrue(said.contains("Jvm.read(FILE)"), said);
        } finally {
            start("rm", "-r", place.toString()).waitFor();
        }
    }

    /** Prints why it cannot attach. */
    static final class Attaches {
        public static void main(String[] pid) throws Exception {
            try (var attached = Connection.to(Long.parseLong(pid[0]), Set.of())) {
                System.out.println("attached to " + attached);
            } catch (IllegalArgumentException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void an_error_names_what_went_wrong_and_only_silence_is_called_silence() {
        var silent = Connection.problem(new java.rmi.UnmarshalException("reset", new java.io.EOFException()));
        assertTrue(silent.startsWith("does not answer: reset"), silent);
        var full = Connection.problem(new IOException("No space left on device"));
        assertTrue(full.startsWith("cannot write a dump, because the disk is full"), full);
        var hidden = Connection.problem(new java.nio.file.NoSuchFileException("/tmp/whatwaits-dump-1/threads.json"));
        assertTrue(hidden.contains("do not share the file /tmp/whatwaits-dump-1/threads.json"), hidden);
        var small = Connection.problem(
                new javax.management.InstanceNotFoundException("jdk.management.jfr:type=FlightRecorder"));
        assertTrue(small.contains("made without the module that has it"), small);
        var other = Connection.problem(new IOException("a reason of its own"));
        assertTrue(other.startsWith("answers with an error, IOException (a reason of its own)"), other);
    }

    /** Java 17, if this system has one: virtual threads came later. */
    @Test
    void a_java_without_virtual_threads_is_said_not_thrown() throws Exception {
        var old = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
        assumeTrue(Files.isExecutable(old), "no Java 17 here");
        var compiled = start(tool("javac"), "--release", "17", "-d", folder.toString(), source());
        assertEquals(0, compiled.waitFor());
        var running = jvm(old.toString(), "-cp", folder.toString(), "Sleeps");
        try (var jvm = Jvm.attach(running.pid())) {
            assertTrue(jvm.toString().contains("has no virtual threads"), jvm.toString());
            assertEquals(1, jvm.dump().count(WaitReason.SLEEP), jvm.dump().toString());
            assertTrue(!jvm.watch(Duration.ofMillis(300)).isEmpty());
            refused("Java 17 has no virtual threads", () -> jvm.pinned(Duration.ofMillis(300)));
        }
    }
}
