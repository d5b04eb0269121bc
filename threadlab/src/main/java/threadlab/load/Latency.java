package threadlab.load;

import java.util.EnumMap;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.AbstractHistogram;

/** The latencies of the good answers, up to the last byte, in ms, as in a row. */
enum Latency {
    MIN("min", AbstractHistogram::getMinNonZeroValue),
    MEAN("mean", AbstractHistogram::getMean),
    P50("p50", seen -> seen.getValueAtPercentile(50)),
    P95("p95", seen -> seen.getValueAtPercentile(95)),
    P99("p99", seen -> seen.getValueAtPercentile(99)),
    MAX("max", seen -> seen.getValueAtPercentile(100));

    final String column;
    private final ToDoubleFunction<AbstractHistogram> nanos;

    Latency(String word, ToDoubleFunction<AbstractHistogram> nanos) {
        column = word + " (ms)";
        this.nanos = nanos;
    }

    /** Each in ms, of latencies in nanoseconds; NaN if nothing was seen. */
    static EnumMap<Latency, Double> all(AbstractHistogram seen) {
        var all = new EnumMap<Latency, Double>(Latency.class);
        for (Latency latency : values()) {
            all.put(latency, seen.getTotalCount() == 0 ? Double.NaN : latency.nanos.applyAsDouble(seen) / 1e6);
        }
        return all;
    }
}
