package threadlab;

import static org.junit.jupiter.api.Assertions.fail;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Waits for what another thread or process does. */
public final class Eventually {

    /** Only a fault takes as long, however busy the machine is. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Duration LOOK = Duration.ofMillis(5);

    /** What is waited for. */
    @FunctionalInterface
    public interface Condition {
        /**
         * Looks once.
         *
         * @return whether it holds
         * @throws Exception a fault of the test
         */
        boolean holds() throws Exception;
    }

    private Eventually() {}

    /**
     * Returns when the condition holds.
     *
     * @param what the words with which the test fails if it does not hold within a minute
     * @param condition asked again and again
     * @throws Exception what the condition throws
     */
    public static void await(String what, Condition condition) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                fail("waited in vain for " + what);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException("while waiting for " + what);
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }
}
