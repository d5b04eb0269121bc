package threadlab.inspect;

import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.LongColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;
import whatwaits.look.LocalJvm;
import whatwaits.look.ThreadUse;
import whatwaits.rules.Checklist;
import whatwaits.rules.Group;
import whatwaits.rules.Limit;
import whatwaits.rules.Pin;
import whatwaits.rules.Requests;
import whatwaits.rules.Sample;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.Verdict;

/** Tables of what {@code whatwaits.look.Jvm} has seen, and the requests of a load's table. */
public final class Tables {

    /** Which notebook shows each line of the checklist, in its order. */
    private static final List<String> NOTEBOOKS = List.of(
            "07",
            "07",
            "04",
            "07",
            "03",
            "14",
            "08, 12",
            "05",
            "see-who-gets-the-lock",
            "06, 08",
            "08",
            "08, 11",
            "09, 14",
            "04, 06",
            "08");

    private Tables() {}

    private static <T> StringColumn text(String name, Collection<T> rows, Function<T, String> value) {
        return StringColumn.create(name, rows.stream().map(value).toList());
    }

    private static <T> DoubleColumn number(String name, Collection<T> rows, ToDoubleFunction<T> value) {
        return DoubleColumn.create(name, rows.stream().mapToDouble(value));
    }

    /**
     * JVMs of this machine.
     *
     * @param jvms such as {@code Jvm.list()}
     * @return columns {@code pid}, {@code main}, {@code java} (missing where it is not known), {@code up (s)}
     */
    public static Table jvms(List<LocalJvm> jvms) {
        return Table.create(
                "JVMs of this machine",
                LongColumn.create("pid", jvms.stream().mapToLong(LocalJvm::pid)),
                text("main", jvms, LocalJvm::main),
                text("java", jvms, LocalJvm::java),
                number("up (s)", jvms, LocalJvm::upSeconds));
    }

    /**
     * A JVM over time.
     *
     * @param samples such as {@code jvm.watch(time)}
     * @return a table for {@code Plots.overTime}, one row per sample: {@code seconds}, {@code platform threads},
     *     {@code mounted}, {@code queued}, {@code parallelism}, {@code pool size}, {@code CPUs} as in
     *     {@link Sample}; then for each pool of platform threads {@code threads NAME} and {@code CPUs NAME}
     */
    public static Table samples(List<Sample> samples) {
        var table = Table.create(
                "a JVM over time",
                number("seconds", samples, Sample::seconds),
                number("platform threads", samples, Sample::platformThreads),
                number("mounted", samples, Sample::mounted),
                number("queued", samples, Sample::queued),
                number("parallelism", samples, Sample::parallelism),
                number("pool size", samples, Sample::poolSize),
                number("CPUs", samples, Sample::cpus));
        var none = new Sample.Use(0, 0);
        var pools = samples.stream()
                .flatMap(sample -> sample.pools().keySet().stream())
                .collect(Collectors.toCollection(TreeSet::new));
        for (String pool : pools) {
            table.addColumns(
                    number("threads " + pool, samples, sample -> sample.pools()
                            .getOrDefault(pool, none)
                            .threads()),
                    number("CPUs " + pool, samples, sample -> sample.pools()
                            .getOrDefault(pool, none)
                            .cpus()));
        }
        return table;
    }

    /**
     * The CPU time of platform threads.
     *
     * @param threads such as {@code jvm.threads(time)}
     * @return columns {@code thread}, {@code pool}, {@code id}, {@code CPU (ms)}, {@code CPUs} (the mean)
     */
    public static Table threads(List<ThreadUse> threads) {
        return Table.create(
                "CPU time by thread",
                text("thread", threads, ThreadUse::thread),
                text("pool", threads, ThreadUse::pool),
                LongColumn.create("id", threads.stream().mapToLong(ThreadUse::id)),
                number("CPU (ms)", threads, ThreadUse::cpuMillis),
                number("CPUs", threads, ThreadUse::cpus));
    }

    /**
     * Threads that hold a carrier while they wait.
     *
     * @param pins such as {@code jvm.pinned(time)}
     * @return columns {@code seen} ({@code ended}; {@code now} for one that two dumps show; {@code now, in one of two
     *     dumps} for others), {@code thread}, {@code operation} and {@code reason} (missing before Java 24),
     *     {@code carrier}, {@code milliseconds} (missing for {@code now}), {@code where} (the line: the first frame
     *     that is neither the JDK's nor a library's), {@code stack}
     */
    public static Table pins(List<Pin> pins) {
        return Table.create(
                "pinned threads",
                text("seen", pins, Pin::seen),
                text("thread", pins, Pin::thread),
                text("operation", pins, Pin::operation),
                text("reason", pins, Pin::reason),
                text("carrier", pins, Pin::carrier),
                number("milliseconds", pins, Pin::milliseconds),
                text("where", pins, pin -> pin.stack().where()),
                text("stack", pins, pin -> pin.stack().toString()));
    }

    /**
     * The threads of a dump by what they wait for.
     *
     * @param dump such as {@code jvm.dump()}
     * @return columns {@code waits for}; {@code what} (the lock, the pool, the queue and whether they wait for room or
     *     for an element, the operation on the socket; classes by their simple names, each with the number that the JVM
     *     gave the object); {@code kind} ({@code virtual} or {@code platform}); {@code threads}; {@code on a carrier}
     *     (how many of them hold one); {@code holder} (the thread that holds the lock, where the dump names it: a
     *     monitor from Java 25 on; {@code probably …} for the only other thread in the same method); {@code where} (the
     *     line on which most of the threads are); {@code stack} (that of one of these threads, one frame per line,
     *     innermost first); the largest group first, idle threads last
     */
    public static Table groups(ThreadDump dump) {
        var groups = dump.groups();
        return Table.create(
                "threads by what they wait for",
                text("waits for", groups, group -> group.waits().toString()),
                text("what", groups, Group::what),
                text("kind", groups, group -> group.virtual() ? "virtual" : "platform"),
                IntColumn.create("threads", groups.stream().mapToInt(Group::size)),
                IntColumn.create("on a carrier", groups.stream().mapToInt(Group::mounted)),
                text("holder", groups, Group::holder),
                text("where", groups, Group::where),
                text("stack", groups, group -> group.stack().toString()));
    }

    /**
     * The limited resources of a service.
     *
     * @param verdict such as {@code jvm.endpoint(load)}
     * @return columns {@code limit} (such as {@code connections}); {@code in use} and {@code of} (how many there are),
     *     as counts, missing where not known; {@code share (%)}; {@code waiting} (threads that want one); {@code met}
     *     ({@code yes} or {@code no}); {@code seen in} (where the figures are from)
     */
    public static Table limits(Verdict verdict) {
        var limits = verdict.limits();
        return Table.create(
                "limits",
                text("limit", limits, Limit::name),
                number("in use", limits, Limit::inUse),
                number("of", limits, Limit::of),
                number("share (%)", limits, limit -> 100 * limit.inUse() / limit.of()),
                number("waiting", limits, Limit::waiting),
                text("met", limits, limit -> verdict.met().contains(limit) ? "yes" : "no"),
                text("seen in", limits, Limit::seenIn));
    }

    /**
     * The requests of a load.
     *
     * @param load its row, as {@code Load.run()} returns it
     * @return those requests, for {@code jvm.endpoint(() -> Tables.requests(…))}
     */
    public static Requests requests(Table load) {
        Results.require(load, "requests/s", "mean (ms)", "seconds");
        double seconds = Results.value(load, "seconds");
        return new Requests(
                Results.value(load, "requests/s") * seconds,
                seconds,
                Results.value(load, "mean (ms)") / 1e3,
                "a load's own figures",
                List.of());
    }

    /**
     * What to check before and after a service is switched to virtual threads.
     *
     * @param lines such as {@code jvm.checklist()}
     * @return columns {@code line} (what should hold), {@code seen} (from outside, with figures; missing where nothing
     *     can be seen), {@code verdict} ({@code ok}, {@code change}, or {@code open} where you must look into the
     *     program, or send it requests), {@code notebook} (the number of the notebook that shows it), {@code look with}
     */
    public static Table checklist(List<Checklist.Line> lines) {
        return Table.create(
                "checklist",
                text("line", lines, Checklist.Line::should),
                text("seen", lines, Checklist.Line::seen),
                text("verdict", lines, line -> line.answer().toString()),
                StringColumn.create("notebook", NOTEBOOKS),
                text("look with", lines, Checklist.Line::lookWith));
    }
}
