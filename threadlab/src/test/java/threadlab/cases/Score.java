package threadlab.cases;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import tech.tablesaw.api.Table;
import threadlab.child.ProcessCpu;
import threadlab.inspect.Tables;
import threadlab.load.Load;
import threadlab.measure.Machine;
import whatwaits.look.Jvm;
import whatwaits.rules.Container;
import whatwaits.rules.Limit;
import whatwaits.rules.Observation;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.Verdict;
import whatwaits.rules.WaitReason;

/**
 * What the instrument says of shops with a fault and of healthy services: one look of two seconds at each. A row for each
 * is written to a file; what has a row is not run again, so that it can be run in pieces.
 */
final class Score {

    private static final int SEEDS = 5;
    private static final Duration LOOK = Duration.ofSeconds(2);
    private static final Duration LOAD = Duration.ofSeconds(7);
    private static final Pattern LINE = Pattern.compile("\\((Shop\\.java:\\d+)\\)");
    private static final String HEADER = "what,name,round,seed,found,line right,figure right,named,line,figure,"
            + "without dumps: found,without dumps: line right,attach (ms),look (ms),"
            + "CPU (ms),CPU without a look (ms)";

    private final Path file;
    private final Map<String, String> rows = new TreeMap<>();

    private Score(Path file) throws IOException {
        this.file = file;
        if (Files.exists(file)) {
            Files.readAllLines(file).stream().skip(1).forEach(row -> rows.put(key(row), row));
        }
    }

    private static String key(String row) {
        var cells = row.split(",");
        return cells[0] + "," + cells[1] + "," + cells[2];
    }

    /**
     * Runs what the file does not have yet, for some time.
     *
     * @param arguments where the rows are; the minutes after which no case begins
     */
    public static void main(String[] arguments) throws Exception {
        var file = Path.of(arguments[0]);
        int left = run(file, Duration.ofMinutes(Long.parseLong(arguments[1])));
        Machine.here().table().write().csv(arguments[0].replaceFirst("[.]csv$", ".machine.csv"));
        System.out.println(left == 0 ? "Nothing is left." : left + " cases are left: run it again.");
        System.exit(0);
    }

    /** Runs cases, none of which begins later than some time from now, and returns how many are left. */
    static int run(Path file, Duration most) throws Exception {
        var score = new Score(file);
        long end = System.nanoTime() + most.toNanos();
        var open = new ArrayList<Callable<String>>();
        for (int round = 1; round <= SEEDS; round++) {
            for (Fault fault : Fault.values()) {
                score.open(open, "fault", fault.name(), round, seed -> fault(fault, seed));
            }
            if (round == 1) {
                for (String name : new TreeMap<>(Healthy.ALL).keySet()) {
                    score.open(open, "healthy", name, round, seed -> healthy(name));
                }
            }
        }
        int left = open.size();
        for (Callable<String> one : open) {
            if (System.nanoTime() > end) {
                break;
            }
            System.out.println(one.call());
            left--;
        }
        HiddenCase.endAll();
        return left;
    }

    private interface Case {
        String row(long seed) throws Exception;
    }

    private void open(List<Callable<String>> open, String what, String name, int round, Case one) {
        var key = what + "," + name + "," + round;
        if (!rows.containsKey(key)) {
            open.add(() -> {
                long seed = System.currentTimeMillis() % 1_000_000;
                var row = key + "," + seed + "," + one.row(seed);
                rows.put(key, row);
                var lines = new ArrayList<>(List.of(HEADER));
                lines.addAll(rows.values());
                Files.write(file, lines);
                return row;
            });
        }
    }

    /** One look at a service under its load. */
    private record Look(Observation seen, double attachMs, double lookMs, double cpuMs) {

        static Look at(long pid) throws InterruptedException {
            double cpu = ProcessCpu.seconds(pid);
            long start = System.nanoTime();
            try (var jvm = Jvm.attach(pid)) {
                long attached = System.nanoTime();
                var seen = jvm.observe(LOOK);
                long end = System.nanoTime();
                double used = 1e3 * (ProcessCpu.seconds(pid) - cpu);
                return new Look(seen, (attached - start) / 1e6, (end - attached) / 1e6, used);
            }
        }
    }

    /** The same without a dump: of virtual threads only those on carriers are seen, as {@code Thread.print} has them. */
    private static Observation withoutDumps(Observation seen) {
        var platform = seen.dump().containers().stream()
                .map(all -> new Container(
                        "<root>",
                        null,
                        all.threads().stream()
                                .filter(one -> !one.virtual() || one.carrier() != 0)
                                .toList()))
                .toList();
        var dump = new ThreadDump(platform, Runtime.version().feature(), "without a dump");
        return new Observation(
                seen.samples(),
                dump,
                seen.pools(),
                seen.cpus(),
                seen.machine(),
                seen.requests(),
                seen.moments(),
                seen.outside());
    }

    private static String fault(Fault fault, long seed) throws Exception {
        var shop = HiddenCase.of(fault, seed).start();
        var load = new FutureTask<Table>(
                () -> Load.on(shop.url()).rate(shop.rate()).during(LOAD).run());
        Thread.ofPlatform().daemon().name("load").start(load);
        shop.awaitOrders();
        var look = Look.at(shop.pid());
        var seen = look.seen.with(Tables.requests(load.get()));
        var verdict = Verdict.of(seen);
        var blind = Verdict.of(withoutDumps(seen));
        var line = line(verdict);
        double figure = figure(fault, verdict);
        boolean right = shop.fits(new Diagnosis(fault, line, figure, Repair.NONE));
        if (!right || !found(fault, verdict) || !shop.at(line)) {
            // what it missed can be read
            System.out.println(shop + "\n" + verdict);
        }
        return String.join(
                ",",
                yes(found(fault, verdict)),
                yes(shop.at(line)),
                yes(right),
                named(verdict),
                line,
                "%.1f".formatted(figure),
                yes(found(fault, blind)),
                yes(shop.at(line(blind))),
                "%.0f,%.0f,,".formatted(look.attachMs, look.lookMs));
    }

    private static String healthy(String name) throws Exception {
        try (var service = new Healthy(name)) {
            service.load(Duration.ofSeconds(3));
            double before = ProcessCpu.seconds(service.pid);
            service.load(LOOK);
            double alone = 1e3 * (ProcessCpu.seconds(service.pid) - before);
            var load = new FutureTask<Boolean>(() -> {
                service.load(Duration.ofSeconds(6));
                return true;
            });
            Thread.ofPlatform().daemon().name("load").start(load);
            Thread.sleep(Duration.ofSeconds(1));
            var look = Look.at(service.pid);
            load.get();
            var verdict = Verdict.of(look.seen);
            var blind = Verdict.of(withoutDumps(look.seen));
            boolean quiet = verdict.met().isEmpty() && verdict.dump().circles().isEmpty();
            if (!quiet) {
                System.out.println(verdict);
            }
            return String.join(
                    ",",
                    yes(quiet),
                    "",
                    "",
                    named(verdict),
                    "",
                    "",
                    yes(blind.met().isEmpty()),
                    "",
                    "%.0f,%.0f,%.0f,%.0f".formatted(look.attachMs, look.lookMs, look.cpuMs, alone));
        }
    }

    private static String yes(boolean is) {
        return is ? "yes" : "no";
    }

    /** What it names, without commas. */
    private static String named(Verdict verdict) {
        var circle = verdict.dump().circles().isEmpty() ? "" : "a circle; ";
        var limit =
                verdict.met().isEmpty() ? "no limit" : verdict.met().getFirst().name();
        return (circle + limit).replace(',', ';');
    }

    /** Whether it names what is wrong. */
    private static boolean found(Fault fault, Verdict verdict) {
        var first = verdict.met().isEmpty() ? null : verdict.met().getFirst().kind();
        return switch (fault) {
            case SLOW_FILES, NATIVE_FRAME -> first == Limit.Kind.CARRIERS;
            case HOT_LOCK -> first == Limit.Kind.LOCK;
            case CONNECTION_HELD, UNBOUNDED_ADMISSION ->
                first == Limit.Kind.CONNECTIONS && verdict.dump().circles().isEmpty();
            case NESTED_TRANSACTION -> !verdict.dump().circles().isEmpty();
            case CPU_WORK, PER_THREAD_CACHE -> first == Limit.Kind.CPUS;
            case PARALLEL_STREAM -> first == Limit.Kind.THREADS;
            // no limit: most wait for a signal
            case LOST_WAKE_UP ->
                first == null
                        && verdict.dump().groups().stream()
                                .findFirst()
                                .filter(most -> most.waits() == WaitReason.CONDITION)
                                .isPresent();
        };
    }

    /** The figure that follows from the verdict, in the unit of the fault. */
    private static double figure(Fault fault, Verdict verdict) {
        double x = verdict.throughput();
        var first = verdict.met().isEmpty() ? null : verdict.met().getFirst();
        return switch (fault) {
            case LOST_WAKE_UP -> 1e3 * verdict.seconds();
            case UNBOUNDED_ADMISSION -> x;
            case NESTED_TRANSACTION -> first == null ? Double.NaN : first.of();
            case CPU_WORK, PER_THREAD_CACHE -> first == null ? Double.NaN : 1e3 * first.inUse() / x;
            default -> first == null ? Double.NaN : 1e3 * first.of() / x;
        };
    }

    /** The line of the shop that it names first, after the list of limits. */
    private static String line(Verdict verdict) {
        var text = verdict.toString();
        var line = LINE.matcher(text.substring(Math.max(0, text.lastIndexOf("\n- CPUs"))));
        return line.find() ? line.group(1) : "";
    }
}
