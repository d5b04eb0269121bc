package threadlab.load;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * How a server was warmed up: by the load itself, a slice of about a second at a time.
 *
 * @param seconds how long it took
 * @param requests how many were sent
 * @param milliseconds the server's CPU time per request in each slice, in ms
 */
record WarmedUp(double seconds, int requests, List<Double> milliseconds) {

    /** A server is steady if this many slices in a row differ by {@link #ALIKE} at most. */
    static final int SLICES = 3;

    /** The largest slice ÷ the smallest. */
    static final double ALIKE = 1.2;

    boolean steady() {
        if (milliseconds.size() < SLICES) {
            return false;
        }
        var last = milliseconds.subList(milliseconds.size() - SLICES, milliseconds.size());
        return Collections.max(last) <= ALIKE * Collections.min(last);
    }

    /** The CPU time of a request from slice to slice, in a line for the reader. */
    String line(String server) {
        var slices = milliseconds.stream().map("%.2f"::formatted).collect(Collectors.joining(", "));
        return "%s: %s after %.0f s and %,d requests; CPU time of a request %s ms%s"
                .formatted(
                        server,
                        steady() ? "warm" : "not steady",
                        seconds,
                        requests,
                        slices,
                        steady() ? "" : ": compare with care, or give warmUp(…) more time");
    }
}
