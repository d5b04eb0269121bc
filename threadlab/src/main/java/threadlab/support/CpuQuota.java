package threadlab.support;

import java.nio.file.Path;

/**
 * How often the CPU quota of this process's control groups has stopped them, from {@code cpu.stat}: the system counts the
 * periods in which a group ran, and those in which its quota was used up. Both are 0 without a quota.
 *
 * @param periods all of them, usually of 100 ms
 * @param throttled those at whose end all threads stood still
 */
record CpuQuota(long periods, long throttled) {

    static final CpuQuota NONE = new CpuQuota(0, 0);

    /** So far, below a folder that takes the place of "/". */
    static CpuQuota below(Path root) {
        return Cgroup.ofThisProcess(root, "cpu")
                .map(group -> group.folder().resolve("cpu.stat"))
                .map(file -> new CpuQuota(sum(file, "nr_periods "), sum(file, "nr_throttled ")))
                .reduce(NONE, CpuQuota::plus);
    }

    private static long sum(Path file, String key) {
        return Proc.field(file, key).stream().mapToLong(Long::parseLong).sum();
    }

    CpuQuota plus(CpuQuota other) {
        return new CpuQuota(periods + other.periods, throttled + other.throttled);
    }

    CpuQuota since(CpuQuota before) {
        return new CpuQuota(periods - before.periods, throttled - before.throttled);
    }

    /** The share of the periods in which it was used up, from 0 to 1. */
    double share() {
        return periods > 0 ? (double) throttled / periods : 0;
    }
}
