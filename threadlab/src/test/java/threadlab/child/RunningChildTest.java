package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadlab.Expect.refused;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import threadlab.Expect;

/** A running child that does not end as it should: no caller may wait for ever. */
@Tag("deep")
class RunningChildTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path folder;

    private ChildJvm child(String body) throws IOException {
        return ChildJvmTest.child(folder, body).quiet();
    }

    @Test
    void a_child_that_was_closed_with_unread_lines_can_still_be_awaited() throws Exception {
        var child = child("for (int i = 0; i < 1_010; i++) System.out.println(i); Thread.sleep(60_000);")
                .start();
        Expect.await("a full queue of lines", () -> Thread.getAllStackTraces().values().stream()
                .flatMap(Stream::of)
                .anyMatch(frame -> frame.getClassName().equals(OutputPump.class.getName())
                        && frame.getMethodName().equals("put")));
        child.close();
        var run = assertTimeoutPreemptively(PATIENCE, child::await);
        assertEquals(ExitReason.CLOSED, run.reason(), run.explanation());
    }

    @Test
    void the_time_in_which_everything_stood_still_is_none_of_its_time() throws Exception {
        var looks = new AtomicInteger();
        try (var child = child("System.out.println(1); System.in.read();")
                .timeOut(Duration.ofSeconds(5))
                .start()) {
            child.standstill = Duration.ofSeconds(1);
            boolean runsOn = child.tells(() -> {
                if (looks.incrementAndGet() == 1) {
                    LockSupport.parkNanos(6_000_000_000L);
                }
                return looks.get() > 10;
            });
            assertTrue(runsOn, "it was ended at its time limit");
        }
    }

    @Test
    void a_process_that_cannot_be_found_and_holds_the_output_open_is_not_waited_for() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "this system has no setsid");
        // it has left both the tree and the session of the child
        var child = child("""
                new ProcessBuilder("sh", "-c", "setsid sleep 300 & echo $!").inheritIO().start().waitFor();
                """);
        var run = assertTimeoutPreemptively(PATIENCE, child::run);
        ProcessHandle.of(Long.parseLong(run.output().strip())).ifPresent(ProcessHandle::destroyForcibly);
        assertEquals(ExitReason.FINISHED, run.reason(), run.explanation());
        assertTrue(run.explanation().contains("holds its output open"), run.explanation());
    }

    @Test
    void order_questions_and_answers_are_records_and_all_else_goes_on_to_the_reader() throws Exception {
        var told = new ArrayList<String>();
        try (var child = ChildJvm.of(Echo.class)
                .order(new Word("ü".repeat(Parent.LONGEST_VARIABLE)))
                .onLine(told::add)
                .start()) {
            var end = new FutureTask<>(child::await);
            Thread.ofPlatform().start(end);
            var first = child.answer(Word.class, PATIENCE);
            assertEquals(Parent.LONGEST_VARIABLE + 1, first.text().length());
            child.ask(new Word("a\nb\""));
            assertEquals(new Word("a\nb\"!"), child.answer(Word.class, PATIENCE));
            child.ask(new Word("end"));
            assertNull(child.answer(Word.class, PATIENCE), "it has ended");
            assertEquals(List.of("begun", "asked", "asked"), told);
            assertEquals(3, end.get().output().lines().count());
        }
    }

    private record Word(String text) {}

    /** Answers with an exclamation mark, beside what it prints, with and without a line's end. */
    static final class Echo {
        public static void main(String[] args) throws InterruptedException {
            System.out.print("begun");
            Parent.answer(new Word(Parent.order(Word.class).text() + "!"));
            Parent.answerQuestions(Word.class, word -> {
                System.out.println("asked");
                if (word.text().equals("end")) {
                    Runtime.getRuntime().halt(0);
                }
                return new Word(word.text() + "!");
            });
        }
    }

    @Test
    void numbers_are_written_as_in_the_course_whatever_the_language() throws Exception {
        var run = child("System.out.println(\"%,.1f\".formatted(1234.5));")
                .options("-Duser.language=de", "-Duser.country=DE")
                .run();
        assertEquals("1,234.5\n", run.output());
    }

    @Test
    void a_jvm_that_does_not_answer_jcmd_is_not_waited_for() throws Exception {
        assumeTrue(Files.isDirectory(Path.of("/proc")), "this system has no signals");
        try (var child = child("Thread.sleep(60_000);").start()) {
            Expect.await("an answer to jcmd", () -> answers(child));
            var stop = new ProcessBuilder("kill", "-STOP", "" + child.pid()).start();
            assertEquals(0, stop.waitFor());
            var asking = new FutureTask<>(() -> child.jcmd("VM.version"));
            var thread = Thread.ofPlatform().start(asking);
            assertThrows(TimeoutException.class, () -> asking.get(1, TimeUnit.SECONDS), "a stopped JVM has answered");
            thread.interrupt();
            var thrown = assertThrows(ExecutionException.class, () -> asking.get(60, TimeUnit.SECONDS));
            assertTrue(thrown.getCause() instanceof InterruptedException, thrown::toString);
            refused(
                    "did not answer jcmd: no answer within 1 s",
                    () -> Jcmd.ask("Experiment", child.pid(), Duration.ofSeconds(1), "VM.version"));
        }
    }

    /** False while it still starts. */
    private static boolean answers(RunningChild child) throws InterruptedException {
        try {
            return child.isAlive() && child.jcmd("VM.version").contains("JDK 25");
        } catch (IllegalStateException e) {
            return false;
        }
    }
}
