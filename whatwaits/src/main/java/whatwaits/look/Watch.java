package whatwaits.look;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.JMException;
import javax.management.ObjectName;
import whatwaits.rules.Pool;
import whatwaits.rules.Sample;

/**
 * Samples of a JVM, ten a second. Each call to a management bean costs the watched JVM CPU time, about a millisecond
 * while the code is still cold there; so what changes slowly is read once a second.
 */
final class Watch {

    static final Duration PERIOD = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(10);
    private static final Duration SLOWLY = Duration.ofSeconds(1);

    /** The first Java whose scheduler of virtual threads has a bean. */
    static final int SCHEDULER_SINCE = 24;

    private static final ObjectName SCHEDULER = Connection.name("jdk.management:type=VirtualThreadScheduler");
    private static final String[] FIGURES = {
        "MountedVirtualThreadCount", "QueuedVirtualThreadCount", "Parallelism", "PoolSize"
    };
    private static final double[] UNKNOWN = {Double.NaN, Double.NaN, Double.NaN, Double.NaN};

    /** One reading; its slow values are those of the next slow reading. */
    private record Fast(long nanos, double[] scheduler, double cpuSeconds, int slow) {}

    /** What is read once a second. */
    private record Slow(long nanos, double gcMillis, Map<Long, Long> cpuByThread) {}

    private final Connection connection;
    private final ThreadMXBean threads;
    private final OperatingSystemMXBean system;
    private final List<ObjectName> collectors = new ArrayList<>();

    /** Each name is asked for only once. */
    private final Map<Long, String> names = new ConcurrentHashMap<>();

    Watch(Connection connection) throws IOException {
        this.connection = connection;
        threads = connection.bean(ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        system = connection.bean(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME, OperatingSystemMXBean.class);
        var all = Connection.name(ManagementFactory.GARBAGE_COLLECTOR_MXBEAN_DOMAIN_TYPE + ",*");
        for (ObjectName bean : connection.beans.queryNames(all, null)) {
            // these count time in which the program keeps running
            if (!bean.getKeyProperty("name").matches(".*(Concurrent|Cycles).*")) {
                collectors.add(bean);
            }
        }
    }

    static void check(Duration time) {
        if (time.compareTo(PERIOD) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(
                    "time is %s s, but must be from 0.1 s to 10 minutes".formatted(time.toMillis() / 1e3));
        }
    }

    List<Sample> over(Duration time) throws IOException, JMException, InterruptedException {
        var fast = new ArrayList<Fast>();
        var slow = new ArrayList<Slow>();
        long start = System.nanoTime();
        long next = start;
        slow.add(slow());
        // the first reading costs more than others: the first sample covers the time after it
        double cpuBefore = cpuSeconds();
        long cpuSince = System.nanoTime();
        if (cpuSince - start > PERIOD.toNanos() / 2) {
            next = cpuSince - PERIOD.toNanos() / 2;
        }
        do {
            next += PERIOD.toNanos();
            long left = next - System.nanoTime();
            if (left > 0) {
                Thread.sleep(Duration.ofNanos(left));
            } else {
                // late: the next one comes a whole period later
                next = System.nanoTime();
            }
            fast.add(new Fast(System.nanoTime(), scheduler(), cpuSeconds(), slow.size()));
            boolean last = System.nanoTime() - start >= time.toNanos();
            if (last || System.nanoTime() - slow.getLast().nanos >= SLOWLY.toNanos()) {
                slow.add(slow());
            }
        } while (System.nanoTime() - start < time.toNanos());
        if (slow.size() == fast.getLast().slow) {
            slow.add(slow());
        }
        var pools = new ArrayList<Map<String, Sample.Use>>();
        var cpus = new ArrayList<Map<Long, Double>>();
        for (int i = 1; i < slow.size(); i++) {
            var used = used(slow.get(i - 1), slow.get(i));
            cpus.add(used);
            pools.add(pools(used));
        }
        var samples = new ArrayList<Sample>();
        for (Fast one : fast) {
            var from = slow.get(one.slow - 1);
            var to = slow.get(one.slow);
            samples.add(new Sample(
                    (one.nanos - start) / 1e9,
                    to.cpuByThread.size(),
                    one.scheduler[0],
                    one.scheduler[1],
                    one.scheduler[2],
                    one.scheduler[3],
                    (one.cpuSeconds - cpuBefore) / ((one.nanos - cpuSince) / 1e9),
                    to.gcMillis - from.gcMillis,
                    pools.get(one.slow - 1),
                    cpus.get(one.slow - 1)));
            cpuSince = one.nanos;
            cpuBefore = one.cpuSeconds;
        }
        return samples;
    }

    /** The CPUs that each thread used between two readings. */
    private static Map<Long, Double> used(Slow from, Slow to) {
        var used = new HashMap<Long, Double>();
        to.cpuByThread.forEach((id, nanos) ->
                used.put(id, (double) (nanos - from.cpuByThread.getOrDefault(id, 0L)) / (to.nanos - from.nanos)));
        return used;
    }

    private Map<String, Sample.Use> pools(Map<Long, Double> used) {
        var pools = new TreeMap<String, Sample.Use>();
        used.forEach((id, cpus) -> {
            var name = names.get(id);
            if (!Pool.isJvms(name)) {
                var others = pools.getOrDefault(Pool.of(name), new Sample.Use(0, 0));
                pools.put(Pool.of(name), new Sample.Use(others.threads() + 1, others.cpus() + cpus));
            }
        });
        return pools;
    }

    /** The CPU time that each thread used, the busiest first; the last is the JVM itself. */
    List<ThreadUse> threads(Duration time) throws IOException, JMException, InterruptedException {
        double cpuBefore = cpuSeconds();
        var before = slow();
        Thread.sleep(time);
        var after = slow();
        double seconds = (after.nanos - before.nanos) / 1e9;
        var used = new ArrayList<ThreadUse>();
        after.cpuByThread.forEach((id, nanos) -> {
            double ms = (nanos - before.cpuByThread.getOrDefault(id, 0L)) / 1e6;
            used.add(new ThreadUse(names.get(id), Pool.of(names.get(id)), id, ms, ms / 1e3 / seconds));
        });
        used.sort(Comparator.comparingDouble(thread -> -thread.cpuMillis()));
        double sum = used.stream().mapToDouble(ThreadUse::cpuMillis).sum();
        double rest = Math.max(0, (cpuSeconds() - cpuBefore) * 1e3 - sum);
        used.add(new ThreadUse("(JVM itself)", "(JVM itself)", 0, rest, rest / 1e3 / seconds));
        return used;
    }

    /** Read from outside where the system allows it, which costs the watched JVM nothing. */
    private double cpuSeconds() {
        var cpu = ProcessHandle.of(connection.pid)
                .flatMap(process -> process.info().totalCpuDuration());
        return cpu.map(Duration::toNanos).orElseGet(system::getProcessCpuTime) / 1e9;
    }

    private double[] scheduler() throws IOException, JMException {
        if (connection.java() < SCHEDULER_SINCE) {
            return UNKNOWN;
        }
        var figures = connection.beans.getAttributes(SCHEDULER, FIGURES).asList().stream();
        return figures.mapToDouble(figure -> ((Number) figure.getValue()).doubleValue())
                .toArray();
    }

    private Slow slow() throws IOException, JMException {
        double gc = 0;
        for (ObjectName collector : collectors) {
            gc += ((Number) connection.beans.getAttribute(collector, "CollectionTime")).doubleValue();
        }
        long[] ids = threads.getAllThreadIds();
        long[] cpu = threads.getThreadCpuTime(ids);
        long[] unknown = Arrays.stream(ids).filter(id -> !names.containsKey(id)).toArray();
        if (unknown.length > 0) {
            for (ThreadInfo info : threads.getThreadInfo(unknown)) {
                if (info != null) {
                    names.put(info.getThreadId(), info.getThreadName());
                }
            }
        }
        var byThread = new HashMap<Long, Long>();
        for (int i = 0; i < ids.length; i++) {
            // -1: the thread has ended meanwhile
            if (cpu[i] >= 0 && names.containsKey(ids[i])) {
                byThread.put(ids[i], cpu[i]);
            }
        }
        return new Slow(System.nanoTime(), gc, byThread);
    }
}
