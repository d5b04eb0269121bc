package threadlab.claim;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tech.tablesaw.api.Table;
import threadlab.measure.Trials;

/** A false claim is broken or, where other programs keep the CPUs busy, not judged; it never holds. */
class FalseClaimsTest {

    private static final int N = 40;
    private static final double SLEEP = 0.05; // s
    private final LongAdder ended = new LongAdder();

    @ParameterizedTest(name = "with {0} others that compute beside it")
    @ValueSource(ints = {0, 6})
    void a_false_claim_is_never_held(int others) throws IOException {
        assumeFalse(System.getProperty("os.name").startsWith("Windows"), "the others are programs of a shell");
        List<Supplier<Claim>> falsehoods = List.of(
                () -> Claim.that("ten threads are as fast as forty", sleeping(Executors.newFixedThreadPool(10)))
                        .predicted(SLEEP)
                        .atMost(2 * SLEEP),
                () -> Claim.that(
                                "virtual threads sleep one after the other",
                                sleeping(Executors.newVirtualThreadPerTaskExecutor()))
                        .predicted(N * SLEEP)
                        .atLeast(0.8 * N * SLEEP),
                () -> Claim.that("a pool of one is a pool of fifty", sleeping(Executors.newSingleThreadExecutor()))
                        .within(0.5)
                        .of(2 * SLEEP),
                () -> Claim.that("with more tasks a pool needs less time", sleeping(Executors.newFixedThreadPool(50)))
                        .atMost(SLEEP / 2),
                () -> Claim.that("half of the tasks were lost", ended.sum())
                        .within(0)
                        .of(2 * N));
        var computing = new ArrayList<ProcessHandle>();
        try {
            for (int i = 0; i < others; i++) {
                computing.add(somebodyElse());
            }
            for (var claim : falsehoods) {
                var judged = claim.get();
                assertNotEquals(Verdict.HELD, judged.verdict(), judged.toString());
            }
        } finally {
            computing.forEach(ProcessHandle::destroy);
        }
    }

    private Table sleeping(ExecutorService threads) {
        return Trials.of("tasks that sleep")
                .virtual(n -> {
                    try (threads) {
                        for (int i = 0; i < n; i++) {
                            threads.submit(() -> {
                                Thread.sleep((long) (SLEEP * 1_000));
                                ended.increment();
                                return null;
                            });
                        }
                    }
                })
                .sizes(N)
                .repeat(1)
                .warmUp(0)
                .run();
    }

    /** A process that computes and is not a child of this JVM; it ends by itself if the test does not end it. */
    private static ProcessHandle somebodyElse() throws IOException {
        var shell = new ProcessBuilder("sh", "-c", "timeout 20 sh -c 'while :; do :; done' >&- 2>&- & echo $!").start();
        try (var told = shell.inputReader()) {
            return ProcessHandle.of(Long.parseLong(told.readLine())).orElseThrow();
        }
    }
}
