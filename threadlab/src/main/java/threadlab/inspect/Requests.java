package threadlab.inspect;

import java.util.Map;

/**
 * The requests that ended within some time, according to one source, and what that says about limits.
 *
 * @param count how many requests
 * @param seconds the length of that time
 * @param mean latency in seconds
 * @param source where these figures are from, in words
 * @param gauges other figures by name: connections, threads
 */
record Requests(double count, double seconds, double mean, String source, Map<String, Double> gauges) {

    double perSecond() {
        return count / seconds;
    }
}
