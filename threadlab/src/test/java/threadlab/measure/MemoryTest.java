package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import threadlab.Expect;

class MemoryTest {

    @Test
    void what_is_held_counts_in_bytes_and_what_is_dropped_does_not() throws Exception {
        // what an earlier test left running may drop megabytes at any moment: a measurement between two equal ones
        // counts
        var grown = new AtomicLong();
        Expect.await("a heap that returns to where it was", () -> {
            long before = Memory.heapInUse();
            var held = new byte[64 << 20];
            grown.set(Memory.heapInUse() - before);
            Reference.reachabilityFence(held);
            held = null;
            return Math.abs(Memory.heapInUse() - before) < 1 << 20;
        });

        assertEquals(64 << 20, grown.get(), 2 << 20);
    }

    @Test
    void a_collection_is_asked_for_only_where_memory_is_scarce_and_the_heap_has_grown() {
        long binder = 1L << 30; // half of 2 GB
        assertTrue(Memory.isWorthwhile(binder, 40 << 20));
        assertFalse(Memory.isWorthwhile(binder, 20 << 20));
        assertFalse(
                Memory.isWorthwhile(2L << 30, 40 << 20),
                "an experiment shall meet no collection that it did not cause");
    }
}
