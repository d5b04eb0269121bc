package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TaskTraceTest {

    private final AtomicLong nanos = new AtomicLong(7_000_000);
    private final TaskTrace trace = new TaskTrace(nanos::get);

    @Test
    void notes_when_a_task_began_and_ended_and_returns_its_result() throws Exception {
        assertEquals("tea", trace.of("first", () -> {
            nanos.addAndGet(50_000_000);
            return "tea";
        }));
        trace.of("second", () -> null);

        var table = trace.table();
        assertEquals(List.of("first", "second"), table.stringColumn("task").asList());
        assertEquals(List.of("done", "done"), table.stringColumn("ending").asList());
        assertEquals(List.of(0.0, 50.0), table.doubleColumn("from (ms)").asList());
        assertEquals(List.of(50.0, 50.0), table.doubleColumn("until (ms)").asList());
    }

    @Test
    void tells_a_failure_from_an_interrupt_whatever_the_exception() {
        assertThrows(
                IOException.class,
                () -> trace.of("fails", () -> {
                    throw new IOException("no");
                }));
        assertThrows(
                InterruptedException.class,
                () -> trace.of("sleeps", () -> {
                    Thread.currentThread().interrupt();
                    Thread.sleep(1);
                    return null;
                }));
        assertThrows(
                IOException.class,
                () -> trace.of("reads", () -> {
                    Thread.currentThread().interrupt();
                    throw new IOException("closed by interrupt");
                }));
        assertTrue(Thread.interrupted(), "the status stays for the caller");
        var endings = trace.table().stringColumn("ending").asList();
        assertEquals(List.of("failed", "cancelled", "cancelled"), endings);
    }
}
