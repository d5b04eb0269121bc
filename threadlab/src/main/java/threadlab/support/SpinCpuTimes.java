package threadlab.support;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * CPU times where no file shows which threads waited for a CPU. Ten times a second a thread computes until it has used
 * 2 ms of CPU time; the extra wall time that this takes stands for the waiting of all own threads. The JVM knows the
 * load of the whole machine and its own CPU time; the rest belongs to other processes.
 */
final class SpinCpuTimes implements CpuTimes {

    private static final long SPIN_NANOS = 2_000_000;
    private static final long PAUSE_MILLIS = 100;

    private final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private final int cpus = system.getAvailableProcessors();
    private Spinner spinner;
    private long start;
    private double ownBefore;

    /** Computes now and then until it is interrupted, and counts CPU time and wall time in nanoseconds. */
    private static final class Spinner extends Thread {
        private long computed;
        private long passed;

        @Override
        public void run() {
            var threads = ManagementFactory.getThreadMXBean();
            while (!isInterrupted()) {
                long begin = System.nanoTime();
                long cpu = threads.getCurrentThreadCpuTime();
                long used = 0;
                while (used < SPIN_NANOS) {
                    used = threads.getCurrentThreadCpuTime() - cpu;
                }
                synchronized (this) {
                    computed += used;
                    passed += Math.max(used, System.nanoTime() - begin);
                }
                try {
                    sleep(PAUSE_MILLIS);
                } catch (InterruptedException e) {
                    return;
                }
            }
        }

        /** How many seconds a thread waits for a CPU for each second that it computes. */
        synchronized double waitedPerSecond() {
            return computed == 0 ? 0 : (double) (passed - computed) / computed;
        }
    }

    @Override
    public void begin(List<Long> alsoOwn) {
        ownBefore = own(alsoOwn);
        start = System.nanoTime();
        system.getCpuLoad(); // the next call covers the time from here on
        spinner = new Spinner();
        spinner.setName("cpu share");
        spinner.setDaemon(true);
        spinner.start();
    }

    @Override
    public CpuShare.Counted end(List<Long> alsoOwn) {
        double own = Math.max(0, own(alsoOwn) - ownBefore);
        double seconds = (System.nanoTime() - start) / 1e9;
        double busy = Math.max(0, system.getCpuLoad()) * cpus * seconds;
        spinner.interrupt();
        return CpuTimes.counted(own, Math.max(0, busy - own), 0, own * spinner.waitedPerSecond(), seconds);
    }

    /** CPU time in seconds of this JVM, its live children, and the other processes that work for it. */
    private double own(List<Long> alsoOwn) {
        var also = alsoOwn.stream().flatMap(pid -> ProcessHandle.of(pid).stream());
        var times = Stream.concat(ProcessHandle.current().descendants(), also)
                .flatMap(process -> process.info().totalCpuDuration().stream());
        long children = times.mapToLong(Duration::toNanos).sum();
        return (system.getProcessCpuTime() + children) / 1e9;
    }
}
