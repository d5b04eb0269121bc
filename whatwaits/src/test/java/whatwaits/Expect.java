package whatwaits;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.function.Executable;

/** Expectations that JUnit has no words for. */
public final class Expect {

    private Expect() {}

    /**
     * Returns when the condition holds; only a fault takes a minute, however busy the machine is.
     *
     * @param what what is waited for, in words
     * @param condition asked again and again
     * @throws Exception what the condition throws
     */
    public static void await(String what, Callable<Boolean> condition) throws Exception {
        long start = System.nanoTime();
        while (!condition.call()) {
            assertTrue(System.nanoTime() - start < 60_000_000_000L, "waited in vain for " + what);
            Thread.sleep(5);
        }
    }

    /**
     * A call is refused in one sentence.
     *
     * @param part what the sentence contains
     * @param call what is refused
     */
    public static void refused(String part, Executable call) {
        var error = assertThrows(RuntimeException.class, call);
        assertTrue(
                error instanceof IllegalArgumentException || error instanceof IllegalStateException, error::toString);
        assertTrue(error.getMessage().contains(part), error.getMessage());
        assertFalse(error.getMessage().contains("\n"), error.getMessage());
    }
}
