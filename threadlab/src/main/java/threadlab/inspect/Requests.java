package threadlab.inspect;

import java.util.Map;

/**
 * The requests that ended within some time, by one source, and what it says of limits.
 *
 * @param count how many requests
 * @param seconds within which time
 * @param mean latency in seconds
 * @param source where this is from, in words
 * @param gauges other figures by their names: connections, threads
 */
record Requests(double count, double seconds, double mean, String source, Map<String, Double> gauges) {

    double perSecond() {
        return count / seconds;
    }
}
