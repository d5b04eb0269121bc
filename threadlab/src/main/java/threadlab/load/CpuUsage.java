package threadlab.load;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import threadlab.child.ProcessCpu;

/** CPU time that is used from the creation of this object on. */
final class CpuUsage {

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final long server;
    private final long ownBefore;
    private final double serverBefore;

    /**
     * Begins to count.
     *
     * @param server the server's process; 0 for none
     */
    CpuUsage(long server) {
        this.server = server;
        // each call covers the time since the one before
        system.getCpuLoad();
        serverBefore = serverSeconds();
        ownBefore = system.getProcessCpuTime();
    }

    /** What was used in the seconds since its making. */
    LoadResult.Cpu during(double seconds) {
        double own = (system.getProcessCpuTime() - ownBefore) / 1e9;
        double served = serverSeconds() - serverBefore;
        int cpus = Runtime.getRuntime().availableProcessors();
        // the system may count CPUs that this process may not use
        double busy = Math.max(system.getCpuLoad() * cpus, (own + (Double.isNaN(served) ? 0 : served)) / seconds);
        return new LoadResult.Cpu(own, served, busy, cpus);
    }

    private double serverSeconds() {
        return server == 0 ? Double.NaN : ProcessCpu.seconds(server);
    }
}
