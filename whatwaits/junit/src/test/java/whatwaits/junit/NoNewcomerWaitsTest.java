package whatwaits.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.concurrent.Executors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the tests of {@link OfUser} by their names, as JUnit would. */
@Tag("deep")
class NoNewcomerWaitsTest {

    @NoNewcomerWaits
    static class OfUser {

        @Test
        void sleeps() throws Exception {
            onEachCarrier(() -> Thread.sleep(400));
        }

        @Test
        void computes() throws Exception {
            onEachCarrier(() -> compute());
        }

        @Test
        @NoNewcomerWaits(atMost = 5_000)
        void computesAndMay() throws Exception {
            onEachCarrier(() -> compute());
        }

        @Test
        void fails() throws Exception {
            onEachCarrier(() -> compute());
            throw new IllegalStateException("of its own");
        }
    }

    interface Work {
        void run() throws Exception;
    }

    static void onEachCarrier(Work work) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
                threads.submit(() -> {
                    work.run();
                    return null;
                });
            }
        }
    }

    static void compute() {
        long end = System.nanoTime() + 800_000_000;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static TestExecutionSummary run(String test) {
        var summary = new SummaryGeneratingListener();
        var request = LauncherDiscoveryRequestBuilder.request().selectors(selectMethod(OfUser.class, test));
        LauncherFactory.create().execute(request.build(), summary);
        assertEquals(1, summary.getSummary().getTestsStartedCount());
        return summary.getSummary();
    }

    private static String failure(String test) {
        return run(test).getFailures().getFirst().getException().toString();
    }

    @Test
    void a_test_that_holds_the_carriers_fails_and_names_the_line() throws Exception {
        // on a busy machine the test passes, as it should
        var summary = run("computes");
        for (int again = 0; again < 20 && summary.getTotalFailureCount() == 0; again++) {
            summary = run("computes");
        }

        var failure = summary.getFailures().getFirst().getException().toString();
        assertTrue(failure.contains("may wait 100 ms"), failure);
        assertTrue(failure.contains("which computes at whatwaits.junit.NoNewcomerWaitsTest.compute("), failure);
    }

    @Test
    void a_test_that_waits_passes_and_so_does_one_within_its_own_bound() {
        assertEquals(0, run("sleeps").getTotalFailureCount());
        assertEquals(0, run("computesAndMay").getTotalFailureCount());
    }

    @Test
    void a_test_that_fails_by_itself_says_why() {
        assertTrue(failure("fails").contains("of its own"));
    }
}
