package threadlab.support;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads which processes had the system's CPUs and which waited for them. */
interface CpuTimes {

    /**
     * What others may keep without harm, in seconds of CPU time per second.
     *
     * <p>Measured on two virtual CPUs with notebook 01: on a quiet machine a hypervisor took up to 0.1 from experiments
     * that mostly slept, and the claims held. With ten learners no claim of 00 and 01 broke; at 0.2 one of 190 did.
     */
    double HARMLESS = 0.1;

    /** Linux reports both; elsewhere a thread that computes now and then stands for the measured ones. */
    static CpuTimes ofThisSystem() {
        return Files.isReadable(Path.of("/proc/self/task"))
                ? new LinuxCpuTimes(Path.of("/proc"), System::nanoTime)
                : new SpinCpuTimes();
    }

    /**
     * Starts counting.
     *
     * @param alsoOwn processes that work for this JVM and are not its children
     */
    void begin(List<Long> alsoOwn);

    /** Looks at the threads that run now, because some may end before the count does. */
    default void observe(List<Long> alsoOwn) {}

    /** What was counted since {@link #begin}. */
    CpuShare.Counted end(List<Long> alsoOwn);

    /**
     * The CPU time that others kept from own threads, in seconds; {@link CpuShare} has the formula. It is at most
     * what they used, because own threads also wait for each other, often many times as long.
     *
     * @param own CPU time of own threads
     * @param others CPU time of others on the same CPUs
     * @param stolen time that a hypervisor gave to other machines
     * @param waited time for which own threads were ready and had no CPU
     * @param seconds how long the count lasted
     */
    static CpuShare.Counted counted(double own, double others, double stolen, double waited, double seconds) {
        double all = own + others;
        double kept = all > 0 ? Math.min(waited / all, 1) * others + stolen * own / all : 0;
        return new CpuShare.Counted(own, Math.max(0, kept - HARMLESS * seconds));
    }
}
