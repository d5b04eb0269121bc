package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.ref.Reference;
import org.junit.jupiter.api.Test;

class MemoryTest {

    @Test
    void what_is_held_counts_in_bytes_and_what_is_dropped_does_not() {
        long before = Memory.heapInUse();
        var held = new byte[64 << 20];
        long with = Memory.heapInUse();
        Reference.reachabilityFence(held);
        held = null;
        long after = Memory.heapInUse();

        // other tests run beside it and hold some megabytes
        assertEquals(64 << 20, with - before, 32 << 20);
        assertEquals(64 << 20, with - after, 32 << 20);
    }
}
