package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.Expect;
import whatwaits.look.Watched;

/** Processes that other tools cannot look at, and those that this one refuses in time. Takes 30 s. */
@Tag("deep")
class AnyProcessTest {

    private static final String MET = "The limit that is met: the lock ReentrantLock";
    private static final double AT_ONCE = 3;

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

    private static Told names(Watched watched, String... more) {
        return names(watched.pid(), more);
    }

    private static Told names(long pid, String... more) {
        var arguments = new ArrayList<>(List.of("look", String.valueOf(pid), "--dumps", "--seconds=1"));
        arguments.addAll(List.of(more));
        var told = Told.by(arguments.toArray(String[]::new));
        assertTrue(told.says("VERDICT\n", MET, "Service.wantLock("), told.toString());
        return told;
    }

    private static void refuses(long pid, String part) {
        var told = Told.by("look", String.valueOf(pid));
        assertEquals(2, told.code(), told.toString());
        assertEquals("", told.out());
        assertEquals(1, told.errors().lines().count(), told.errors());
        assertTrue(told.errors().contains(part), told.errors());
        assertTrue(told.seconds() < AT_ONCE, told.toString());
    }

    /** A folder that every user can read. */
    private Path open() throws IOException {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        return folder;
    }

    @Test
    void another_user_s_seen_by_root() throws Exception {
        var nobody = List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        assumeTrue(can(nobody), "this user may not become another one");
        try (var watched = Watched.by(with(nobody, Watched.tool("java")), open(), 40)) {
            names(watched);
        }
    }

    private static List<String> with(List<String> first, String... more) {
        return Stream.concat(first.stream(), Stream.of(more)).toList();
    }

    private boolean can(List<String> prefix) throws IOException, InterruptedException {
        try {
            return start(with(prefix, "true").toArray(String[]::new)).waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** As systemd gives it to a service, and a container to its processes. */
    @Test
    void one_with_a_tmp_and_process_numbers_of_its_own() throws Exception {
        assumeTrue(can(List.of("unshare", "--mount", "--pid", "--fork")), "this user may not make namespaces");
        var classes = Files.createTempDirectory(Path.of("/dev/shm"), "watched-");
        var mounts = "mount -t tmpfs none /tmp && mount -t proc none /proc && exec \"$@\"";
        var inside = List.of("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", mounts, "sh");
        try (var watched = Watched.by(with(inside, Watched.tool("java")), classes, 40)) {
            var java = ProcessHandle.of(watched.pid()).orElseThrow().children().findFirst();
            names(java.orElseThrow().pid());
        } finally {
            try (var all = Files.list(classes)) {
                for (Path file : all.toList()) {
                    Files.delete(file);
                }
            }
            Files.delete(classes);
        }
    }

    @Test
    void one_without_files_of_counters_is_listed_and_seen() throws Exception {
        try (var watched = Watched.by(List.of(Watched.tool("java"), "-XX:-UsePerfData"), folder, 40)) {
            var listed = Told.by("list");
            assertTrue(
                    listed.out().matches("(?s).*\\b%d .* Service(, in .*)?\\n.*".formatted(watched.pid())),
                    listed.out());
            names(watched);
        }
    }

    /** With no module but java.base; then its files go. */
    @Test
    void a_small_runtime_without_flight_recorder_even_if_it_is_deleted_while_it_runs() throws Exception {
        var small = folder.resolve("small");
        var link = start(Watched.tool("jlink"), "--add-modules", "java.base", "--output", small.toString());
        var said = new String(link.getInputStream().readAllBytes());
        assertEquals(0, link.waitFor(), said);
        try (var watched = Watched.by(List.of(small.resolve("bin/java").toString()), folder, 40)) {
            var told = names(watched);
            assertTrue(told.says("NOT SEEN\n  pins, files and pauses: it has no Flight Recorder"), told.out());
            boolean risky = Runtime.version().feature() == 25;
            assertEquals(
                    risky, told.says("WHAT LOOKING COST", "the dump was taken without Flight Recorder"), told.out());
            assertEquals(0, start("rm", "-r", small.toString()).waitFor());
            names(watched);
        }
    }

    @Test
    void a_stopped_one_is_left_alone() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            var status = Path.of("/proc/%d/status".formatted(watched.pid()));
            assumeTrue(Files.exists(status), "no such files here");
            assertEquals(0, start("sh", "-c", "kill -STOP " + watched.pid()).waitFor());
            Expect.await("it to stop", () -> Files.readString(status).contains("State:\tT"));
            refuses(watched.pid(), "is stopped (state T): resume it, such as with kill -CONT");
            assertTrue(Files.readString(status).contains("ShdPnd:\t0000000000000000"), "a signal waits for it");
        }
    }

    /** As in a container whose first process is no init. */
    @Test
    void one_that_nobody_waits_for_has_ended() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/status")), "no such files here");
        var command = List.of("sh", "-c", "\"$@\" & exec sleep 60", "sh", Watched.tool("java"));
        try (var parent = Watched.by(command, folder, 1)) {
            var java = ProcessHandle.of(parent.pid())
                    .orElseThrow()
                    .children()
                    .findFirst()
                    .orElseThrow();
            var watching = new FutureTask<>(() -> Told.by("watch", String.valueOf(java.pid())));
            Thread.ofPlatform().daemon().start(watching);
            Expect.await("it to be attached to", () -> Files.exists(Path.of("/tmp/.java_pid" + java.pid())));
            java.destroyForcibly();
            var told = watching.get();
            assertEquals(2, told.code(), told.toString());
            assertTrue(told.errors().contains(" has ended: whatwaits list"), told.errors());
            refuses(java.pid(), "has ended, and only its parent has not noticed: whatwaits list");
        }
    }

    @Test
    void one_in_a_paused_container_is_left_alone() throws Exception {
        var groups = Path.of("/sys/fs/cgroup/freezer");
        assumeTrue(Files.isWritable(groups), "this user may not pause others, or not in this way");
        var watched = Watched.on(Runtime.version().feature(), folder, 1);
        var paused = Files.createDirectory(groups.resolve("watched-" + watched.pid()));
        try {
            Files.writeString(paused.resolve("cgroup.procs"), String.valueOf(watched.pid()));
            Files.writeString(paused.resolve("freezer.state"), "FROZEN");
            refuses(watched.pid(), "is stopped");
        } finally {
            Files.writeString(paused.resolve("freezer.state"), "THAWED");
            watched.close();
            Expect.await("the group to be empty", () -> paused.toFile().delete());
        }
    }

    @Test
    void one_that_lets_nobody_attach_is_sent_no_signal() throws Exception {
        var java = List.of(Watched.tool("java"), "-XX:+DisableAttachMechanism");
        try (var watched = Watched.by(java, folder, 1)) {
            refuses(watched.pid(), "lets nobody attach");
        }
    }

    @Test
    void what_is_no_jvm_lives_on() throws Exception {
        var other = start("sleep", "60");
        refuses(other.pid(), "is not a JVM, or it is a native image");
        assertTrue(other.isAlive());
        other.destroyForcibly().waitFor();
        refuses(other.pid(), "there is no process");
    }

    @Test
    void an_older_java_is_referred_to_its_own_tool() throws Exception {
        var old = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
        assumeTrue(Files.isExecutable(old), "no Java 17 here");
        var waits = Files.writeString(
                folder.resolve("Waits.java"),
                "public class Waits { public static void main(String[] a) throws Exception {"
                        + " System.out.println(1); Thread.sleep(60_000); } }");
        var compiled = start(Watched.tool("javac"), "--release", "17", waits.toString());
        assertEquals(0, compiled.waitFor());
        var process = start(old.toString(), "-cp", folder.toString(), "Waits");
        process.inputReader().readLine();
        refuses(process.pid(), "runs on Java 17, which has no virtual threads");
    }

    @Test
    void an_older_java_that_runs_the_command_is_told_which_it_needs() throws Exception {
        var old = Path.of("/usr/lib/jvm/java-17-openjdk-amd64/bin/java");
        assumeTrue(Files.isExecutable(old), "no Java 17 here");
        var classes = Path.of(
                Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        var process = start(old.toString(), "-cp", classes.toString(), Main.class.getName(), "list");
        var said = new String(process.getInputStream().readAllBytes());
        assertEquals(
                "whatwaits needs Java 21 or newer, and this is Java 17: start it with the java of a newer JDK, by its path\n",
                said);
        assertEquals(2, process.waitFor());
        // its class file is one of Java 8
        var file = Files.readAllBytes(classes.resolve("whatwaits/command/Main.class"));
        assertEquals(52, file[7]);
    }

    @Test
    void a_name_of_none_or_of_several_is_refused() {
        var told = Told.by("look", "no.such.Program");
        assertEquals(2, told.code());
        assertTrue(told.errors().startsWith("no running JVM has no.such.Program"), told.errors());
        assertFalse(told.errors().contains("\tat "), told.errors());
    }
}
