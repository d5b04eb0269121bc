package threadlab.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.Table;

class TracesTest {

    @Test
    void own_frames_are_named_as_in_the_cells_and_all_others_are_folded() {
        var traces = Traces.of(
                "virtual",
                thrown(
                        "REPL.$JShell$19.orders",
                        "REPL.$JShell$25B.request",
                        "REPL.$JShell$26.lambda$serve$1",
                        "java.util.concurrent.FutureTask.run",
                        "java.lang.VirtualThread.run",
                        "REPL.$JShell$27.lambda$do_it$$0",
                        "REPL.$JShell$27.do_it$",
                        "jdk.jshell.execution.DirectExecutionControl.invoke",
                        "org.dflib.jjava.kernel.execution.CodeEvaluator.eval",
                        "threadlab.measure.Trials.run"));

        assertEquals(List.of("orders", "request", "serve", "the cell", "the cell"), traces.own("virtual"));
        var methods = List.of("orders", "request", "serve (lambda)", "", "the cell (lambda)", "the cell", "", "");
        assertEquals(methods, traces.table().stringColumn("method").asList());
        assertEquals(List.of("own", "own", "own", "JDK", "own", "own", "kernel", "threadlab"), whose(traces));
        assertEquals(List.of(1, 1, 1, 2, 1, 1, 2, 1), frames(traces.table()));
    }

    @Test
    void the_frames_of_a_server_are_the_framework_s() {
        var traces = Traces.of(
                "virtual",
                thrown(
                        "REPL.$JShell$19$Orders.order",
                        "jdk.internal.reflect.DirectMethodHandleAccessor.invoke",
                        "org.springframework.web.servlet.DispatcherServlet.doGet",
                        "jakarta.servlet.http.HttpServlet.service",
                        "org.apache.catalina.core.StandardWrapperValve.invoke",
                        "reactor.core.publisher.MonoDelay.run",
                        "io.netty.channel.nio.NioIoHandler.run",
                        "java.lang.VirtualThread.run"));

        assertEquals(List.of("order"), traces.own("virtual"));
        assertEquals(List.of("own", "JDK", "framework", "JDK"), whose(traces));
        assertEquals(List.of(1, 1, 5, 1), frames(traces.table()));
    }

    private static List<String> whose(Traces traces) {
        return traces.table().stringColumn("whose").asList();
    }

    @Test
    void no_frame_is_lost_in_folding() {
        var here = new IllegalStateException("here");
        var folded = Traces.of("here", here).table();

        assertEquals(here.getStackTrace().length, folded.intColumn("frames").sum());
    }

    @Test
    void what_an_executor_wrapped_around_an_exception_is_taken_off() {
        var traces = Traces.of("stages", new CompletionException(thrown("REPL.$JShell$1.orders")));

        assertEquals(List.of("orders"), traces.own("stages"));
        assertEquals("IllegalStateException: no orders", traces.message("stages"));
    }

    @Test
    void a_circle_of_causes_ends() {
        var one = new IllegalStateException("one");
        var two = new IllegalStateException("two", one);
        one.initCause(two);

        assertTrue(Traces.of("circle", one).message("circle").startsWith("IllegalStateException: "));
    }

    @Test
    void traces_keep_their_order_and_print_on_a_line_each() {
        var traces = Traces.of("stages", thrown("REPL.$JShell$1.orders"))
                .and("a thread", thrown("REPL.$JShell$1.orders", "REPL.$JShell$2.request"));

        assertEquals(List.of("stages", "a thread"), traces.names());
        assertEquals("""
                        stages: IllegalStateException: no orders; own frames orders
                        a thread: IllegalStateException: no orders; own frames orders ← request""", traces.toString());
    }

    @Test
    void bad_input_is_refused_with_its_name() {
        var traces = Traces.of("virtual", thrown());

        refused("already a trace \"virtual\"", () -> traces.and("virtual", thrown()));
        refused("there are [virtual]", () -> traces.own("platform"));
        var missing = assertThrows(NullPointerException.class, () -> traces.and("stages", null));
        assertTrue(missing.getMessage().contains("no exception for \"stages\""));
        assertThrows(IllegalArgumentException.class, () -> traces.and(" ", thrown()));
    }

    private static List<Integer> frames(Table table) {
        return table.intColumn("frames").asList();
    }

    private static IllegalStateException thrown(String... frames) {
        var exception = new IllegalStateException("no orders");
        exception.setStackTrace(java.util.Arrays.stream(frames)
                .map(frame -> {
                    int dot = frame.lastIndexOf('.');
                    return new StackTraceElement(frame.substring(0, dot), frame.substring(dot + 1), "Cell.java", 1);
                })
                .toArray(StackTraceElement[]::new));
        return exception;
    }
}
