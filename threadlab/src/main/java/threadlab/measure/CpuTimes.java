package threadlab.measure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where a system shows who had its CPUs and who waited for them. */
interface CpuTimes {

    /** Linux shows both; elsewhere a thread that computes now and then stands for those that are measured. */
    static CpuTimes ofThisSystem() {
        return Files.isReadable(Path.of("/proc/self/task")) ? new LinuxCpuTimes(Path.of("/proc")) : new SpinCpuTimes();
    }

    /**
     * Counts from here.
     *
     * @param alsoOwn processes that work for this JVM and are none of its children
     */
    void begin(List<Long> alsoOwn);

    /** Looks at the threads that run now, of which some may end before the end. */
    default void observe(List<Long> alsoOwn) {}

    /** What was counted since the beginning. */
    CpuShare.Counted end(List<Long> alsoOwn);

    /**
     * What others kept from own threads, in seconds; {@link CpuShare} has the formula. It is at most what they used,
     * because own threads also wait for each other, many times as long.
     *
     * @param own CPU time of own threads
     * @param others CPU time of others on the same CPUs
     * @param stolen time that a hypervisor gave to other machines
     * @param waited time for which own threads were ready and had no CPU
     */
    static CpuShare.Counted counted(double own, double others, double stolen, double waited) {
        double all = own + others;
        double kept = all > 0 ? Math.min(waited / all, 1) * others + stolen * own / all : 0;
        return new CpuShare.Counted(own, kept);
    }
}
