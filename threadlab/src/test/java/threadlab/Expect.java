package threadlab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.function.Executable;

/** Expectations that JUnit has no words for. */
public final class Expect {

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

    private Expect() {}

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

    /**
     * Neither a child nor a temporary file of this JVM is left.
     *
     * @throws IOException if the folder cannot be read
     */
    public static void nothingLeft() throws IOException {
        assertEquals(0, ProcessHandle.current().children().count(), "a child is left");
        var own = "threadlab-%d-*".formatted(ProcessHandle.current().pid());
        try (var left = Files.newDirectoryStream(Path.of(System.getProperty("java.io.tmpdir")), own)) {
            left.forEach(file -> fail(file + " is left"));
        }
    }
}
