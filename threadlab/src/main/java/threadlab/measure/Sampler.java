package threadlab.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.function.DoubleSupplier;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.support.Arguments;
import threadlab.support.CpuShare;

/**
 * Reads values at a fixed interval while a block runs.
 *
 * <p>One platform thread takes the samples, so virtual threads that keep all carriers busy cannot delay it. A late
 * sample is taken at once, and the next one at its planned time; the column {@code seconds} gives the actual time of
 * each. After a value that was slow to read, the block runs undisturbed for at least as long as the read took.
 */
public final class Sampler {

    /** What to do while the sampler runs. */
    @FunctionalInterface
    public interface Block {
        /**
         * Runs the block.
         *
         * @throws Exception passed on to the caller of {@link Sampler#during(Block)}
         */
        void run() throws Exception;
    }

    private record Watched(String column, DoubleSupplier value) {}

    private static final Set<String> OWN = Set.of("seconds", "kind");

    private final Duration period;
    private final List<Watched> watched = new ArrayList<>();
    private Kind kind;

    private Sampler(Duration period) {
        this.period = period;
    }

    /**
     * A sampler that watches nothing yet.
     *
     * @param period the time between two samples, from 1 ms, below which the sampler itself would be the load, to 1 h
     * @return the sampler
     */
    public static Sampler every(Duration period) {
        return new Sampler(Arguments.inRange("every", period, Duration.ofMillis(1), Duration.ofHours(1)));
    }

    /**
     * Adds a value to read.
     *
     * @param column the name of its column, with the unit
     * @param value read in the sampler's thread; it must be quick and safe to call from there
     * @return this sampler
     */
    public Sampler watch(String column, DoubleSupplier value) {
        boolean taken = OWN.contains(column) || watched.stream().anyMatch(w -> w.column.equals(column));
        Arguments.require(!taken, "there is already a column \"%s\": choose another name", column);
        watched.add(new Watched(column, Objects.requireNonNull(value)));
        return this;
    }

    /**
     * Sets what the tasks of the block run on: the column {@code kind}, after which a chart colours the samples.
     *
     * @param ofTheBlock the kind of contender that the block runs
     * @return this sampler
     */
    public Sampler kind(Kind ofTheBlock) {
        kind = Objects.requireNonNull(ofTheBlock, "a kind is missing: name one, such as Kind.VIRTUAL");
        return this;
    }

    /**
     * Runs the block in the calling thread and samples until it has ended.
     *
     * @param block what to watch
     * @return one row per sample: {@code seconds} since the block began, each watched value, and {@code kind} if set
     * @throws Exception what the block or a watched value threw
     */
    public Table during(Block block) throws Exception {
        if (watched.isEmpty()) {
            throw new IllegalStateException("nothing is watched: add a value with watch(column, value)");
        }
        var samples = Table.create("samples", DoubleColumn.create("seconds"));
        watched.forEach(w -> samples.addColumns(DoubleColumn.create(w.column)));
        var platformThread = Thread.ofPlatform().daemon().name("sampler").factory();
        Future<?> sampling;
        // closing it waits for the thread, even when the caller is interrupted
        try (var sampler = Executors.newSingleThreadExecutor(platformThread)) {
            sampling = sampler.submit(() -> sample(samples));
            try (var _ = CpuShare.here().measuring()) {
                block.run();
            } finally {
                sampler.shutdownNow();
            }
        }
        if (sampling.state() == Future.State.FAILED) {
            switch (sampling.exceptionNow()) {
                case Exception e -> throw e;
                case Error e -> throw e;
                case Throwable e -> throw new IllegalStateException(e);
            }
        }
        if (kind != null) {
            samples.addColumns(StringColumn.create("kind", Collections.nCopies(samples.rowCount(), kind.toString())));
        }
        return samples;
    }

    private void sample(Table samples) {
        long start = System.nanoTime();
        long next = start;
        while (!Thread.interrupted()) {
            long now = System.nanoTime();
            samples.doubleColumn("seconds").append((now - start) / 1e9);
            for (Watched w : watched) {
                samples.doubleColumn(w.column).append(w.value.getAsDouble());
            }
            long read = System.nanoTime();
            next = next(next, period.toNanos(), now, read);
            LockSupport.parkNanos(next - read);
        }
    }

    /** When the next sample is due: not before the block has run for as long as this one took to read. */
    static long next(long due, long period, long began, long read) {
        return Math.max(due + period, read + (read - began));
    }
}
