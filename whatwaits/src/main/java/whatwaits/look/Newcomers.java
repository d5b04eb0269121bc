package whatwaits.look;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Starts a virtual thread in this JVM again and again, and notes how long each waits for a carrier. A newcomer that waits
 * shows that something holds the carriers, whatever it is: a pinned thread, a slow file, native code, a computation. A
 * check of pinned events sees only the first.
 *
 * <p>A platform thread starts beside each newcomer. Where that is late, too, the machine is busy, and nothing is judged.
 *
 * <p>While a newcomer waits, one dump names who holds the carriers. On Java 25 a dump may end the JVM (JDK-8364343); none
 * is taken while all newcomers run in time, but one when watching begins, so that the later one is quick. It takes about a
 * second, once in a JVM.
 */
public final class Newcomers implements AutoCloseable {

    private static final Duration BETWEEN = Duration.ofMillis(10);

    /** The share of the bound by which a platform thread may be late before the machine counts as busy. */
    private static final int SPARE = 4;

    private final Duration most;
    private final Jvm here;
    private final Thread watcher;
    private volatile boolean ended;
    private Late late = Late.NONE;

    private Newcomers(Duration most) throws InterruptedException {
        this.most = most;
        here = Jvm.attach(ProcessHandle.current().pid());
        here.dump();
        watcher = Thread.ofPlatform().daemon().name("whatwaits newcomers").start(this::watch);
    }

    /**
     * Begins to start newcomers, about a hundred per second.
     *
     * @param most how long one may wait for a carrier, from 10 ms to 10 s
     * @return what ends with {@link #close}
     * @throws IllegalArgumentException if the bound is another one
     * @throws InterruptedException if this thread is interrupted
     */
    public static Newcomers watch(Duration most) throws InterruptedException {
        if (most.toMillis() < 10 || most.toMillis() > 10_000) {
            throw new IllegalArgumentException(
                    "a newcomer may wait from 10 ms to 10 s, not %d ms".formatted(most.toMillis()));
        }
        return new Newcomers(most);
    }

    /**
     * Ends watching; a second call returns the same.
     *
     * @return the longest wait that was judged or, without one beyond the bound, one that could not be
     * @throws InterruptedException if this thread is interrupted
     */
    public Late end() throws InterruptedException {
        ended = true;
        watcher.join();
        here.close();
        return late;
    }

    /** Ends watching. An interrupt is kept for the caller. */
    @Override
    public void close() {
        try {
            end();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch() {
        try {
            while (!ended) {
                late = late.or(next());
                Thread.sleep(BETWEEN);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Late next() throws InterruptedException {
        var newcomer = new Start(Thread.ofVirtual());
        var beside = new Start(Thread.ofPlatform().daemon());
        if (newcomer.begins(most)) {
            return Late.NONE;
        }
        // a machine may have become busy since
        var now = new Start(Thread.ofPlatform().daemon());
        var holders = holders();
        while (!newcomer.begins(BETWEEN) && !ended) {}
        long control = Math.max(beside.waited(), now.waited());
        return new Late(most, millis(newcomer.waited()), millis(control), control < most.toNanos() / SPARE, holders);
    }

    private List<String> holders() throws InterruptedException {
        var dump = here.dump();
        var waiting = dump.pinned().stream().map(pin -> "%s, which waits for %s at %s"
                .formatted(pin.thread(), pin.operation(), pin.stack().where()));
        var computing = dump.computing().stream().map(thread -> "%s, which computes at %s"
                .formatted(thread.label(), thread.stack().where()));
        return Stream.concat(waiting, computing).distinct().toList();
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    /** A thread that only notes when it begins. */
    private static final class Start {

        private final FutureTask<Long> began = new FutureTask<>(System::nanoTime);
        private final long start = System.nanoTime();

        Start(Thread.Builder kind) {
            kind.start(began);
        }

        boolean begins(Duration within) throws InterruptedException {
            try {
                began.get(within.toNanos(), TimeUnit.NANOSECONDS);
                return true;
            } catch (TimeoutException e) {
                return false;
            } catch (ExecutionException e) {
                throw new IllegalStateException(e.getCause());
            }
        }

        /** In nanoseconds, until now if it has not begun. */
        long waited() {
            return (began.state() == FutureTask.State.SUCCESS ? began.resultNow() : System.nanoTime()) - start;
        }
    }

    /**
     * A newcomer that waited for longer than the bound.
     *
     * @param most the bound; zero if none waited for longer
     * @param milliseconds how long it waited; less than the truth if it still did when watching ended
     * @param platform how long a platform thread beside it waited for a CPU, in milliseconds
     * @param judged whether the machine had a CPU to spare, so that the carriers were to blame
     * @param holders who held the carriers, and where; empty if they had gone when the dump was taken
     */
    public record Late(Duration most, double milliseconds, double platform, boolean judged, List<String> holders) {

        static final Late NONE = new Late(Duration.ZERO, 0, 0, false, List.of());

        /** Keeps the order in which threads were found. */
        public Late {
            holders = List.copyOf(holders);
        }

        /** {@return whether a newcomer waited for too long, on a machine that had a CPU to spare} */
        public boolean isTooLong() {
            return judged;
        }

        private Late or(Late other) {
            boolean later = judged == other.judged ? other.milliseconds > milliseconds : other.judged;
            return later ? other : this;
        }

        /** One sentence, and a line for each thread that held a carrier. */
        @Override
        public String toString() {
            if (this.equals(NONE)) {
                return "every newcomer had a carrier in time";
            }
            var lines = new ArrayList<String>();
            lines.add(
                    "a new virtual thread waited %,.0f ms for a carrier, and may wait %,d ms; a platform thread beside it began after %,.1f ms%s"
                            .formatted(
                                    milliseconds,
                                    most.toMillis(),
                                    platform,
                                    judged ? "" : ": the machine was busy, so this is not judged (≈)"));
            if (judged) {
                lines.add(
                        holders.isEmpty()
                                ? "who held the carriers had gone when the dump was taken"
                                : "carriers were held by");
                holders.forEach(holder -> lines.add("    " + holder));
            }
            return String.join("\n", lines);
        }
    }
}
