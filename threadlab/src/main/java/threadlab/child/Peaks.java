package threadlab.child;

import java.nio.file.Path;
import java.time.Duration;
import threadlab.measure.Proc;

/** The most memory and the most threads seen in a live process; both only rise. */
final class Peaks {

    private final Path status;
    private long observed;
    private long memory = -1;
    private int threads = -1;

    Peaks(long pid) {
        status = Path.of("/proc", String.valueOf(pid), "status");
    }

    /** Reads the current values from the system. */
    void observe() {
        observed = System.nanoTime();
        for (String kilobytes : Proc.field(status, "VmHWM:")) {
            memory = Math.max(memory, Long.parseLong(kilobytes) * 1_024);
        }
        for (String count : Proc.field(status, "Threads:")) {
            threads = Math.max(threads, Integer.parseInt(count));
        }
    }

    boolean newerThan(Duration age) {
        return System.nanoTime() - observed < age.toNanos();
    }

    /** Resident memory in bytes; -1 where the system does not report it. */
    long memory() {
        return memory;
    }

    /** Native threads; -1 where the system does not report them. */
    int threads() {
        return threads;
    }
}
