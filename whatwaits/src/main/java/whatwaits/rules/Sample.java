package whatwaits.rules;

import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What was in use at one moment. Before Java 24, the four figures of the scheduler are NaN.
 *
 * @param seconds since the start
 * @param platformThreads live ones, including carriers
 * @param mounted virtual threads on a carrier, as the scheduler counts them: those for which it has added a carrier
 *     are left out
 * @param queued virtual threads that could run but wait for a carrier
 * @param parallelism carriers that may run at the same time
 * @param poolSize all carriers
 * @param cpus busy with this process, the mean since the sample before
 * @param pools the pools of platform threads, by their threads' name without its number
 * @param threads CPUs busy with each platform thread by its number, the mean of that second; carriers show whether the
 *     virtual threads on them compute
 */
public record Sample(
        double seconds,
        double platformThreads,
        double mounted,
        double queued,
        double parallelism,
        double poolSize,
        double cpus,
        Map<String, Use> pools,
        Map<Long, Double> threads) {

    /**
     * How much a pool of platform threads was used.
     *
     * @param threads how many it has
     * @param cpus busy with it, the mean of that second
     */
    public record Use(double threads, double cpus) {}

    /** CPUs busy with the program's own threads: attaching and recording cost more than a program that rests. */
    double program() {
        return pools.isEmpty()
                ? cpus
                : pools.values().stream().mapToDouble(Use::cpus).sum();
    }

    /** CPUs busy with virtual threads. */
    double carriers() {
        return pools.getOrDefault(Pool.CARRIERS, new Use(0, 0)).cpus();
    }

    /** The mean of a figure over samples; NaN if none has it. */
    static double mean(List<Sample> samples, ToDoubleFunction<Sample> figure) {
        var known = samples.stream().mapToDouble(figure).filter(value -> !Double.isNaN(value));
        return known.average().orElse(Double.NaN);
    }
}
