package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** How the end of a child is judged from what was observed; no process runs. */
class ExitTest {

    private static Exit seen(int exitCode, String output) {
        return seen(null, exitCode, output, null, null, false);
    }

    private static Exit seen(
            ExitReason endedBy, int exitCode, String output, String csvFault, String metLimit, boolean held) {
        var wall = Duration.ofMillis(2_340);
        var limit = Duration.ofSeconds(60);
        return new Exit(
                "Sleepers", endedBy, exitCode, wall, limit, "32m", output, csvFault, metLimit, 50 << 20, 30, held);
    }

    private static void judged(ExitReason reason, String sentence, Exit seen) {
        assertEquals(sentence, seen.sentence());
        assertEquals(reason, seen.reason());
    }

    @Test
    void exit_code_0_is_a_success_and_tells_time_and_memory() {
        judged(ExitReason.FINISHED, "Sleepers finished in 2.3 s, peak memory 50 MiB.", seen(0, ""));
    }

    @Test
    void another_exit_code_comes_with_the_line_that_tells_why() {
        judged(
                ExitReason.FAILED,
                "Sleepers ended with exit code 1 after 2.3 s: \"Exception in thread \"main\" Oh: no\".",
                seen(1, "1\nException in thread \"main\" Oh: no\n\tat Sleepers.main\n"));
        judged(ExitReason.FAILED, "Sleepers ended with exit code 3 after 2.3 s: it printed nothing.", seen(3, "\n"));
        judged(ExitReason.FAILED, "Sleepers ended with exit code 3 after 2.3 s: \"last\".", seen(3, "first\nlast\n"));
    }

    @Test
    void only_the_code_of_a_signal_that_ends_a_jvm_is_a_signal() {
        judged(
                ExitReason.SIGNAL,
                "Sleepers was killed by signal 9 (SIGKILL) after 2.3 s: unless somebody sent it, the system ran out of memory"
                        + " and chose this process.",
                seen(137, ""));
        assertTrue(seen(134, "").sentence().contains("signal 6 (SIGABRT)"));
        assertTrue(seen(143, "").sentence().contains("signal 15 (SIGTERM)"));
        assertTrue(seen(129, "").sentence().endsWith("signal 1 (SIGHUP) after 2.3 s."));
        for (int code : new int[] {2, 127, 128, 128 + 17, 200, 255}) {
            assertEquals(ExitReason.FAILED, seen(code, "").reason(), () -> "exit code " + code);
        }
    }

    @Test
    void exhausted_memory_has_its_name_and_a_full_heap_its_way_out() {
        var error = "java.lang.OutOfMemoryError: ";
        for (var kind : new String[] {"Java heap space", "GC overhead limit exceeded"}) {
            var verdict = seen(3, "Terminating due to " + error + kind);
            assertEquals(ExitReason.OUT_OF_HEAP, verdict.reason());
            assertTrue(verdict.sentence().contains("(" + kind + ", at most 32m): give it more with heap(…)"));
        }
        var classes = seen(3, "Terminating due to " + error + "Metaspace");
        assertEquals(ExitReason.FAILED, classes.reason());
        assertTrue(classes.sentence().endsWith("OutOfMemoryError: Metaspace\"."), classes.sentence());
    }

    @Test
    void a_jvm_that_did_not_start_says_which_option_it_was() {
        judged(
                ExitReason.NOT_STARTED,
                "Sleepers did not start: \"Unrecognized VM option 'UseNoSuchThing'\".",
                seen(1, """
                        Unrecognized VM option 'UseNoSuchThing'
                        Error: Could not create the Java Virtual Machine.
                        """));
        judged(
                ExitReason.NOT_STARTED,
                "Sleepers did not start: the system allows no further thread; the limit: end some, or restart the kernel.",
                seen(null, 1, """
                        Error occurred during initialization of VM
                        [0.404s][warning][os,thread] Failed to start thread "Unknown thread"
                        """, null, "the limit", false));
    }

    @Test
    void a_refused_thread_is_told_with_the_limit_and_keeps_the_table() {
        var refused = seen(null, 3, "", null, "the limit it met is on threads", false);
        judged(
                ExitReason.NO_NATIVE_THREAD,
                "Sleepers could not start another native thread after 2.3 s, with 30 alive; the limit it met is on"
                        + " threads.",
                refused);
        assertTrue(refused.keepsTable());
        // a program that continues after the refusal has not failed
        var goesOn = seen(null, 0, "", null, "the limit", false);
        assertEquals(ExitReason.FINISHED, goesOn.reason());
    }

    @Test
    void whoever_ended_it_comes_before_its_exit_code() {
        judged(
                ExitReason.TIME_OUT,
                "Sleepers was ended at its time limit of 60 s: raise it with timeOut(…) if the program was still working.",
                seen(ExitReason.TIME_OUT, 137, "", "no CSV", "a limit", false));
        judged(
                ExitReason.TOO_MUCH_OUTPUT,
                "Sleepers was ended because it printed more than 4,000,000 characters: print less.",
                seen(ExitReason.TOO_MUCH_OUTPUT, 137, "", null, null, false));
        var closed = seen(ExitReason.CLOSED, 137, "", null, null, false);
        judged(ExitReason.CLOSED, "Sleepers was closed after 2.3 s.", closed);
    }

    @Test
    void without_its_promised_csv_it_did_not_do_what_it_should() {
        var without = seen(null, 0, "", "no row follows", null, false);
        judged(
                ExitReason.BAD_CSV,
                "Sleepers finished, but no row follows: correct its output, or name other columns with columns(…).",
                without);
        assertFalse(without.keepsTable());
    }

    @Test
    void what_it_left_running_is_told_at_the_end() {
        judged(
                ExitReason.FINISHED,
                "Sleepers finished in 2.3 s, peak memory 50 MiB. A process"
                        + " that it started still holds its output open, and could not be found and ended.",
                seen(null, 0, "", null, null, true));
    }
}
