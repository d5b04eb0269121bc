package threadlab.inspect;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * The threads at one moment, grouped by what they wait for. As the last expression of a cell it shows the
 * numbers that matter, and one stack for each group.
 *
 * <p>The JVM records one thread after the other, so the states of two threads may be of different moments. Carriers,
 * the threads that every JVM has, and the threads that do the watching are counted, but belong to no group.
 */
public final class ThreadDump {

    /** How many groups a reader is shown; the table has all of them. */
    private static final int SHOWN = 16;

    private final List<ThreadState> threads;
    private final String version;
    private final String heading;
    private final Frames frames;
    private List<Group> groups;

    ThreadDump(List<ThreadState> threads, String version, String heading) {
        this(threads, version, heading, Frames.byName());
    }

    ThreadDump(List<ThreadState> threads, String version, String heading, Frames frames) {
        this.threads = threads;
        this.version = version;
        this.heading = heading;
        this.frames = frames;
    }

    /** All threads of the dump. */
    List<ThreadState> threads() {
        return threads;
    }

    synchronized List<Group> groups() {
        if (groups == null) {
            groups = new Grouping(
                            threads.stream()
                                    .filter(thread -> !isCarrier(thread) && !Pool.isJvms(thread.name()))
                                    .toList(),
                            frames)
                    .groups();
        }
        return groups;
    }

    /**
     * The groups, the largest first, idle ones last.
     *
     * @return columns {@code waits for} (the words of {@link WaitReason}); {@code what} (the lock, the pool, the queue
     *     and whether they wait for room or for an element, the operation on the socket; classes by their simple names,
     *     each with the number that the JVM gave the object); {@code kind} ({@code virtual} or {@code platform});
     *     {@code threads}; {@code on a carrier} (how many of them hold one; 0 for platform threads); {@code holder}
     *     (the thread that holds the lock, where the dump names it: a monitor from Java 25 on; {@code probably …} for
     *     the only other thread in the same method); {@code where} (the line on which most of the threads are: the
     *     first frame that is neither the JDK's nor a library's); {@code stack} (that of one of these threads, one
     *     frame per line, innermost first)
     */
    public Table table() {
        var all = groups();
        return Table.create(
                "threads by what they wait for",
                StringColumn.create(
                        "waits for", all.stream().map(group -> group.waits().toString())),
                StringColumn.create("what", all.stream().map(Group::what)),
                StringColumn.create("kind", all.stream().map(group -> group.virtual() ? "virtual" : "platform")),
                IntColumn.create("threads", all.stream().mapToInt(group -> group.threads()
                        .size())),
                IntColumn.create("on a carrier", all.stream().mapToInt(Group::mounted)),
                StringColumn.create("holder", all.stream().map(Group::holder)),
                StringColumn.create("where", all.stream().map(Group::where)),
                StringColumn.create("stack", all.stream().map(group -> String.join("\n", group.stack()))));
    }

    /**
     * How many threads wait for one kind of thing.
     *
     * @param what such as {@code WaitReason.LOCK}
     * @return virtual and platform threads together
     */
    public int count(WaitReason what) {
        return groups().stream()
                .filter(group -> group.waits() == what)
                .mapToInt(group -> group.threads().size())
                .sum();
    }

    /**
     * How many virtual threads there are.
     *
     * @return the mounted, the queued and the parked ones
     */
    public int virtualThreads() {
        return (int) threads.stream().filter(ThreadState::virtual).count();
    }

    WaitReason waits(ThreadState thread) {
        return WaitClassifier.of(thread, frames);
    }

    /** Threads that hold a connection from a pool: those in a transaction or a statement; others cannot be seen. */
    List<ThreadState> connectionHolders() {
        return threads.stream().filter(WaitClassifier::holdsConnection).toList();
    }

    /** How many threads wait for a connection to something other than a database: an HTTP service, or Redis. */
    int waitingInClients() {
        return (int) threads.stream()
                .filter(thread -> waits(thread) == WaitReason.CONNECTION && WaitClassifier.isInClient(thread))
                .count();
    }

    Frames frames() {
        return frames;
    }

    int mounted() {
        return (int) counted(WaitClassifier::isMounted);
    }

    /**
     * How many virtual threads are parked: they hold no carrier, and want none.
     *
     * @return threads
     */
    public int parked() {
        return (int) threads.stream()
                .filter(thread -> thread.virtual() && !WaitClassifier.isMounted(thread))
                .filter(thread -> waits(thread) != WaitReason.CARRIER)
                .count();
    }

    /**
     * Threads that hold a carrier and do not compute: pinned ones, and those in a call to the operating system.
     * Some may hold it only for a moment: {@link Jvm#pinned} looks twice.
     *
     * @return columns {@code seen} ({@code now}), {@code thread}, {@code operation} (what it waits for), {@code reason}
     *     (why it does not leave, as far as the stack shows), {@code carrier} (its name), {@code where}, {@code stack}
     */
    public Table pinned() {
        var table = Pins.none();
        var names = threads.stream()
                .filter(thread -> !thread.virtual())
                .collect(Collectors.toMap(ThreadState::id, ThreadState::name, (one, other) -> one));
        threads.stream()
                .filter(WaitClassifier::isMounted)
                .filter(thread -> waits(thread) != WaitReason.NOTHING)
                .sorted(Comparator.comparing(ThreadState::id))
                .forEach(thread -> Pins.add(
                        table,
                        Pins.NOW,
                        thread.label(),
                        waits(thread).toString(),
                        Pins.reason(thread, waits(thread), version),
                        names.get(thread.carrier()),
                        Double.NaN,
                        thread.stack(),
                        frames));
        return table;
    }

    private boolean isCarrier(ThreadState thread) {
        return !thread.virtual() && thread.name().startsWith(Pool.CARRIERS) && virtualThreads(thread);
    }

    private static boolean virtualThreads(ThreadState carrier) {
        return carrier.stack().isEmpty()
                || carrier.stack().getFirst().startsWith("jdk.internal.vm.Continuation.run(")
                || carrier.stack().stream().anyMatch(frame -> frame.startsWith("java.lang.VirtualThread."))
                || carrier.stack().stream()
                        .allMatch(frame ->
                                frame.startsWith("java.util.concurrent.") || frame.startsWith("jdk.internal."));
    }

    private long counted(Predicate<ThreadState> wanted) {
        return threads.stream().filter(wanted).count();
    }

    /** The counts, and the largest groups. */
    @Override
    public String toString() {
        var text = new StringBuilder();
        long carriers = counted(this::isCarrier);
        text.append(("%s: %,d threads.%n%,d virtual: %,d on a carrier, %,d waiting for one, %,d parked.%n"
                        + "%,d platform: %,d of the program, %,d carriers, %,d of the JVM and of this observation.%n")
                .formatted(
                        heading,
                        threads.size(),
                        virtualThreads(),
                        counted(WaitClassifier::isMounted),
                        count(WaitReason.CARRIER),
                        parked(),
                        threads.size() - virtualThreads(),
                        counted(thread -> !thread.virtual() && !isCarrier(thread) && !Pool.isJvms(thread.name())),
                        carriers,
                        counted(thread -> !thread.virtual() && Pool.isJvms(thread.name()))));
        for (Group group : groups().stream().limit(SHOWN).toList()) {
            text.append("%n%s:%n".formatted(group.sentence()));
            frames.folded(group.stack())
                    .forEach(line -> text.append("    ").append(line).append('\n'));
        }
        var rest = groups().stream().skip(SHOWN).toList();
        if (!rest.isEmpty()) {
            text.append("%nAnd %,d smaller groups with %,d threads: table() shows all of them.%n"
                    .formatted(
                            rest.size(),
                            rest.stream()
                                    .mapToInt(group -> group.threads().size())
                                    .sum()));
        }
        return Objects.toString(text).stripTrailing();
    }
}
