package threadlab.load;

import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.AtomicHistogram;
import org.apache.hc.core5.http.HttpException;

/** What the clients saw: the latencies of the good answers, and the failures by kind. Any thread may add to it. */
final class Tally {

    /** Longer than any request may take, including the wait before it. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private static final int DIGITS = 3;

    private final AtomicHistogram latencies = histogram();
    private final AtomicHistogram lateness = histogram();
    private final Map<Failure, LongAdder> failures = new EnumMap<>(Failure.class);
    private final LongAdder ended = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private final LongAdder resent = new LongAdder();
    private final AtomicReference<String> firstOther = new AtomicReference<>();
    private final Clock clock;
    private volatile boolean counting;

    Tally() {
        this(Clock.SYSTEM);
    }

    Tally(Clock clock) {
        this.clock = clock;
        for (Failure failure : Failure.values()) {
            failures.put(failure, new LongAdder());
        }
    }

    /** In nanoseconds, with a resolution of 1 µs. */
    private static AtomicHistogram histogram() {
        return new AtomicHistogram(1_000, LONGEST.toNanos(), DIGITS);
    }

    /** Starts or stops counting; at first it does not count. */
    void counting(boolean on) {
        counting = on;
    }

    /**
     * Lets a client send its request and adds its outcome, if this tally is counting when the request ends.
     *
     * @param client not shared with others
     * @param due the time from which the latency counts
     * @param timeOut how long the request may take from now on, in ns
     * @return whether there was a whole answer
     */
    boolean take(Requester client, long due, long timeOut) {
        waiting.increment();
        try {
            int status = client.get(clock.nanos() + timeOut);
            if (counting && status == 200) {
                latencies.recordValue(Math.min(clock.nanos() - due, LONGEST.toNanos()));
            } else if (counting) {
                failures.get(Failure.NOT_200).increment();
            }
            return true;
        } catch (IOException | HttpException e) {
            var failure = Failure.of(e);
            if (counting) {
                failures.get(failure).increment();
            }
            if (failure == Failure.OTHER) {
                firstOther.compareAndSet(null, e.toString());
            }
            return false;
        } finally {
            waiting.decrement();
            int again = client.takeResent();
            if (counting) {
                resent.add(again);
                ended.increment();
            }
        }
    }

    /** Adds how late the generator was, with a request that was due or in waking up. */
    void late(long nanos) {
        if (counting) {
            lateness.recordValue(Math.clamp(nanos, 0, LONGEST.toNanos()));
        }
    }

    Clock clock() {
        return clock;
    }

    boolean counting() {
        return counting;
    }

    /** Where the load stands, this many seconds after the clock started. */
    Moments.Moment moment(double seconds) {
        return new Moments.Moment(seconds, waiting.intValue(), (int) latencies.getTotalCount(), ended());
    }

    int ended() {
        return ended.intValue();
    }

    /**
     * All that was seen, with the time and CPU time of the run.
     *
     * @param seconds of the run
     * @param cpu of the run
     */
    LoadResult measured(double seconds, LoadResult.Cpu cpu) {
        var counts = new EnumMap<Failure, Integer>(Failure.class);
        failures.forEach((failure, count) -> counts.put(failure, count.intValue()));
        int good = (int) latencies.getTotalCount();
        return new LoadResult(
                seconds,
                ended(),
                good,
                Latency.all(latencies),
                counts,
                Objects.requireNonNullElse(firstOther.get(), ""),
                resent.intValue(),
                lateness.getValueAtPercentile(99) / 1e6,
                cpu);
    }
}
