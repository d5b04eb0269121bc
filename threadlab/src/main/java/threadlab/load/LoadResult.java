package threadlab.load;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.stream.Collectors;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Trials;

/**
 * The result of a run, its row in a table, whose columns {@link Load} describes, and what other than the server limited
 * it.
 *
 * @param seconds how long the clock ran; see {@link Load}
 * @param requests how many have ended
 * @param good how many of them had a whole answer with status 200
 * @param latencies of the good answers, in ms; NaN if there was none
 * @param failures how many of each kind
 * @param firstOther the message of the first failure of no known kind; empty if there was none
 * @param resent how many were sent a second time
 * @param late how late the generator was, without the worst hundredth, in ms
 * @param generatorSeconds CPU seconds of the generator
 * @param serverSeconds CPU seconds of the server, or NaN
 * @param busy CPUs that were busy on average
 * @param cpus CPUs available to the generator
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
        double generatorSeconds,
        double serverSeconds,
        double busy,
        int cpus) {
    /** At this share or more, CPUs count as busy. */
    private static final double BUSY = 0.9;

    /** An empty table for rows. */
    static Table none(String what) {
        var nothing = new Tally(0).result().row(Kind.OTHER, "", 0, Plan.closed(null, 1, 0, Plan.LONGEST));
        return nothing.emptyCopy().setName(what);
    }

    Table row(Kind kind, String server, int trial, Plan plan) {
        var row = Table.create(
                plan.rate() > 0 ? "n requests per second" : "n clients",
                StringColumn.create("contender", server),
                StringColumn.create("kind", kind.toString()),
                whole("n", plan.n()),
                whole("trial", trial),
                DoubleColumn.create("seconds", seconds),
                DoubleColumn.create("requests/s", good / seconds));
        latencies.forEach((latency, ms) -> row.addColumns(DoubleColumn.create(latency.column, ms)));
        row.addColumns(whole("requests", requests));
        for (Failure failure : Failure.values()) {
            row.addColumns(whole(failure.column, failed(failure)));
        }
        return row.addColumns(
                whole("resent", resent),
                DoubleColumn.create("generator late, p99 (ms)", late),
                DoubleColumn.create("generator CPU (s)", generatorSeconds),
                DoubleColumn.create("server CPU (s)", serverSeconds),
                DoubleColumn.create("CPU per request (ms)", cpuPerRequest()),
                DoubleColumn.create("CPUs busy", busy),
                StringColumn.create("bottleneck", bottleneck()),
                StringColumn.create("outcome", outcome(plan.requests())));
    }

    /** Not {@code create(name, value)}, whose number is a size. */
    private static IntColumn whole(String name, int value) {
        return IntColumn.create(name, new int[] {value});
    }

    int failed(Failure failure) {
        return failures.getOrDefault(failure, 0);
    }

    /** The server's CPU time per request, in ms; NaN if it is not known. */
    double cpuPerRequest() {
        return 1_000 * serverSeconds / requests;
    }

    private boolean full() {
        return busy >= BUSY * cpus;
    }

    /** What, other than the server, limited the load: {@code none}, {@code generator} or {@code CPUs}. */
    String bottleneck() {
        if (full()) {
            return generatorSeconds / seconds >= busy / 2 ? "generator" : "CPUs";
        }
        return late > Math.max(2, latencies.get(Latency.MEAN) / 10) ? "generator" : "none";
    }

    /** The same explained in a sentence; empty for {@code none}. */
    String warning() {
        double own = generatorSeconds / seconds;
        boolean serverKnown = !Double.isNaN(serverSeconds);
        double server = serverKnown ? serverSeconds / seconds : 0;
        var shares = "of %d %s, the generator used %.1f, ".formatted(cpus, cpus == 1 ? "CPU" : "CPUs", own)
                + (serverKnown ? "the server %.1f, ".formatted(server) : "")
                + "everything else %.1f".formatted(Math.max(0, busy - own - server));
        var sentence =
                switch (bottleneck()) {
                    case "none" -> "";
                    case "CPUs" ->
                        "the CPUs of this machine were the bottleneck (%s), so throughput may not be the limit of the server, and latencies may include waits for a CPU.";
                    default ->
                        full()
                                ? "the load generator was the bottleneck (%s), so these are not the server's limits: use fewer clients or a lower rate."
                                : "the load generator could not keep up (it was up to %2$.0f ms late; %1$s), so latencies include its own delays: use a smaller load, or check what else runs here.";
                };
        return sentence.formatted(shares, late);
    }

    /** {@link Trials#OK}, or how many failed and why, and how many of those planned were not sent; 0 if ended by time. */
    String outcome(int planned) {
        var parts = new ArrayList<String>();
        if (good < requests) {
            var kinds = failures.keySet().stream()
                    .filter(kind -> failed(kind) > 0)
                    .map(kind -> "%,d %s".formatted(failed(kind), kind.column))
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
