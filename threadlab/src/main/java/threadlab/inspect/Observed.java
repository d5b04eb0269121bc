package threadlab.inspect;

import java.util.Map;
import tech.tablesaw.api.Table;

/**
 * What was observed of a JVM over some time.
 *
 * @param watched samples of that time
 * @param dump threads within that time
 * @param gauges figures about pools, from management beans
 * @param cpus processors available to that JVM
 * @param machine share of the machine's CPUs that was busy with any program; NaN where it is not known
 */
record Observed(Table watched, ThreadDump dump, Map<String, Double> gauges, int cpus, double machine) {

    /** Threads that wait for something other than work. */
    int waiting() {
        return dump.groups().stream()
                .filter(group -> group.waits() != WaitReason.TASK && group.waits() != WaitReason.NOTHING)
                .mapToInt(group -> group.threads().size())
                .sum();
    }
}
