package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import whatwaits.Expect;
import whatwaits.look.Watched;

/** One command names the limit of a running program. Takes 12 s, most of it looking. */
@Tag("deep")
class LookTest {

    private static final String LINE = "at Service.wantLock(Service.java:";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("whatwaits.look.Watched#javas")
    void the_screen_begins_with_the_lock_its_line_and_its_cell(int java) throws Exception {
        try (var watched = Watched.on(java, folder, 40)) {
            var told = look(watched, "--dumps");
            assertEquals(1, told.code(), told::toString);
            assertTrue(
                    told.out().startsWith("process %d, Service, Java %d".formatted(watched.pid(), java)), told.out());
            assertTrue(
                    told.says(
                            "\nVERDICT\n  The limit that is met: the lock ReentrantLock",
                            "40 virtual wait for a lock",
                            LINE,
                            "Do: ",
                            "\nLIMITS\n",
                            "\nVIRTUAL THREADS\n  ",
                            "\nCARRIERS\n  "),
                    told.out());
            assertEquals("", told.errors());
            leavesNothing(watched);
        }
    }

    /** As Ctrl-C ends it, at moments from its start to its end. */
    @Test
    void a_command_that_is_ended_leaves_nothing() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            for (int tenths = 6; tenths <= 22; tenths += 4) {
                var command = new ProcessBuilder(
                                Watched.tool("java"),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Whatwaits.class.getName(),
                                "look",
                                String.valueOf(watched.pid()),
                                "--dumps",
                                "--seconds=2")
                        .redirectErrorStream(true)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .start();
                Thread.sleep(100L * tenths);
                command.destroy();
                command.waitFor();
                leavesNothing(watched);
            }
        }
    }

    @Test
    void watching_stops_no_thread() throws Exception {
        var log = folder.resolve("safepoints.txt");
        var java = List.of(Watched.tool("java"), "-Xlog:safepoint:file=" + log);
        try (var watched = Watched.by(java, folder, 1)) {
            var told = Told.by("watch", String.valueOf(watched.pid()), "--seconds=2");
            assertEquals(0, told.code(), told.toString());
            assertEquals(
                    2, told.out().lines().filter(line -> line.contains("CPUs ")).count(), told.out());
            assertFalse(Files.readString(log).contains("PrintThreads"), Files.readString(log));
            // a print would be seen there
            look(watched);
            assertTrue(Files.readString(log).contains("PrintThreads"), Files.readString(log));
        }
    }

    /** Only a walk through the heap tells. */
    @Test
    void the_owner_of_a_lock_of_java_util_concurrent_is_named_if_it_is_a_platform_thread() throws Exception {
        var source = Files.writeString(folder.resolve("Ledger.java"), """
                import java.util.concurrent.locks.*;

                class Ledger {
                    static final Lock books = new ReentrantReadWriteLock().writeLock();

                    static void book() { books.lock(); books.unlock(); }

                    public static void main(String[] a) throws Exception {
                        books.lock();
                        for (int i = 0; i < 6; i++) Thread.ofPlatform().daemon().start(Ledger::book);
                        for (int i = 0; i < 9; i++) Thread.ofVirtual().start(Ledger::book);
                        Thread.currentThread().setName("accountant");
                        Thread.sleep(60_000);
                    }
                }
                """);
        var keeps = new ProcessBuilder(Watched.tool("java"), source.toString()).start();
        try {
            Expect.await("its threads", () -> Told.by("look", "" + keeps.pid(), "--seconds=1")
                    .says("6 platform wait for a lock"));
            for (var more : List.of("--dumps", "--no-dumps")) {
                var told = Told.by("look", "" + keeps.pid(), "--seconds=1", more);
                assertTrue(
                        told.says(
                                "the lock ReentrantReadWriteLock", "It is held by accountant, which sleeps, at Ledger"),
                        told.toString());
                assertTrue(
                        more.equals("--no-dumps") || told.says("9 virtual wait", "held by accountant"),
                        told.toString());
            }
        } finally {
            keeps.destroyForcibly();
        }
    }

    @Test
    void watching_by_name_goes_on_after_a_restart() throws Exception {
        var name = "Again" + ProcessHandle.current().pid();
        var source = Files.writeString(
                folder.resolve(name + ".java"),
                "class %s { public static void main(String[] a) throws Exception { Thread.sleep(60_000); } }"
                        .formatted(name));
        ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(), source.toString());
        var java = new ProcessBuilder(Watched.tool("java"), "-cp", folder.toString(), name);
        var one = java.start();
        Expect.await("it to be listed", () -> Told.by("list").says(name));
        var out = new StringWriter();
        var watching = Thread.ofPlatform().daemon().start(() -> {
            var told = new PrintWriter(out, true);
            Whatwaits.run(told, told, "watch", name);
        });
        Expect.await("figures", () -> out.toString().contains("CPUs "));
        one.destroyForcibly();
        Expect.await("the end", () -> out.toString().contains(" has ended: "));
        var other = java.start();
        try {
            Expect.await("new figures", () -> out.toString().matches("(?s).* has ended: .*CPUs .*"));
        } finally {
            other.destroyForcibly();
            watching.interrupt();
            watching.join();
        }
    }

    /** Another program of its user opens the pipe of the dump, and keeps it open. */
    @Test
    void who_holds_the_pipe_open_does_not_hold_the_dump_up() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/status")), "no pipe on this system");
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40)) {
            var holds = new FutureTask<>(() -> {
                while (true) {
                    try (var all = Files.newDirectoryStream(Path.of("/tmp"), "whatwaits-" + watched.pid() + "-*")) {
                        for (Path each : all) {
                            return Files.newByteChannel(each.resolve("pipe"), StandardOpenOption.WRITE);
                        }
                    } catch (NoSuchFileException e) {
                        // not yet
                    }
                }
            });
            Thread.ofPlatform().daemon().start(holds);
            var told = assertTimeoutPreemptively(Duration.ofMinutes(1), () -> look(watched, "--dumps"));
            assertTrue(told.says("40 virtual wait for a lock", LINE), told.toString());
            assertTrue(holds.get().isOpen());
            holds.get().close();
        }
    }

    private static Told look(Watched watched, String... more) {
        var arguments = new ArrayList<>(List.of("look", String.valueOf(watched.pid()), "--seconds=1"));
        arguments.addAll(List.of(more));
        return Told.by(arguments.toArray(String[]::new));
    }

    private static String jcmd(Watched watched, String question) throws IOException, InterruptedException {
        for (boolean again = false; ; again = true) {
            var asked = new ProcessBuilder(Watched.tool("jcmd"), String.valueOf(watched.pid()), question)
                    .redirectErrorStream(true)
                    .start();
            var answer = new String(asked.getInputStream().readAllBytes());
            if (again || !answer.contains("Connection reset by peer")) {
                assertEquals(0, asked.waitFor(), answer);
                return answer;
            }
            // the JVM was just dropping the connection of the ended command, and this one with it
        }
    }

    private static void leavesNothing(Watched watched) throws IOException, InterruptedException {
        for (String question : List.of("JFR.check", "ManagementAgent.status", "Thread.print")) {
            var answer = jcmd(watched, question);
            assertFalse(answer.matches("(?s).*(\nRecording |RMI |JMX |State *: Running|URL *: service).*"), answer);
        }
        try (var left = Files.list(Path.of("/tmp"))) {
            var name = "whatwaits-%d-".formatted(watched.pid());
            assertEquals(
                    List.of(),
                    left.map(path -> path.getFileName().toString())
                            .filter(file -> file.startsWith(name))
                            .toList());
        }
    }

    @Test
    void where_a_dump_may_end_the_program_none_is_taken_and_what_that_hides_is_said() throws Exception {
        try (var watched = Watched.on(25, folder, 40)) {
            var told = look(watched);
            assertFalse(told.out().contains(LINE), told.out());
            assertTrue(told.says("\nNOT SEEN\n", "JDK-8364343", "--dumps takes one"), told.out());
        }
    }

    @Test
    void only_what_is_asked_for_fails_a_script() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40)) {
            assertEquals(0, look(watched, "--dumps", "--fail-on=circle").code());
        }
    }

    /** Two locks of different kinds, taken in both orders; the JDK's own finder sees no virtual thread. */
    @Test
    void threads_that_wait_for_each_other_are_named_before_all_else() throws Exception {
        var source = Files.writeString(folder.resolve("Circle.java"), """
                public class Circle {
                    static final Object one = new Object(), other = new Object();
                    static final java.util.concurrent.CountDownLatch both = new java.util.concurrent.CountDownLatch(2);
                    static void take(Object first, Object then) {
                        synchronized (first) {
                            both.countDown();
                            try { both.await(); } catch (InterruptedException e) { }
                            synchronized (then) { }
                        }
                    }
                    public static void main(String[] args) throws Exception {
                        var left = Thread.ofVirtual().name("left").start(() -> take(one, other));
                        var right = Thread.ofPlatform().name("right").start(() -> take(other, one));
                        while (left.getState() != Thread.State.BLOCKED || right.getState() != Thread.State.BLOCKED)
                            Thread.sleep(5);
                        System.out.println("ready");
                        Thread.sleep(60_000);
                    }
                }
                """);
        var process = new ProcessBuilder(Watched.tool("java"), source.toString()).start();
        try (var said = process.inputReader()) {
            assertEquals("ready", said.readLine());
            var told = Told.by("look", String.valueOf(process.pid()), "--dumps", "--seconds=1", "--fail-on=circle");
            assertEquals(1, told.code(), told.toString());
            for (var holder : List.of("left", "right")) {
                var held = "held by %s, at Circle.take(Circle.java:".formatted(holder);
                assertTrue(told.says("VERDICT\n  A circle (proven", held), told.out());
            }
        } finally {
            process.destroyForcibly();
        }
    }

    /** A reader that wants to write, while nobody else has the lock: only that it never moves shows it. */
    @Test
    void a_circle_that_one_dump_does_not_prove_is_confirmed_by_a_second_one_which_is_saved_and_said() throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var program = "dumps/Circles.java";
        assertEquals(0, compiler.run(null, null, null, "--release", "21", "-d", folder.toString(), program));
        var process = new ProcessBuilder(Watched.tool("java"), "-cp", folder.toString(), "Circles", "upgrade-alone")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertEquals("ready", process.inputReader().readLine());
            var pid = String.valueOf(process.pid());
            var zip = folder.resolve("seen.zip");
            var told = Told.by("look", pid, "--dumps", "--seconds=1", "--save", zip.toString());
            assertTrue(
                    told.says("VERDICT\n  A circle (probable", "probably held by itself, at Circles$Cache.fill("),
                    told.out());
            assertTrue(told.says("WHAT LOOKING COST", "a second dump, because the first shows threads"), told.out());
            assertEquals(told.out(), Told.by("read", zip.toString()).out());
            assertTrue(Told.by("check", zip.toString(), zip.toString()).says("circles of threads: 1 -> 1"));
            try (var files = FileSystems.newFileSystem(zip)) {
                Files.delete(files.getPath("later.json"));
            }
            var old = Told.by("read", zip.toString());
            assertFalse(old.out().contains("A circle"), old.out());
            assertTrue(old.out().startsWith("process "), old.out());
        } finally {
            process.destroyForcibly();
        }
    }
}
