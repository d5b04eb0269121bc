package whatwaits.rules;

import java.util.Map;

/**
 * The requests that ended within some time, according to one source, and what that source says about pools.
 *
 * @param count how many requests
 * @param seconds the length of that time
 * @param mean latency in seconds; NaN if no request ended
 * @param source where these figures are from, in words
 * @param gauges figures about pools; empty if the source has none
 */
public record Requests(double count, double seconds, double mean, String source, Map<Gauge, Double> gauges) {

    /** {@return X, the throughput in requests per second} */
    public double perSecond() {
        return count / seconds;
    }
}
