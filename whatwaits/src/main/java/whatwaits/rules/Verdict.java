package whatwaits.rules;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import whatwaits.rules.Limit.Kind;

/**
 * Little's law on a running service: X, W, L = X · W, and which limit holds its requests up. As text it shows the
 * arithmetic and names that limit.
 */
public final class Verdict {

    /** At this share or more, CPUs and carriers count as fully used. */
    private static final double FULL = 0.85;

    /** At this share or more, a machine is full. */
    private static final double FULL_MACHINE = 0.9;

    private final Observation seen;
    private final List<Limit> limits;
    private final List<Limit> met;

    /** Whose CPUs are fully used: the program's, the machine's, or null. */
    private final Kind busy;

    private Verdict(Observation seen, List<Limit> found) {
        this.seen = seen;
        boolean full =
                found.stream().anyMatch(limit -> limit.kind() == Kind.CPUS && limit.inUse() >= FULL * limit.of());
        // otherwise the service could compute more, but other programs may have the CPUs
        busy = full ? Kind.CPUS : seen.machine() >= FULL_MACHINE ? Kind.MACHINE : null;
        limits = found.stream()
                .filter(limit -> limit.kind() != Kind.MACHINE || busy == Kind.MACHINE)
                .toList();
        met = limits.stream()
                .filter(this::isMet)
                .sorted(Comparator.comparingDouble(limit -> Double.isNaN(limit.waiting()) ? 0 : -limit.waiting()))
                .collect(Collectors.toList());
        if (!met.isEmpty() && met.getFirst().kind() == Kind.CONNECTIONS && holdersCompute()) {
            // more connections would not help threads that want a CPU
            met.sort(Comparator.comparingInt(limit -> limit.kind() == busy ? 0 : 1));
        }
    }

    /**
     * {@return the limits of what was observed, and which of them are met}
     *
     * @param seen an observation
     */
    public static Verdict of(Observation seen) {
        return new Verdict(seen, Limits.of(seen));
    }

    /** Whether a limit holds requests up. */
    private boolean isMet(Limit limit) {
        return switch (limit.kind()) {
            // a single waiting thread may just have come at a bad moment
            case LOCK, PERMITS -> limit.waiting() > limit.resources();
            case CONNECTIONS, CLIENT_CONNECTIONS -> limit.waiting() > 0;
            case THREADS -> limit.inUse() >= limit.of();
            // threads that compute also keep carriers busy: then the CPUs are the limit
            case CARRIERS -> limit.inUse() >= FULL * limit.of() && limit.waiting() >= 1 && busy == null;
            case CPUS, MACHINE -> limit.kind() == busy;
        };
    }

    /** Whether most threads that hold a connection want a CPU. */
    private boolean holdersCompute() {
        return 2 * computingHolders() > seen.dump().connectionHolders().size();
    }

    private long computingHolders() {
        var reasons = seen.dump().connectionHolders().stream().map(WaitReason::of);
        return reasons.filter(reason -> reason == WaitReason.NOTHING || reason == WaitReason.CARRIER)
                .count();
    }

    /** {@return X, the throughput in requests per second} */
    public double throughput() {
        return seen.requests().perSecond();
    }

    /** {@return W, the mean latency in seconds; not a number if no request ended} */
    public double seconds() {
        return seen.requests().mean();
    }

    /** {@return L = X · W, the mean number of requests inside; not a number if no request ended} */
    public double inside() {
        return throughput() * seconds();
    }

    /** {@return the limited resources that were found: those that are met and those that are not} */
    public List<Limit> limits() {
        return limits;
    }

    /**
     * {@return the limits that are met; none if no limit that can be seen is} The first is the one that most threads
     * wait for; of connections and CPUs, the CPUs if most threads seen with a connection want a CPU. Where other
     * programs keep the machine's CPUs busy, carriers are in use without being a limit of the service, and are not
     * named.
     */
    public List<Limit> met() {
        return List.copyOf(met);
    }

    /**
     * {@return the threads at the moment when the limits were read; of several rounds under a load, the one in which most
     * threads waited} A limit that is met only now and then may not show in another dump.
     */
    public ThreadDump dump() {
        return seen.dump();
    }

    /** The arithmetic and the verdict. */
    @Override
    public String toString() {
        var text = new StringBuilder(seen.requests().count() == 0 ? nothing() : arithmetic());
        for (Limit limit : limits) {
            var use = number(limit.inUse()) + " of " + number(limit.of()) + " in use";
            text.append("- " + limit.name() + ": " + (Double.isNaN(limit.inUse()) ? "use unknown" : use));
            if (!Double.isNaN(limit.waiting()) && (limit.kind() == busy || limit.kind() != Kind.CPUS)) {
                text.append(", " + number(limit.waiting()) + (limit.waiting() == 1 ? " waits" : " wait"));
            }
            text.append(met.contains(limit) ? ": met\n" : "\n");
        }
        return text.append(met.isEmpty() ? none() : named(met.getFirst())).toString();
    }

    private String arithmetic() {
        var x = number(throughput());
        var w = number(seconds());
        var requests = seen.requests();
        return "X = " + number(requests.count()) + " ÷ " + number(requests.seconds()) + " s = " + x + " requests/s, "
                + "W = " + w + " s (" + requests.source() + ").\n"
                + "L = X · W = " + x + " · " + w + " = " + number(inside()) + " requests inside.\n";
    }

    private String nothing() {
        return "X = 0 ÷ " + number(seen.requests().seconds()) + " s = 0 requests/s ("
                + seen.requests().source() + ").\n"
                + "No request ended, so W and the number of requests inside are unknown: send load, unless all requests hang.\n";
    }

    private String none() {
        var busiest = dump().groups().stream().filter(group -> group.waits() != WaitReason.TASK);
        var most = busiest.findFirst().map(group -> " Most threads: " + group.sentence() + ".");
        return "None of these limits is met." + most.orElse("");
    }

    private String named(Limit first) {
        var others = met.stream().skip(1).map(Limit::name).collect(Collectors.joining(", "));
        return "The limit that is met: " + first.name() + "." + held(first)
                + (others.isEmpty() ? "" : " Also met: " + others + ".") + why();
    }

    /** Which limit comes first when those on connections and CPUs are both met, and why. */
    private String why() {
        int holders = dump().connectionHolders().size();
        boolean connections = met.stream().anyMatch(limit -> limit.kind() == Kind.CONNECTIONS);
        if (!connections || busy == null || holders == 0) {
            return "";
        }
        var share = number(computingHolders()) + " of the " + number(holders) + " threads seen with ";
        return holdersCompute()
                ? " The CPUs come first: " + share + "a connection want a CPU."
                : " Connections come first: only " + share + "one want a CPU.";
    }

    /** How long each place is held, by Little's law. */
    private String held(Limit first) {
        if (first.kind() == Kind.MACHINE) {
            return " Other programs keep the machine's CPUs busy: runnable threads wait for a CPU, so carriers in use prove nothing.";
        }
        if (first.kind() == Kind.CONNECTIONS && Double.isNaN(first.of())) {
            return " Set spring.datasource.hikari.register-mbeans=true to see how many there are.";
        }
        if (Double.isNaN(first.of()) || throughput() == 0) {
            return "";
        }
        var of = number(first.of());
        var x = number(throughput());
        var lock = first.of() == 1 ? "this lock" : "one of these " + of + " locks";
        var who = first.kind() == Kind.LOCK ? " If each request needs " + lock + ", it" : " Each request";
        return who + " keeps one for " + of + " ÷ X = " + of + " ÷ " + x + " = "
                + number(1e3 * first.of() / throughput()) + " ms; as long as it does, X cannot exceed " + x
                + " per second.";
    }

    private static String number(double value) {
        return Text.rounded(value, 3);
    }
}
