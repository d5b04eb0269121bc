package threadlab.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import threadlab.child.ProcessCpu;

/** The part of a run, or of its warm-up, that counts: requests that end in it, and the CPU time used in it. */
final class Window {

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final Tally tally;
    private final long server;
    private double serverBefore;
    private long ownBefore;
    private long start;
    private double seconds;
    private LoadResult.Cpu cpu;

    /**
     * A window that is not open yet.
     *
     * @param tally counts from its beginning to its end
     * @param server the process whose CPU time is read; 0 for none
     */
    Window(Tally tally, long server) {
        this.tally = tally;
        this.server = server;
    }

    void begin() {
        // each call covers the time since the one before
        system.getCpuLoad();
        serverBefore = serverSeconds();
        ownBefore = system.getProcessCpuTime();
        start = tally.clock().nanos();
        tally.counting(true);
    }

    void end() {
        seconds = (tally.clock().nanos() - start) / 1e9;
        tally.counting(false);
        double own = (system.getProcessCpuTime() - ownBefore) / 1e9;
        double served = serverSeconds() - serverBefore;
        int cpus = Runtime.getRuntime().availableProcessors();
        // the system may count CPUs that this process may not use
        double busy = Math.max(system.getCpuLoad() * cpus, (own + (Double.isNaN(served) ? 0 : served)) / seconds);
        cpu = new LoadResult.Cpu(own, served, busy, cpus);
    }

    private double serverSeconds() {
        return server == 0 ? Double.NaN : ProcessCpu.seconds(server);
    }

    /** When it began, on the clock of its tally. */
    long start() {
        return start;
    }

    /** Notes where the load stands, while the clock runs. */
    void note(Moments moments) {
        if (tally.counting()) {
            moments.all().add(tally.moment((tally.clock().nanos() - start) / 1e9));
        }
    }

    Tally tally() {
        return tally;
    }

    LoadResult measured() {
        return tally.measured(seconds, cpu);
    }
}
