package threadlab.load;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.AtomicHistogram;
import org.apache.hc.core5.http.HttpException;
import threadlab.child.ProcessCpu;

/**
 * What the clients saw while the clock of a run, or of its warm-up, ran: the latencies of the good answers, the
 * failures by kind, and the CPU time used. Any thread may add to it.
 */
class Tally {

    /** Longer than any request may take, including the wait before it. */
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private final AtomicHistogram latencies = histogram();
    private final AtomicHistogram lateness = histogram();
    private final Map<Failure, LongAdder> failures = new EnumMap<>(Failure.class);
    private final LongAdder ended = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private final LongAdder resent = new LongAdder();
    private final AtomicReference<String> firstOther = new AtomicReference<>();
    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final long server;
    private double serverSeconds;
    private double ownSeconds;
    private double busy;
    private volatile long start;
    private double seconds;
    private volatile boolean counting;

    /** A tally that does not count yet; it reads the CPU time of a process, or 0 for none. */
    Tally(long server) {
        this.server = server;
        for (Failure failure : Failure.values()) {
            failures.put(failure, new LongAdder());
        }
    }

    /** In nanoseconds, with a resolution of 1 µs and three digits. */
    private static AtomicHistogram histogram() {
        return new AtomicHistogram(1_000, LONGEST.toNanos(), 3);
    }

    /** The time by which requests are sent and measured, in ns. */
    long nanos() {
        return System.nanoTime();
    }

    /** Returns at a moment of this time, or when the calling thread is interrupted. */
    void sleepUntil(long moment) {
        for (long left = moment - nanos(); left > 0; left = moment - nanos()) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            LockSupport.parkNanos(left);
        }
    }

    /** Starts the clock: from now on, whatever ends is counted. */
    void begin() {
        // each call covers the time since the one before
        system.getCpuLoad();
        serverSeconds = -usedByServer();
        ownSeconds = -system.getProcessCpuTime() / 1e9;
        start = nanos();
        counting = true;
    }

    /** Stops the clock. */
    synchronized void end() {
        counting = false;
        seconds = (nanos() - start) / 1e9;
        ownSeconds += system.getProcessCpuTime() / 1e9;
        serverSeconds += usedByServer();
        // the system may count CPUs that this process may not use
        double used = ownSeconds + (Double.isNaN(serverSeconds) ? 0 : serverSeconds);
        busy = Math.max(system.getCpuLoad() * cpus(), used / seconds);
    }

    private double usedByServer() {
        return server == 0 ? Double.NaN : ProcessCpu.seconds(server);
    }

    private static int cpus() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** When the clock started. */
    long start() {
        return start;
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
            int status = client.get(nanos() + timeOut);
            if (counting && status == 200) {
                latencies.recordValue(Math.min(nanos() - due, LONGEST.toNanos()));
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

    /** Where the load stands; null while the clock does not run. */
    synchronized Moment moment() {
        int good = (int) latencies.getTotalCount();
        return counting ? new Moment((nanos() - start) / 1e9, waiting.intValue(), good, ended.intValue()) : null;
    }

    /** All that was seen until the clock stopped. */
    LoadResult result() {
        var counts = new EnumMap<Failure, Integer>(Failure.class);
        failures.forEach((failure, count) -> counts.put(failure, count.intValue()));
        int all = ended.intValue();
        int good = (int) latencies.getTotalCount();
        var times = Latency.all(latencies);
        var other = Objects.requireNonNullElse(firstOther.get(), "");
        int again = resent.intValue();
        double late = lateness.getValueAtPercentile(99) / 1e6;
        return new LoadResult(
                seconds, all, good, times, counts, other, again, late, ownSeconds, serverSeconds, busy, cpus());
    }
}
