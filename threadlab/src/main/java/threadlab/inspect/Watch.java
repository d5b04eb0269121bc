package threadlab.inspect;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.JMException;
import javax.management.ObjectName;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.LongColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Arguments;

/**
 * Samples of a JVM, ten a second. Each call to a management bean costs the watched JVM CPU time, about a millisecond
 * while the code is still cold there; so what changes slowly is read once a second, and the rest comes from the system
 * and from {@link JdkInternals}. Measured on idle children on Java 21, 25 and 27, on a quiet machine, in windows of
 * 10 s: 0.4 to 0.8 % of a CPU, and 1.4 to 1.6 % in the first window.
 */
final class Watch {

    static final Duration PERIOD = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofMinutes(10);

    private static final Duration SLOWLY = Duration.ofSeconds(1);
    private static final double[] UNKNOWN = {Double.NaN, Double.NaN, Double.NaN, Double.NaN};

    /** One sample; its slow values are those of the next slow reading. */
    private record Sample(long nanos, double[] scheduler, double cpuSeconds, int slow) {}

    /** What is read once a second. */
    private record Slow(long nanos, double gcMillis, Map<Long, Long> cpuByThread) {}

    private final Connection connection;
    private final Map<Long, String> names = new ConcurrentHashMap<>();
    private final com.sun.management.ThreadMXBean threads;
    private final OperatingSystemMXBean system;
    private final List<ObjectName> collectors = new ArrayList<>();
    private Set<String> tasks = Set.of();
    private boolean settled;
    private long[] ids = {};

    Watch(Connection connection) throws IOException {
        this.connection = connection;
        threads = connection.bean(ManagementFactory.THREAD_MXBEAN_NAME, com.sun.management.ThreadMXBean.class);
        system = connection.bean(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME, OperatingSystemMXBean.class);
        for (ObjectName bean : connection
                .beans()
                .queryNames(Connection.name(ManagementFactory.GARBAGE_COLLECTOR_MXBEAN_DOMAIN_TYPE + ",*"), null)) {
            // these count time in which the program keeps running
            if (!bean.getKeyProperty("name").matches(".*(Concurrent|Cycles).*")) {
                collectors.add(bean);
            }
        }
    }

    static Duration checked(Duration time) {
        return Arguments.inRange("time", time, PERIOD, LONGEST);
    }

    /** One row per sample. */
    Table over(Duration time) throws IOException, JMException, InterruptedException {
        var samples = new ArrayList<Sample>();
        var slow = new ArrayList<Slow>();
        long start = System.nanoTime();
        long next = start;
        slow.add(slow());
        // the first reading costs more than others: the first row covers the time after it
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
            samples.add(sample(slow.size()));
            boolean last = System.nanoTime() - start >= time.toNanos();
            if (last || System.nanoTime() - slow.getLast().nanos >= SLOWLY.toNanos()) {
                slow.add(slow());
            }
        } while (System.nanoTime() - start < time.toNanos());
        if (slow.size() == samples.getLast().slow) {
            slow.add(slow());
        }
        return table(start, cpuSince, cpuBefore, samples, slow);
    }

    /** The CPU time that each thread used between two samples. */
    Table threads(Duration time) throws IOException, JMException, InterruptedException {
        double cpuBefore = cpuSeconds();
        var before = slow();
        Thread.sleep(time);
        var after = slow();
        double all = (cpuSeconds() - cpuBefore) * 1e3;
        double seconds = (after.nanos - before.nanos) / 1e9;
        var table = Table.create(
                "CPU time by thread",
                StringColumn.create("thread"),
                StringColumn.create("pool"),
                LongColumn.create("id"),
                DoubleColumn.create("CPU (ms)"),
                DoubleColumn.create("CPUs"));
        double sum = 0;
        for (var entry : after.cpuByThread.entrySet()) {
            double ms = (entry.getValue() - before.cpuByThread.getOrDefault(entry.getKey(), 0L)) / 1e6;
            sum += ms;
            row(table, names.get(entry.getKey()), Pool.of(names.get(entry.getKey())), entry.getKey(), ms, seconds);
        }
        var sorted = table.sortDescendingOn("CPU (ms)");
        row(sorted, "(JVM itself)", "(JVM itself)", null, Math.max(0, all - sum), seconds);
        return sorted.setName("CPU time by thread");
    }

    private static void row(Table table, String thread, String pool, Long id, double ms, double seconds) {
        table.stringColumn("thread").append(thread);
        table.stringColumn("pool").append(pool);
        table.longColumn("id").append(id);
        table.doubleColumn("CPU (ms)").append(ms);
        table.doubleColumn("CPUs").append(ms / 1e3 / seconds);
    }

    /** Read from outside where the system allows it, which costs the watched JVM nothing. */
    private double cpuSeconds() {
        return ProcessHandle.of(connection.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .map(cpu -> cpu.toNanos() / 1e9)
                .orElseGet(() -> system.getProcessCpuTime() / 1e9);
    }

    private Sample sample(int slow) throws IOException, JMException {
        double[] figures = connection.hasScheduler() ? Scheduler.read(connection) : UNKNOWN;
        return new Sample(System.nanoTime(), figures, cpuSeconds(), slow);
    }

    private Slow slow() throws IOException, JMException {
        double gc = 0;
        for (ObjectName collector : collectors) {
            gc += ((Number) connection.beans().getAttribute(collector, "CollectionTime")).doubleValue();
        }
        long[] ids = ids();
        long[] cpu = threads.getThreadCpuTime(ids);
        name(ids);
        var byThread = new HashMap<Long, Long>();
        for (int i = 0; i < ids.length; i++) {
            // -1: the thread has ended meanwhile
            if (cpu[i] >= 0 && names.containsKey(ids[i])) {
                byThread.put(ids[i], cpu[i]);
            }
        }
        return new Slow(System.nanoTime(), gc, byThread);
    }

    /** The platform threads. They are read again only if the system's threads have changed. */
    private synchronized long[] ids() {
        var now = tasks();
        boolean same = !now.isEmpty() && now.equals(tasks);
        // the system knows a new thread a moment before the JVM does, so they are read once more
        if (!same || !settled) {
            ids = threads.getAllThreadIds();
        }
        settled = same;
        tasks = now;
        return ids;
    }

    /** The system's threads of the process, by number; none where the system does not show them. */
    private Set<String> tasks() {
        var shown = Path.of("/proc", String.valueOf(connection.pid()), "task")
                .toFile()
                .list();
        return shown == null ? Set.of() : Set.of(shown);
    }

    /** Asks for the names of new threads: each name is asked for only once. */
    private void name(long[] ids) {
        long[] unknown = Arrays.stream(ids).filter(id -> !names.containsKey(id)).toArray();
        if (unknown.length > 0) {
            for (ThreadInfo info : threads.getThreadInfo(unknown)) {
                if (info != null) {
                    names.put(info.getThreadId(), info.getThreadName());
                }
            }
        }
    }

    private Table table(long start, long cpuSince, double cpuBefore, List<Sample> samples, List<Slow> slow) {
        var table = Table.create("process " + connection.pid() + " over time", DoubleColumn.create("seconds"));
        table.addColumns(DoubleColumn.create("platform threads"));
        Scheduler.COLUMNS.forEach(column -> table.addColumns(DoubleColumn.create(column)));
        table.addColumns(DoubleColumn.create("CPUs"), DoubleColumn.create("GC (ms)"));
        var pools = new TreeSet<String>();
        for (Slow reading : slow) {
            reading.cpuByThread.keySet().stream()
                    .map(names::get)
                    .filter(name -> !Pool.isJvms(name))
                    .map(Pool::of)
                    .forEach(pools::add);
        }
        for (String pool : pools) {
            table.addColumns(DoubleColumn.create("threads " + pool), DoubleColumn.create("CPUs " + pool));
        }
        long before = cpuSince;
        double cpu = cpuBefore;
        for (Sample sample : samples) {
            var from = slow.get(sample.slow - 1);
            var to = slow.get(sample.slow);
            table.doubleColumn("seconds").append((sample.nanos - start) / 1e9);
            table.doubleColumn("platform threads").append(to.cpuByThread.size());
            for (int i = 0; i < sample.scheduler.length; i++) {
                table.doubleColumn(Scheduler.COLUMNS.get(i)).append(sample.scheduler[i]);
            }
            table.doubleColumn("CPUs").append((sample.cpuSeconds - cpu) / ((sample.nanos - before) / 1e9));
            table.doubleColumn("GC (ms)").append(to.gcMillis - from.gcMillis);
            for (String pool : pools) {
                double threads = 0;
                double used = 0;
                for (var thread : to.cpuByThread.entrySet()) {
                    if (Pool.of(names.get(thread.getKey())).equals(pool)) {
                        threads++;
                        used += thread.getValue() - from.cpuByThread.getOrDefault(thread.getKey(), 0L);
                    }
                }
                table.doubleColumn("threads " + pool).append(threads);
                table.doubleColumn("CPUs " + pool).append(used / (to.nanos - from.nanos));
            }
            before = sample.nanos;
            cpu = sample.cpuSeconds;
        }
        return table;
    }
}
