package threadlab.inspect;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.lang.management.OperatingSystemMXBean;
import java.time.Duration;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Numbers;

/**
 * What to check before and after a service is switched to virtual threads. What can be seen from outside is filled in;
 * the rest is left open.
 */
public final class Checklist {

    private static final Duration TIME = Duration.ofSeconds(2);

    private static final String OK = "ok";
    private static final String CHANGE = "change";
    private static final String OPEN = "open";

    /** A pool of Tomcat, Jetty or Undertow that answers requests. */
    private static final Predicate<String> REQUESTS = pool -> pool.matches("http.*-exec|qtp.*|XNIO.*|default task.*");

    /** What was seen in two seconds. */
    record Seen(
            Runtime.Version release,
            int cpus,
            int parallelism,
            double busy,
            double mounted,
            double queued,
            MemoryUsage heap,
            ThreadDump dump,
            Table pinned,
            Map<String, Double> gauges) {

        boolean showsScheduler() {
            return !Double.isNaN(mounted);
        }
    }

    private Checklist() {}

    /**
     * Goes through the list for a JVM on this machine, in about three seconds; the JVM should be under its usual load.
     *
     * @param pid the number of its process, as {@link Jvm#list} shows it
     * @param defects known defects of releases, as {@code data/defects/hangs.csv} lists them
     * @return columns {@code line} (what should hold), {@code seen} (from outside, with figures; missing where nothing
     *     can be seen), {@code verdict} ({@code ok}, {@code change}, or {@code open} where you must look into the
     *     program), {@code notebook} (the number of the notebook that shows it), {@code look with} (the call that tests
     *     it)
     * @throws IllegalArgumentException as {@link Jvm#attach}
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if the cell is interrupted
     */
    public static Table run(long pid, Table defects) throws InterruptedException {
        try (var connection = Connection.to(pid)) {
            return table(connection.ask(TIME, () -> seen(connection)), defects)
                    .setName("Checklist for process %d, %s".formatted(pid, connection.main()));
        }
    }

    private static Seen seen(Connection connection) throws Exception {
        var watched = connection.watch().over(TIME);
        int cpus = system(connection).getAvailableProcessors();
        boolean bean = connection.hasScheduler();
        var dump = Dumps.take(connection);
        return new Seen(
                connection.release(),
                cpus,
                bean ? (int) watched.doubleColumn("parallelism").max() : cpus,
                watched.doubleColumn("CPUs").mean(),
                bean ? watched.doubleColumn("mounted").mean() : Double.NaN,
                bean ? watched.doubleColumn("queued").mean() : Double.NaN,
                connection
                        .bean(ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class)
                        .getHeapMemoryUsage(),
                dump,
                Dumps.pinned(connection, dump),
                Gauges.read(connection.beans()));
    }

    private static OperatingSystemMXBean system(Connection connection) throws IOException {
        return connection.bean(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME, OperatingSystemMXBean.class);
    }

    static Table table(Seen seen, Table defects) {
        var table = Table.create(
                "checklist",
                StringColumn.create("line"),
                StringColumn.create("seen"),
                StringColumn.create("verdict"),
                StringColumn.create("notebook"),
                StringColumn.create("look with"));
        java(table, seen);
        defects(table, seen.release, defects);
        requests(table, seen);
        carriers(table, seen);
        cpus(table, seen);
        limits(table, seen);
        use(table, seen);
        add(
                table,
                "Memory suffices for all requests that will be inside at the same time",
                "heap: %,d of %,d MB in use".formatted(seen.heap.getUsed() >> 20, seen.heap.getMax() >> 20),
                OPEN,
                "09, 14",
                "jvm.dump()");
        calls(table, seen.dump);
        add(table, "Caches are not kept in a ThreadLocal, one for each thread", null, OPEN, "08", "the program");
        return table;
    }

    private static void java(Table table, Seen seen) {
        add(
                table,
                "It runs on Java 24 or newer, where synchronized frees the carrier",
                "Java " + seen.release.feature(),
                seen.release.feature() >= 24 ? OK : CHANGE,
                "07",
                "Jvm.list()");
    }

    private static void defects(Table table, Runtime.Version release, Table listed) {
        var known = Defects.of(listed, release);
        add(
                table,
                "Its update has no known defect that stops virtual threads",
                "Java %s: %s"
                        .formatted(
                                release,
                                known.isEmpty()
                                        ? "none listed"
                                        : known.stream().map(Object::toString).collect(Collectors.joining(", "))),
                // a list of known defects cannot prove that there are no others
                known.stream().anyMatch(each -> each.repaired().isPresent()) ? CHANGE : OPEN,
                "07",
                "data/defects/hangs.csv");
    }

    private static void requests(Table table, Seen seen) {
        long pooled = seen.dump.threads().stream()
                .filter(thread -> !thread.virtual() && REQUESTS.test(Pool.of(thread.name())))
                .count();
        int virtual = seen.dump.virtualThreads();
        add(
                table,
                "Requests run on virtual threads",
                "%s, %s"
                        .formatted(
                                number(virtual, "virtual thread"),
                                number(pooled, "platform thread") + " of a request pool"),
                // on virtual threads, a server has no such pool threads; without requests nothing can be said
                pooled > 0 ? CHANGE : virtual > 0 ? OK : OPEN,
                "04",
                "jvm.dump()");
    }

    private static void carriers(Table table, Seen seen) {
        var pinned = seen.pinned.where(seen.pinned.stringColumn("seen").isEqualTo(Pins.NOW));
        int held = pinned.rowCount();
        add(
                table,
                "No thread holds a carrier while it waits",
                seen.release.feature() < 21
                        ? null
                        : held == 0
                                ? "none in two dumps"
                                : "%s, such as %s".formatted(number(held, "thread"), pinned.getString(0, "where")),
                // two dumps without such a thread prove nothing
                held > 0 ? CHANGE : OPEN,
                "07",
                "jvm.pinned(time)");
        add(
                table,
                "No virtual thread waits for a carrier",
                Double.isNaN(seen.queued)
                        ? null
                        : "%s queued, %s of %d carriers mounted, on average"
                                .formatted(figure(seen.queued), figure(seen.mounted), seen.parallelism),
                Double.isNaN(seen.queued) ? OPEN : seen.queued < 1 ? OK : CHANGE,
                "03",
                "jvm.watch(time)");
        add(
                table,
                "There are at least two carriers, so that one slow file does not stop all requests",
                seen.showsScheduler()
                        ? "%s, %s".formatted(number(seen.cpus, "CPU"), number(seen.parallelism, "carrier"))
                        : number(seen.cpus, "CPU") + "; carriers are not shown before Java 24",
                !seen.showsScheduler() ? OPEN : seen.parallelism >= 2 ? OK : CHANGE,
                "14",
                "jvm.watch(time)");
    }

    private static void cpus(Table table, Seen seen) {
        add(
                table,
                "Requests wait more than they compute",
                "%s of %s busy".formatted(figure(seen.busy), number(seen.cpus, "CPU")),
                seen.busy < 0.85 * seen.cpus ? OK : CHANGE,
                "08, 12",
                "jvm.threads(time)");
    }

    private static void limits(Table table, Seen seen) {
        int connections = seen.dump.count(WaitReason.CONNECTION) - seen.dump.waitingInClients();
        int holders = seen.dump.connectionHolders().size();
        var of = seen.gauges.get(Gauges.CONNECTIONS);
        add(
                table,
                "The connection pool is large enough",
                "%s for a connection%s"
                        .formatted(
                                waiting(connections),
                                of != null
                                        ? " of " + number(of.longValue(), "connection")
                                        : holders > 0 ? ", %,d seen with one".formatted(holders) : ""),
                connections > 0 ? CHANGE : OPEN,
                "05",
                "jvm.endpoint(metrics)");
        var lock = seen.dump.groups().stream()
                .filter(group ->
                        group.waits() == WaitReason.LOCK && group.threads().size() > 1)
                .findFirst();
        add(
                table,
                "No lock is hot",
                lock.map(group -> "%s at %s".formatted(group.sentence(), group.where()))
                        .orElse("no two threads wait for the same lock"),
                lock.isPresent() ? CHANGE : OK,
                "see-who-gets-the-lock",
                "jvm.dump()");
        int permits = seen.dump.count(WaitReason.PERMIT);
        add(
                table,
                "What the size of the thread pool limited now has a limit of its own",
                permits > 0 ? waiting(permits) + " for a permit" : null,
                permits > 0 ? OK : OPEN,
                "06, 08",
                "jvm.endpoint(metrics)");
    }

    /** A socket read with a time limit goes through a separate method. */
    private static void calls(Table table, ThreadDump dump) {
        long reads = reading(dump, "sun.nio.ch.NioSocketImpl.implRead(");
        long timed = reading(dump, "sun.nio.ch.NioSocketImpl.timedRead(");
        add(
                table,
                "Each call to another system has a time limit",
                reads == 0
                        ? null
                        : "%s in a read from a socket, %,d with a time limit".formatted(number(reads, "thread"), timed),
                reads > timed ? CHANGE : OPEN,
                "04, 06",
                "the program");
    }

    private static long reading(ThreadDump dump, String method) {
        return dump.threads().stream()
                .filter(thread -> thread.stack().stream().anyMatch(frame -> frame.startsWith(method)))
                .count();
    }

    private static void use(Table table, Seen seen) {
        long pooled = seen.dump.groups().stream()
                .filter(group -> group.virtual() && group.waits() == WaitReason.TASK)
                .flatMap(group -> group.threads().stream())
                // a scheduler's thread, such as Spring's for @Scheduled, waits until its next task is due
                .filter(thread ->
                        thread.stack().stream().noneMatch(frame -> frame.contains("ScheduledThreadPoolExecutor")))
                .count();
        add(
                table,
                "Virtual threads are not kept in a pool",
                number(pooled, "idle virtual thread"),
                pooled > 0 ? CHANGE : OK,
                "08",
                "jvm.dump()");
        long common = seen.dump.threads().stream()
                .filter(thread -> thread.name().startsWith("ForkJoinPool.commonPool"))
                .filter(thread -> thread.stack().stream().anyMatch(seen.dump.frames()::isOwn))
                .count();
        add(
                table,
                "No request waits inside a parallelStream",
                common == 0 ? null : number(common, "thread") + " of the common pool in the program",
                common == 0 ? OPEN : CHANGE,
                "08, 11",
                "jvm.dump()");
    }

    private static void add(Table table, String line, String seen, String verdict, String notebook, String call) {
        table.stringColumn("line").append(line);
        table.stringColumn("seen").append(seen);
        table.stringColumn("verdict").append(verdict);
        table.stringColumn("notebook").append(notebook);
        table.stringColumn("look with").append(call);
    }

    private static String figure(double value) {
        return Numbers.rounded(value, 2);
    }

    private static String waiting(int threads) {
        return number(threads, "thread") + (threads == 1 ? " waits" : " wait");
    }

    private static String number(long n, String what) {
        return "%,d %s%s".formatted(n, what, n == 1 ? "" : "s");
    }
}
