package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import threadlab.trace.Traces;

class TracesOnThePageTest {

    private static final StackTraceElement OWN = new StackTraceElement("REPL.$JShell$1", "<orders>", "Cell.java", 1);
    private static final StackTraceElement JDK = new StackTraceElement("java.lang.Thread", "run", "Thread.java", 1);

    @Test
    void own_frames_are_marked_and_escaped_and_others_are_counted() {
        var html = Html.of(Traces.of("a thread", thrown(OWN, JDK, JDK)));

        assertTrue(html.contains("<strong>▸ &lt;orders&gt;</strong>"), html);
        assertTrue(html.contains("<em>2 frames of the JDK</em>"), html);
        assertTrue(html.contains("1 own of 3 frames"), html);
    }

    @Test
    void a_shorter_trace_is_filled_up_so_that_the_columns_stay_side_by_side() {
        var html = Html.of(Traces.of("a thread", thrown(OWN, OWN, JDK)).and("a stage", thrown(OWN)));

        assertEquals(2, html.split("<td></td>", -1).length - 1, html);
    }

    private static IllegalStateException thrown(StackTraceElement... frames) {
        var exception = new IllegalStateException("no orders");
        exception.setStackTrace(frames);
        return exception;
    }
}
