package whatwaits.rules;

import java.util.List;
import java.util.Map;

/**
 * What was observed of a JVM over some time.
 *
 * @param samples of that time
 * @param dump threads within that time
 * @param gauges figures about pools
 * @param cpus processors available to that JVM
 * @param machine share of the machine's CPUs that was busy with any program; NaN where it is not known
 * @param requests those that ended in that time
 */
public record Observation(
        List<Sample> samples, ThreadDump dump, Map<Gauge, Double> gauges, int cpus, double machine, Requests requests) {

    /**
     * {@return the same with other requests, and with their gauges where the JVM itself reports none}
     *
     * @param ended the requests that ended meanwhile
     */
    public Observation with(Requests ended) {
        return new Observation(samples, dump, gauges, cpus, machine, ended);
    }

    /** A figure about pools, from the JVM itself or else from the source of the requests; NaN if neither has it. */
    double gauge(Gauge gauge) {
        return gauges.getOrDefault(gauge, requests.gauges().getOrDefault(gauge, Double.NaN));
    }

    /** {@return how many threads wait for something other than work} */
    public int waiting() {
        int all = dump.groups().stream().mapToInt(Group::size).sum();
        return all - dump.count(WaitReason.TASK) - dump.count(WaitReason.NOTHING);
    }
}
