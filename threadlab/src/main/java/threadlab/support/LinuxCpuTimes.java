package threadlab.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * CPU times from {@code /proc} (proc(5)): those of the CPUs that this process may use, from {@code stat}; those of own
 * processes, from {@code PID/stat}; and how long own threads were ready without a CPU, from
 * {@code PID/task/TID/schedstat}.
 *
 * <p>When a thread ends, its {@code schedstat} is gone. Its waiting time is estimated from the threads that were seen:
 * their waiting time is multiplied by the CPU time of the processes ÷ that of these threads.
 */
final class LinuxCpuTimes implements CpuTimes {

    /** Ticks a second in {@code stat}: sysconf(_SC_CLK_TCK), 100 on every common system. */
    private static final double TICKS = 100;

    /** In a process with more threads, this many stand for all of them. */
    private static final int MOST_THREADS = 200;

    /** The largest factor of that scaling: live threads that hardly computed say little about those that have ended. */
    private static final double MOST_SCALE = 10;

    private record Waiting(double run, double waited) {}

    private record Snapshot(double busy, double stolen, double own, Map<Path, Waiting> threads) {}

    private final Path proc;
    private final LongSupplier nanos;
    private final Map<Path, Waiting> latest = new HashMap<>();
    private Snapshot begin;
    private long start;

    LinuxCpuTimes(Path proc, LongSupplier nanos) {
        this.proc = proc;
        this.nanos = nanos;
    }

    @Override
    public void begin(List<Long> alsoOwn) {
        begin = snapshot(alsoOwn);
        start = nanos.getAsLong();
        latest.clear();
    }

    @Override
    public void observe(List<Long> alsoOwn) {
        own(alsoOwn).forEach(process -> latest.putAll(threads(proc.resolve(process.pid + "/task"))));
    }

    @Override
    public CpuShare.Counted end(List<Long> alsoOwn) {
        var end = snapshot(alsoOwn);
        latest.putAll(end.threads);
        double own = Math.max(0, end.own - begin.own);
        double run = 0;
        double waited = 0;
        for (var entry : latest.entrySet()) {
            var before = begin.threads.getOrDefault(entry.getKey(), new Waiting(0, 0));
            run += entry.getValue().run - before.run;
            waited += entry.getValue().waited - before.waited;
        }
        double scale = run > 0 ? Math.clamp(own / run, 1, MOST_SCALE) : 1;
        double others = Math.max(0, end.busy - begin.busy - own);
        double seconds = (nanos.getAsLong() - start) / 1e9;
        return CpuTimes.counted(own, others, end.stolen - begin.stolen, waited * scale, seconds);
    }

    private Snapshot snapshot(List<Long> alsoOwn) {
        double busy = 0;
        double stolen = 0;
        var cpus = allowed();
        var lines = words(proc.resolve("stat")).filter(line -> cpus.test(line[0]));
        for (var cpu : lines.toList()) {
            // user nice system idle iowait irq softirq steal; guests are in user and nice
            busy += (number(cpu, 1) + number(cpu, 2) + number(cpu, 3) + number(cpu, 6) + number(cpu, 7)) / TICKS;
            stolen += number(cpu, 8) / TICKS;
        }
        double own = 0;
        var threads = new HashMap<Path, Waiting>();
        for (var process : own(alsoOwn)) {
            own += process.seconds;
            threads.putAll(threads(proc.resolve(process.pid + "/task")));
        }
        return new Snapshot(busy, stolen, own, threads);
    }

    /** The CPUs that this process may use, by their names in {@code stat}. */
    private Predicate<String> allowed() {
        var cpus = Proc.cpus(proc.resolve("self/status"));
        var list = cpus.mapToObj(cpu -> "cpu" + cpu).toList();
        return list.isEmpty() ? name -> name.matches("cpu\\d+") : list::contains;
    }

    /** A process, its parent, and the CPU time in seconds of it and of the children that it has waited for. */
    private record Process(long pid, long parent, double seconds) {}

    private List<Process> own(List<Long> alsoOwn) {
        var all = new ArrayList<Process>();
        try (var folders = Files.newDirectoryStream(proc, "[0-9]*")) {
            folders.forEach(folder -> process(folder).ifPresent(all::add));
        } catch (IOException e) {
            return List.of();
        }
        Set<Long> own = new HashSet<>(alsoOwn);
        own.add(ProcessHandle.current().pid());
        boolean more = true;
        while (more) { // children of children
            var children = all.stream().filter(process -> own.contains(process.parent));
            more = own.addAll(children.map(Process::pid).toList());
        }
        return all.stream().filter(process -> own.contains(process.pid)).toList();
    }

    private static Optional<Process> process(Path folder) {
        // the second field is the program's name in parentheses, which may itself contain spaces and parentheses
        return Proc.lines(folder.resolve("stat")).stream().findFirst().map(line -> {
            var words = line.substring(line.lastIndexOf(')') + 2).split(" ");
            double ticks = number(words, 11) + number(words, 12) + number(words, 13) + number(words, 14);
            long pid = Long.parseLong(folder.getFileName().toString());
            return new Process(pid, Long.parseLong(words[1]), ticks / TICKS);
        });
    }

    private static Map<Path, Waiting> threads(Path tasks) {
        var threads = new HashMap<Path, Waiting>();
        try (var folders = Files.newDirectoryStream(tasks)) {
            for (var folder : folders) {
                var nanos = words(folder.resolve("schedstat")).findFirst();
                nanos.ifPresent(it -> threads.put(folder, new Waiting(number(it, 0) / 1e9, number(it, 1) / 1e9)));
                if (threads.size() == MOST_THREADS) {
                    break;
                }
            }
        } catch (IOException e) {
            return threads; // the process has just ended
        }
        return threads;
    }

    private static double number(String[] words, int at) {
        return at < words.length ? Double.parseDouble(words[at]) : 0;
    }

    private static Stream<String[]> words(Path file) {
        return Proc.lines(file).stream().map(line -> line.strip().split("\\s+"));
    }
}
