package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CellControlTest {

    private static final int TIMES = 2_000;

    /** The interrupt comes before the cell waits for its end, meanwhile, or a little later. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void an_interrupt_at_any_moment_ends_the_cell() throws Exception {
        var control = new CellControl(new Heap());
        var round = new AtomicInteger();
        var button = Thread.ofPlatform().daemon().start(() -> {
            for (int i = 1; i <= TIMES; i++) {
                while (round.get() < i) {
                    Thread.onSpinWait();
                }
                for (int wait = 0; wait < i % 50 * 20; wait++) {
                    Thread.onSpinWait();
                }
                control.interrupt();
            }
        });
        var never = new CountDownLatch(1);
        for (int i = 1; i <= TIMES; i++) {
            control.begin();
            round.set(i);
            assertThrows(CellControl.Interrupted.class, () -> control.call(() -> never.await(1, TimeUnit.HOURS)));
        }
        button.join();
    }
}
