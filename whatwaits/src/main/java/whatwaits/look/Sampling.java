package whatwaits.look;

import java.io.IOException;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Owner;
import whatwaits.rules.Pool;
import whatwaits.rules.Sample;
import whatwaits.rules.TextDump;

/**
 * Readings of a JVM over time. Its scheduler and its CPU time are read often, which stops nothing. Its platform threads
 * are printed now and then, which stops all of them for a moment.
 */
final class Sampling {

    private static final Pattern SCHEDULER = Pattern.compile(
            "parallelism = (\\d+), size = (\\d+), active = (\\d+),.* tasks = (\\d+), submissions = (\\d+)");

    private final Reach reach;
    private final Duration period;
    private final long start = System.nanoTime();
    private final List<Fast> fast = new ArrayList<>();
    private final List<Print> prints = new ArrayList<>();
    private long printed;

    /** One reading of the scheduler and of the process; NaN where nobody says. */
    record Fast(long nanos, double mounted, double queued, double parallelism, double poolSize, double cpuSeconds) {}

    private record Print(long nanos, String text) {}

    /** A platform thread waits for a lock whose owner the JVM finds by a walk through its heap. */
    private static final Pattern WAITS = Pattern.compile(
            "parking to wait for  <0x\\w+> \\(a java\\.util\\.concurrent\\.locks\\.Reentrant\\w+\\$\\w+Sync\\)");

    Sampling(Reach reach, Duration period) {
        this.reach = reach;
        // each command by a prefix starts programs here and there
        this.period = reach.isElsewhere() ? Duration.ofSeconds(1) : period;
    }

    /** The process's CPU time from outside, and its scheduler, which has a command since Java 24. */
    void read() throws IOException, InterruptedException {
        double unknown = Double.NaN;
        double cpu = reach.cpuSeconds();
        // of the CPU time: a busy JVM may take long for the command below
        long now = System.nanoTime();
        if (reach.java < Reach.SCHEDULER_SINCE) {
            fast.add(new Fast(now, unknown, unknown, unknown, unknown, cpu));
            return;
        }
        var said = SCHEDULER.matcher(reach.commands.send(Reach.SOON, "Thread.vthread_scheduler"));
        if (!said.find()) {
            // no virtual thread has started yet
            fast.add(new Fast(now, 0, 0, unknown, 0, cpu));
            return;
        }
        double[] figures = new double[5];
        for (int i = 0; i < figures.length; i++) {
            figures[i] = Double.parseDouble(said.group(i + 1));
        }
        double queued = figures[3] + figures[4];
        fast.add(new Fast(now, figures[2], queued, figures[0], figures[1], cpu));
    }

    void print() throws IOException, InterruptedException {
        print(false);
    }

    /**
     * Prints the platform threads.
     *
     * @param owners whether to ask who owns locks of {@code java.util.concurrent} if somebody waited for one before
     */
    void print(boolean owners) throws IOException, InterruptedException {
        boolean asks = owners && WAITS.matcher(prints.getLast().text).find();
        long began = System.nanoTime();
        var text = reach.commands.send(Reach.SOON, asks ? "Thread.print -e -l" : "Thread.print -e");
        printed += System.nanoTime() - began;
        prints.add(new Print(began, text));
    }

    /**
     * Reads until a time, and for some time at least: a busy JVM may take long for what was asked before.
     *
     * @param between how long no print may be old; null if none is wanted
     */
    void until(long planned, Duration least, Duration between) throws IOException, InterruptedException {
        long next = System.nanoTime();
        long until = Math.max(planned, next + least.toNanos());
        while (true) {
            next = Math.max(next + period.toNanos(), System.nanoTime());
            if (next > until) {
                Thread.sleep(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
                return;
            }
            Thread.sleep(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
            read();
            if (between != null && System.nanoTime() - prints.getLast().nanos >= between.toNanos()) {
                print();
            }
        }
    }

    /** The texts of the prints. */
    List<String> prints() {
        return prints.stream().map(Print::text).toList();
    }

    /** What printing has taken, in milliseconds. */
    double printed() {
        return printed / 1e6;
    }

    double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    /** The last readings, at most so many; the others are forgotten. */
    List<Fast> last(int most) {
        while (fast.size() > most) {
            fast.removeFirst();
        }
        return fast;
    }

    /** The CPUs that each platform thread used between two prints, which also name the threads. */
    List<Sample> samples() throws IOException {
        var read = read(new DumpReader(Owner::byName));
        var samples = new ArrayList<Sample>();
        int to = 1;
        for (int i = 1; i < fast.size(); i++) {
            var one = fast.get(i);
            var before = fast.get(i - 1);
            while (to < prints.size() - 1 && prints.get(to).nanos < one.nanos) {
                to++;
            }
            var used = new HashMap<Long, Double>();
            var pools = new TreeMap<String, Sample.Use>();
            if (to < prints.size()) {
                used.putAll(used(read.get(to - 1), read.get(to), prints.get(to).nanos - prints.get(to - 1).nanos));
                read.get(to).threads().stream()
                        .filter(thread -> used.containsKey(thread.id()) && !Pool.isJvms(thread.name()))
                        .forEach(thread -> pools.merge(
                                Pool.of(thread.name()),
                                new Sample.Use(1, used.get(thread.id())),
                                (a, b) -> new Sample.Use(a.threads() + b.threads(), a.cpus() + b.cpus())));
            }
            double cpus = (one.cpuSeconds - before.cpuSeconds) / ((one.nanos - before.nanos) / 1e9);
            double theirs =
                    used.values().stream().mapToDouble(Double::doubleValue).sum();
            samples.add(new Sample(
                    (one.nanos - start) / 1e9,
                    prints.isEmpty() ? Double.NaN : used.size(),
                    one.mounted,
                    one.queued,
                    one.parallelism,
                    one.poolSize,
                    Double.isNaN(cpus) ? theirs : cpus,
                    pools,
                    used));
        }
        return samples;
    }

    private List<TextDump> read(DumpReader stacks) throws IOException {
        var read = new ArrayList<TextDump>();
        for (Print print : prints) {
            read.add(TextDump.read(new StringReader(print.text), stacks));
        }
        return read;
    }

    private static Map<Long, Double> used(TextDump from, TextDump to, double nanos) {
        var used = new HashMap<Long, Double>();
        for (var thread : to.threads()) {
            var now = to.cpuMillis().get(thread.id());
            if (now != null) {
                double before = from.cpuMillis().getOrDefault(thread.id(), 0.0);
                used.put(thread.id(), Math.max(0, now - before) * 1e6 / nanos);
            }
        }
        return used;
    }

    /** The CPU time that each platform thread used between the first print and the last, in milliseconds, by number. */
    List<ThreadUse> threads(double cpuMillis) throws IOException {
        var read = read(new DumpReader(Owner::byName));
        double nanos = prints.getLast().nanos - prints.getFirst().nanos;
        var used = used(read.getFirst(), read.getLast(), nanos);
        var threads = new ArrayList<ThreadUse>();
        for (var thread : read.getLast().threads()) {
            if (used.containsKey(thread.id())) {
                double cpus = used.get(thread.id());
                threads.add(
                        new ThreadUse(thread.name(), Pool.of(thread.name()), thread.id(), cpus * nanos / 1e6, cpus));
            }
        }
        threads.sort((one, other) -> Double.compare(other.cpus(), one.cpus()));
        double rest = Math.max(
                0,
                cpuMillis - threads.stream().mapToDouble(ThreadUse::cpuMillis).sum());
        threads.add(new ThreadUse("(JVM itself)", "(JVM itself)", 0, rest, rest * 1e6 / nanos));
        return threads;
    }
}
