package threadlab.inspect;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;

/**
 * Little's law on a running service: X, W, L = X · W, and how much of each limited resource was in use. As the last
 * expression of a cell it shows the arithmetic and names the limit that is met.
 */
public final class Limits {

    private final Requests requests;
    private final List<Limit> limits;
    private final Limit met;
    private final ThreadDump dump;

    /**
     * Judges what was observed.
     *
     * @param limits the limited resources, with the threads that wait for each
     */
    Limits(Requests requests, List<Limit> limits, ThreadDump dump) {
        this.requests = requests;
        this.limits = limits;
        this.dump = dump;
        // of the limits that are met, the one with the most waiting threads; among equals the first in the list
        var most = limits.stream()
                .filter(Limit::met)
                .max(Comparator.comparingDouble(limit -> Double.isNaN(limit.waiting()) ? 0 : limit.waiting()))
                .orElse(null);
        this.met = most != null && most.name().equals(Gauges.CONNECTIONS) && metCpus() != null && holdersCompute()
                ? metCpus()
                : most;
    }

    /** The limit on CPU time that is met, the program's own or the machine's; null if none is. */
    private Limit metCpus() {
        return limits.stream()
                .filter(limit -> limit.met()
                        && List.of(LimitFinder.CPUS, LimitFinder.MACHINE).contains(limit.name()))
                .findFirst()
                .orElse(null);
    }

    /** Whether most threads that hold a connection want a CPU: more connections would not help them. */
    private boolean holdersCompute() {
        return 2 * computingHolders() > dump.connectionHolders().size();
    }

    private long computingHolders() {
        return dump.connectionHolders().stream()
                .map(dump::waits)
                .filter(reason -> reason == WaitReason.NOTHING || reason == WaitReason.CARRIER)
                .count();
    }

    /**
     * X, the throughput.
     *
     * @return requests per second
     */
    public double throughput() {
        return requests.perSecond();
    }

    /**
     * W, the mean latency.
     *
     * @return seconds; not a number if no request ended
     */
    public double seconds() {
        return requests.mean();
    }

    /**
     * L = X · W, the mean number of requests inside.
     *
     * @return requests; not a number if no request ended
     */
    public double inside() {
        return throughput() * seconds();
    }

    /**
     * The limited resources.
     *
     * @return columns {@code limit} (such as {@code connections}); {@code in use} and {@code of} (how many there are),
     *     as counts, missing where not known; {@code share (%)}; {@code waiting} (threads that want one); {@code met}
     *     ({@code yes} or {@code no}); {@code seen in} (where the figures are from)
     */
    public Table table() {
        var share = limits.stream().mapToDouble(limit -> 100 * limit.inUse() / limit.of());
        return Table.create(
                "limits",
                StringColumn.create("limit", limits.stream().map(Limit::name)),
                DoubleColumn.create("in use", limits.stream().mapToDouble(Limit::inUse)),
                DoubleColumn.create("of", limits.stream().mapToDouble(Limit::of)),
                DoubleColumn.create("share (%)", share),
                DoubleColumn.create("waiting", limits.stream().mapToDouble(Limit::waiting)),
                StringColumn.create("met", limits.stream().map(limit -> limit.met() ? "yes" : "no")),
                StringColumn.create("seen in", limits.stream().map(Limit::seenIn)));
    }

    /**
     * The limit that is met. Of several, the one that most threads wait for; of connections and CPUs, the CPUs if most
     * threads seen with a connection want a CPU. Where other programs keep the machine's CPUs busy, carriers are in use
     * without being a limit of the service, and are not named.
     *
     * @return its name in the table; {@code none} if no limit that can be seen is met
     */
    public String met() {
        return met == null ? "none" : met.name();
    }

    /**
     * The threads at the moment when the limits were read; of several rounds under a load, the one in which most
     * threads waited. A limit that is met only now and then may not show in another dump.
     *
     * @return the dump from which the limits were read
     */
    public ThreadDump dump() {
        return dump;
    }

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        var text = new StringBuilder(requests.count() == 0 ? nothing() : arithmetic());
        for (Limit limit : limits) {
            text.append("- %s: %s%s%s%n"
                    .formatted(
                            limit.name(),
                            Double.isNaN(limit.inUse())
                                    ? "use unknown"
                                    : number(limit.inUse()) + " of " + number(limit.of()) + " in use",
                            Double.isNaN(limit.waiting())
                                    ? ""
                                    : ", " + number(limit.waiting()) + (limit.waiting() == 1 ? " waits" : " wait"),
                            limit.met() ? ": met" : ""));
        }
        text.append(verdict());
        return text.toString();
    }

    private String arithmetic() {
        return "X = %s ÷ %s s = %s requests/s, W = %s s (%s).%nL = X · W = %s · %s = %s requests inside.%n"
                .formatted(
                        number(requests.count()),
                        number(requests.seconds()),
                        number(throughput()),
                        number(seconds()),
                        requests.source(),
                        number(throughput()),
                        number(seconds()),
                        number(inside()));
    }

    private String nothing() {
        return "X = 0 ÷ %s s = 0 requests/s (%s).%nNo request ended, so W and the number of requests inside are unknown: send load, unless all requests hang.%n"
                .formatted(number(requests.seconds()), requests.source());
    }

    private String verdict() {
        if (met == null) {
            var most = dump.groups().stream()
                    .filter(group -> group.waits() != WaitReason.TASK)
                    .findFirst();
            return "None of these limits is met."
                    + most.map(group -> " Most threads: " + group.sentence() + ".")
                            .orElse("");
        }
        var others = limits.stream()
                .filter(limit -> limit.met() && limit != met)
                .map(Limit::name)
                .collect(Collectors.joining(", "));
        return "The limit that is met: %s.%s%s%s"
                .formatted(met.name(), held(), others.isEmpty() ? "" : " Also met: " + others + ".", first());
    }

    /** Which limit comes first when those on connections and CPUs are both met, and why. */
    private String first() {
        var names = limits.stream().filter(Limit::met).map(Limit::name).toList();
        int holders = dump.connectionHolders().size();
        if (!names.contains(Gauges.CONNECTIONS) || metCpus() == null || holders == 0) {
            return "";
        }
        return (holdersCompute()
                        ? " The CPUs come first: %s of the %s threads seen with a connection want a CPU."
                        : " Connections come first: only %s of the %s threads seen with one want a CPU.")
                .formatted(number(computingHolders()), number(holders));
    }

    /** How long each place is held, by Little's law. */
    private String held() {
        if (met.name().equals(LimitFinder.MACHINE)) {
            return " Other programs keep the machine's CPUs busy: runnable threads wait for a CPU, so carriers in use prove nothing.";
        }
        if (met.name().equals(Gauges.CONNECTIONS) && Double.isNaN(met.of())) {
            return " Set spring.datasource.hikari.register-mbeans=true to see how many there are.";
        }
        if (Double.isNaN(met.of()) || throughput() == 0) {
            return "";
        }
        boolean lock = met.seenIn().startsWith("the dump: ");
        return " %s for %s ÷ X = %s ÷ %s = %s ms; as long as it does, X cannot exceed %s per second."
                .formatted(
                        lock
                                ? "If each request needs %s, it keeps one"
                                        .formatted(
                                                met.of() == 1
                                                        ? "this lock"
                                                        : "one of these " + number(met.of()) + " locks")
                                : "Each request keeps one",
                        number(met.of()),
                        number(met.of()),
                        number(throughput()),
                        number(1e3 * met.of() / throughput()),
                        number(throughput()));
    }

    private static String number(double value) {
        return Numbers.rounded(value, 3);
    }
}
