package threadlab.carriers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

@SuppressWarnings("try") // a resource that is only closed
class CarriersTest {

    private static int parallelism() {
        return Carriers.scheduler().getParallelism();
    }

    @Test
    void the_former_parallelism_comes_back() {
        int before = parallelism();
        try (var three = Carriers.parallelism(3)) {
            assertEquals(3, parallelism());
            try (var one = Carriers.parallelism(1)) {
                assertEquals(1, parallelism());
            }
            assertEquals(3, parallelism());
        }
        assertEquals(before, parallelism());
    }

    @Test
    void it_comes_back_after_an_exception() {
        int before = parallelism();
        assertThrows(IllegalStateException.class, () -> {
            try (var five = Carriers.parallelism(5)) {
                throw new IllegalStateException("on purpose");
            }
        });
        assertEquals(before, parallelism());
    }

    @Test
    void it_comes_back_after_an_interrupt() throws Exception {
        int before = parallelism();
        var thread = Thread.ofPlatform().start(() -> {
            try (var five = Carriers.parallelism(5)) {
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        while (parallelism() != 5) {
            Thread.onSpinWait();
        }
        thread.interrupt();
        thread.join();
        assertEquals(before, parallelism());
    }

    @Test
    void a_second_close_changes_nothing() {
        int before = parallelism();
        var outer = Carriers.parallelism(3);
        outer.close();
        try (var four = Carriers.parallelism(4)) {
            outer.close();
            assertEquals(4, parallelism());
        }
        assertEquals(before, parallelism());
    }

    @Test
    void what_the_pool_cannot_hold_is_refused() {
        int before = parallelism();
        for (int n : new int[] {0, -1, 100_000}) {
            var e = assertThrows(IllegalArgumentException.class, () -> Carriers.parallelism(n));
            assertTrue(e.getMessage().contains("it must be from 1 to "), e.getMessage());
            assertFalse(e.getMessage().contains("\n"));
        }
        assertEquals(before, parallelism());
    }
}
