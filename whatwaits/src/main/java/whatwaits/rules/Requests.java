package whatwaits.rules;

import java.util.List;

/**
 * The requests that ended within some time, according to one source, and what that source says about pools.
 *
 * @param count how many requests; NaN if nobody counted them
 * @param seconds the length of that time
 * @param mean latency in seconds; NaN if no request ended
 * @param source where these figures are from or, if nobody counted the requests, why not; in words
 * @param pools figures about pools; empty if the source has none
 */
public record Requests(double count, double seconds, double mean, String source, List<PoolFigures> pools) {

    /**
     * {@return requests that nobody counted}
     *
     * @param why in words, such as {@code nobody counted them}
     */
    public static Requests unknown(String why) {
        return new Requests(Double.NaN, Double.NaN, Double.NaN, why, List.of());
    }

    /** {@return X, the throughput in requests per second; NaN if it is not known} */
    public double perSecond() {
        return count / seconds;
    }

    /** {@return L = X · W, the mean number of requests inside; NaN if it is not known} */
    double inside() {
        return perSecond() * mean;
    }
}
