package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GcLogTest {

    @Test
    void pauses_are_found_among_other_lines() {
        var pauses = GcLog.pauses("""
                [0.005s][info][gc] Using Serial
                --- slow at 1.2
                [1.301s][info][gc] GC(3) Pause Young (Allocation Failure) 37M->12M(123M) 4.182ms
                [1.302s][info][gc] GC(4) Concurrent Mark 2.000ms
                [1.500s][info][gc] GC(5) Pause Remark 0.250ms
                """);
        assertEquals(2, pauses.rowCount());
        assertEquals("Young (Allocation Failure)", pauses.getString(0, "pause"));
        assertEquals(
                37 - 12,
                pauses.doubleColumn("before (MiB)").get(0)
                        - pauses.doubleColumn("after (MiB)").get(0));
        assertEquals(4.182 + 0.25, pauses.doubleColumn("ms").sum(), 1e-9);
        assertTrue(pauses.doubleColumn("after (MiB)").isMissing(1));
    }
}
