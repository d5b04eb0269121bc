package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeout;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadlab.Expect.refused;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tech.tablesaw.api.ColumnType;
import threadlab.Expect;

/** Every way in which a child JVM can end, provoked for real. */
@Tag("deep")
class ChildJvmTest {

    @TempDir
    private Path folder;

    /** A number of seconds that no other program sleeps, so that these tests find their own processes. */
    private static final long SLEEP = 1_000_000 + ProcessHandle.current().pid();

    private PrintStream before;
    private final ByteArrayOutputStream cell = new ByteArrayOutputStream();

    @BeforeEach
    void listenToTheCell() {
        before = System.out;
        System.setOut(new PrintStream(cell, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        System.setOut(before);
        Expect.nothingLeft();
    }

    private ChildJvm child(String body) throws IOException {
        return child(folder, body);
    }

    static ChildJvm child(Path folder, String body) throws IOException {
        var file = folder.resolve("Experiment.java");
        Files.writeString(file, """
                import java.util.*;
                public class Experiment {
                    public static void main(String[] args) throws Exception {
                %s
                    }
                }
                """.formatted(body));
        return ChildJvm.of(file.toString());
    }

    private ChildRun run(String body) throws IOException, InterruptedException {
        return child(body).run();
    }

    private String shown() {
        return cell.toString(StandardCharsets.UTF_8);
    }

    @Test
    void the_csv_becomes_a_table_and_the_rest_is_text() throws Exception {
        var run = child("""
                        System.out.println("before");
                        System.out.println("contender,n,seconds");
                        System.out.println("virtual,10,1");
                        System.out.println("virtual," + args[0] + ",1.5");
                        System.out.println();
                        System.out.println("after,1,2");
                        """).arguments(20).columns("contender", "n", "seconds").run();
        assertTrue(run.ok(), run.explanation());
        var table = run.table();
        assertEquals(2, table.rowCount());
        assertEquals(ColumnType.STRING, table.column("contender").type());
        assertEquals(ColumnType.INTEGER, table.column("n").type());
        assertEquals(ColumnType.DOUBLE, table.column("seconds").type());
        assertTrue(shown().startsWith("before\ncontender,n,seconds\n"), shown());
        assertTrue(run.peakMemory() > 10 << 20 && run.peakMemory() < 1 << 30, () -> run.peakMemory() + " B");
        assertTrue(run.peakThreads() > 2 && run.peakThreads() < 200, () -> run.peakThreads() + " threads");
        assertTrue(run.explanation().startsWith("Experiment finished in "), run.explanation());
    }

    @Test
    void a_taker_gets_the_output_line_by_line_in_the_waiting_thread() throws Exception {
        var taken = new ArrayList<String>();
        var here = Thread.currentThread();
        child("System.out.println(1); System.err.println(2);")
                .onLine(line -> taken.add(Thread.currentThread() == here ? line : "elsewhere"))
                .run();
        assertEquals(List.of("1", "2"), taken.stream().sorted().toList());
        assertEquals("", shown());
    }

    @Test
    void output_appears_while_the_child_still_runs() throws Exception {
        // the child ends once its line has been read
        var seen = folder.resolve("seen");
        System.setOut(new PrintStream(cell, true, StandardCharsets.UTF_8) {
            @Override
            public void println(String line) {
                assertDoesNotThrow(() -> Files.createFile(seen));
            }
        });
        var run = child("""
                System.out.println(1);
                while (!java.nio.file.Files.exists(java.nio.file.Path.of(args[0]))) Thread.yield();
                """).arguments(seen).timeOut(Duration.ofSeconds(60)).run();
        assertTrue(run.ok(), run.explanation());
    }

    @Test
    void on_a_small_machine_a_child_copies_no_archives_of_classes_either() {
        var taken = List.of(
                "-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0", "-XX:InitialRAMPercentage=0.1");
        assertEquals(taken, JvmOptions.inherited(Stream.of("-Xmx1g", "-XX:ArchiveRelocationMode=0", "-Xmn64m")));
        assertEquals(List.of(), JvmOptions.inherited(Stream.of("-Xmx1g")));
    }

    @Test
    void an_exception_is_told_with_the_programs_own_frames_also_by_a_quiet_child() throws Exception {
        var run = child("throw new IllegalStateException(\"on purpose\");")
                .quiet()
                .run();
        assertEquals("", shown());
        assertEquals(ExitReason.FAILED, run.reason());
        assertTrue(run.explanation().contains("exit code 1 "), run.explanation());
        assertTrue(run.explanation().contains("on purpose"), run.explanation());
        assertTrue(run.output().contains("at Experiment.main"), run.output());
        assertFalse(run.output().contains("Guard"), run.output());
    }

    @Test
    void a_program_that_does_not_compile_is_shown_with_its_line() {
        var error = assertThrows(IllegalArgumentException.class, () -> run("int x = \"three\";"));
        assertTrue(error.getMessage().contains("Experiment.java:4: error"), error.getMessage());
        assertTrue(error.getMessage().contains("int x = \"three\";"), error.getMessage());
    }

    @Test
    void a_program_runs_again_as_it_is_and_anew_after_a_change() throws Exception {
        for (var word : List.of("first", "first", "second")) {
            var run = run("class Inner {} System.out.println(new Inner() == null ? 0 : \"%s\");".formatted(word));
            assertEquals(word, run.output().strip());
        }
    }

    @Test
    void a_program_without_main_says_so() throws Exception {
        var file = Files.writeString(folder.resolve("Empty.java"), "class Empty {}");
        var run = ChildJvm.of(file.toString()).run();
        assertTrue(run.explanation().contains("add public static void main"), run.explanation());
    }

    @Test
    void a_full_heap_is_recognised_in_whatever_thread() throws Exception {
        var fills = "var all = new ArrayList<byte[]>(); while (true) all.add(new byte[1 << 20]);";
        for (var body : List.of(fills, "Thread.ofVirtual().start(() -> { %s }).join();".formatted(fills))) {
            var run = child(body).heap("32m").run();
            assertEquals(ExitReason.OUT_OF_HEAP, run.reason(), run.explanation());
            assertTrue(run.explanation().contains("Java heap space"), run.explanation());
        }
    }

    @Test
    void the_limit_on_native_threads_is_met_and_named() throws Exception {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/prlimit")), "this system has no prlimit");
        var run = child(
                        "for (;;) Thread.ofPlatform().daemon().start(() -> java.util.concurrent.locks.LockSupport.park());")
                .threads(150)
                .run();
        assertEquals(ExitReason.NO_NATIVE_THREAD, run.reason(), run.explanation());
        assertTrue(run.peakThreads() >= 145 && run.peakThreads() <= 150, run.explanation());
        assertTrue(run.explanation().contains("of 150 (prlimit --nproc)"), run.explanation());
    }

    @Test
    void one_that_has_told_enough_runs_on_until_it_is_closed() throws Exception {
        var lines = new ArrayList<String>();
        var begun = child("System.out.println(1); System.out.println(2); Thread.sleep(60_000);")
                .onLine(lines::add)
                .start();
        try {
            assertTrue(assertTimeout(Duration.ofSeconds(50), () -> begun.tells(() -> lines.contains("2"))));
            assertTrue(begun.isAlive());
            assertEquals(List.of("1", "2"), lines);
        } finally {
            begun.close();
        }
        assertEquals(ExitReason.CLOSED, begun.await().reason());
    }

    @Test
    void one_that_ends_before_it_has_told_enough_says_how() throws Exception {
        var begun = child("System.exit(3);").start();
        assertFalse(begun.tells(() -> false));
        assertTrue(begun.await().explanation().contains("3"), begun.await()::explanation);
    }

    @Test
    void a_killed_child_leaves_no_temporary_file() throws Exception {
        var run = child("""
                System.out.println(java.nio.file.Files.createTempFile("kept", ""));
                Runtime.getRuntime().halt(1);""").run();
        var left = Path.of(run.output().strip());
        assertTrue(left.getFileName().toString().startsWith("kept"), run.output());
        assertFalse(Files.exists(left));
    }

    @Test
    void a_signal_is_named() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "this system has no signals that Java could send");
        var run = run("new ProcessBuilder(\"kill\", \"-9\", \"\" + ProcessHandle.current().pid()).start().waitFor();");
        assertEquals(ExitReason.SIGNAL, run.reason(), run.explanation());
        assertTrue(run.explanation().contains("signal 9 (SIGKILL)"), run.explanation());
    }

    @Test
    void endless_output_is_cut_and_ended() throws Exception {
        var lines = run("while (true) System.out.println(\"again and again\");");
        assertEquals(ExitReason.TOO_MUCH_OUTPUT, lines.reason(), lines.explanation());
        assertTrue(shown().length() < 200_000);
        assertTrue(shown().contains("the rest is not shown"));
        assertTrue(lines.output().length() <= 2_100_000);

        var oneLine = run("while (true) System.out.print(\"x\");");
        assertEquals(ExitReason.TOO_MUCH_OUTPUT, oneLine.reason(), oneLine.explanation());
    }

    @Test
    void processes_that_a_child_leaves_behind_are_ended() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "this system has no setsid");
        // one in the background of a shell that has ended, one that holds the child's output open
        var run = run("""
                new ProcessBuilder("sh", "-c", "sleep %1$d >/dev/null 2>&1 &").start().waitFor();
                new ProcessBuilder("setsid", "sleep", "%1$d").inheritIO().start();
                """.formatted(SLEEP));
        assertTrue(run.ok(), run.explanation());
        assertEquals(0, sleepers());
    }

    @Test
    void a_child_that_starts_processes_without_end_is_ended_with_all_of_them() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "this system has no setsid");
        var run = child("while (true) { new ProcessBuilder(\"sleep\", \"%d\").start(); Thread.sleep(5); }"
                        .formatted(SLEEP))
                .timeOut(Duration.ofMillis(1_500))
                .run();
        assertEquals(ExitReason.TIME_OUT, run.reason(), run.explanation());
        assertEquals(0, sleepers());
    }

    private static long sleepers() {
        return ProcessHandle.allProcesses()
                .filter(process -> process.info()
                        .commandLine()
                        .map(line -> line.endsWith("sleep " + SLEEP))
                        .orElse(false))
                .count();
    }

    @Test
    void an_interrupt_ends_the_child_and_its_children() throws Exception {
        var child = child("new ProcessBuilder(\"sleep\", \"%d\").start(); System.out.println(1); Thread.sleep(60_000);"
                .formatted(SLEEP));
        var running = new FutureTask<>(child::run);
        var cellThread = Thread.ofPlatform().start(running);
        Expect.await("the child's first line", () -> shown().contains("1"));
        cellThread.interrupt();
        var thrown = assertThrows(ExecutionException.class, () -> running.get(60, TimeUnit.SECONDS));
        assertTrue(thrown.getCause() instanceof InterruptedException, thrown::toString);
        assertEquals(0, sleepers());
    }

    @Test
    void cpus_are_what_the_child_sees() throws Exception {
        var run = child("System.out.println(\"cpus\\n\" + Runtime.getRuntime().availableProcessors());")
                .cpus(1)
                .columns("cpus")
                .run();
        assertEquals(1, run.table().intColumn("cpus").get(0));
    }

    @Test
    void wrong_settings_are_named_with_their_limit() throws Exception {
        var child = child("");
        refused("timeOut(0 s) is out of range", () -> child.timeOut(Duration.ZERO));
        refused("is larger than the memory of this machine", () -> child.heap("9999g"));
        refused("\"much\" is not a size for a heap", () -> child.heap("much"));
        refused("threads(3) is too few", () -> child.threads(3));
        refused("cpus(0) is out of range", () -> child.cpus(0));
        refused("there is no program \"Nowhere.java\"", () -> ChildJvm.of("Nowhere.java"));
    }
}
