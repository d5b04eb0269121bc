package threadlab.load;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.stream.Collectors;
import threadlab.measure.Trials;

/**
 * The result of a run.
 *
 * @param seconds how long the clock ran; see {@link Load}
 * @param requests how many have ended
 * @param good how many of them had a whole answer with status 200
 * @param latencies of the good answers, in ms; NaN if there was none
 * @param failures how many of each kind
 * @param firstOther the message of the first failure of no known kind; empty if there was none
 * @param resent how many were sent a second time
 * @param late how late the generator was, without the worst hundredth, in ms
 * @param cpu CPU time and CPUs used
 */
record LoadResult(
        double seconds,
        int requests,
        int good,
        EnumMap<Latency, Double> latencies,
        EnumMap<Failure, Integer> failures,
        String firstOther,
        int resent,
        double late,
        Cpu cpu)
        implements Message {

    /**
     * CPU time and CPUs.
     *
     * @param generatorSeconds CPU seconds of the generator
     * @param serverSeconds CPU seconds of the server, or NaN
     * @param busy CPUs that were busy on average
     * @param cpus CPUs available to the generator
     */
    record Cpu(double generatorSeconds, double serverSeconds, double busy, int cpus) implements Serializable {}

    int failed(Failure failure) {
        return failures.getOrDefault(failure, 0);
    }

    /** What, other than the server, limited the load. */
    Bottleneck bottleneck() {
        return Bottleneck.of(
                cpu.generatorSeconds / seconds,
                cpu.serverSeconds / seconds,
                cpu.busy,
                cpu.cpus,
                late,
                latencies.get(Latency.MEAN));
    }

    /**
     * How it went.
     *
     * @param planned how many requests were planned; 0 if it was to end by time
     * @return {@link Trials#OK}, or how many failed and why
     */
    String outcome(int planned) {
        var parts = new ArrayList<String>();
        if (good < requests) {
            var kinds = failures.entrySet().stream()
                    .filter(kind -> kind.getValue() > 0)
                    .map(kind ->
                            "%,d %s".formatted(kind.getValue(), kind.getKey().column()))
                    .collect(Collectors.joining(", "));
            parts.add("%,d of %,d requests failed: %s%s"
                    .formatted(requests - good, requests, kinds, firstOther.isEmpty() ? "" : " (" + firstOther + ")"));
        }
        if (requests < planned) {
            parts.add("only %,d of %,d requests were sent in %d s"
                    .formatted(requests, planned, Plan.LONGEST.toSeconds()));
        }
        return parts.isEmpty() ? Trials.OK : String.join("; ", parts);
    }
}
