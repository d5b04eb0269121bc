package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;
import threadlab.Expect;

class MemoryTest {

    @Test
    void what_is_held_counts_in_bytes_and_what_is_dropped_does_not() throws Exception {
        // what other tests have dropped may need more than one collection
        Expect.await("a heap at rest", () -> Math.abs(Memory.heapInUse() - Memory.heapInUse()) < 1 << 20);
        long before = Memory.heapInUse();
        var held = new byte[64 << 20];
        long with = Memory.heapInUse();
        Reference.reachabilityFence(held);
        held = null;
        long after = Memory.heapInUse();

        // other tests run beside this one and hold some megabytes
        assertEquals(64 << 20, with - before, 32 << 20);
        assertEquals(64 << 20, with - after, 32 << 20);
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
