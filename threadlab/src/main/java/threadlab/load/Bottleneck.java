package threadlab.load;

/**
 * What, other than the server, limited a run.
 *
 * @param name {@code none}, {@code generator} or {@code CPUs}
 * @param sentence an explanation; empty for {@code none}
 */
record Bottleneck(String name, String sentence) {

    /** At this share or more, CPUs count as busy. */
    private static final double BUSY = 0.9;

    /**
     * Judges a run.
     *
     * @param own CPUs that the generator used on average
     * @param server CPUs that the server used, or NaN
     * @param busy CPUs that were busy
     * @param cpus CPUs available to the generator
     * @param late how late the generator was, in ms
     * @param mean latency in ms, or NaN
     */
    static Bottleneck of(double own, double server, double busy, int cpus, double late, double mean) {
        double others = Math.max(0, busy - own - (Double.isNaN(server) ? 0 : server));
        var shares = "of %d %s, the generator used %.1f, %severything else %.1f"
                .formatted(
                        cpus,
                        cpus == 1 ? "CPU" : "CPUs",
                        own,
                        Double.isNaN(server) ? "" : "the server %.1f, ".formatted(server),
                        others);
        if (busy >= BUSY * cpus && own >= busy / 2) {
            return new Bottleneck(
                    "generator",
                    "the load generator was the bottleneck (%s), so these are not the server's limits: use fewer clients or a lower rate."
                            .formatted(shares));
        }
        if (busy >= BUSY * cpus) {
            return new Bottleneck(
                    "CPUs",
                    "the CPUs of this machine were the bottleneck (%s), so throughput may not be the limit of the server, and latencies may include waits for a CPU."
                            .formatted(shares));
        }
        if (late > Math.max(2, mean / 10)) {
            return new Bottleneck(
                    "generator",
                    "the load generator could not keep up (it was up to %.0f ms late; %s), so latencies include its own delays: use a smaller load, or check what else runs here."
                            .formatted(late, shares));
        }
        return new Bottleneck("none", "");
    }
}
