package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The threads at one moment, grouped by what they wait for. As text it says the numbers that matter, and shows one
 * stack for each group.
 *
 * <p>The JVM records one thread after the other, so the states of two threads may be of different moments. Carriers,
 * the threads that every JVM has, and the threads that do the watching are counted, but belong to no group.
 */
public final class ThreadDump {

    /** How many groups a reader is shown. */
    private static final int SHOWN = 16;

    private final List<Container> containers;
    private final List<ThreadState> threads;
    private final int java;
    private final String heading;
    private final ThreadDump earlier;
    private final ThreadDump later;
    private final Besides besides;
    private final List<Group> groups;

    /**
     * What is known besides the threads.
     *
     * @param hidden whether there are virtual threads that it does not show
     * @param shuffled whether it had threads that are left out, because their lines were mixed
     * @param deadlock whether the JVM itself says that threads lock each other out
     * @param cpus the share of a CPU that a platform thread has used, by its number; empty if not known
     * @param between whether it has used that between two dumps; otherwise in its life
     * @param cut how much of a dump whose end is missing could be read, in words; null of a whole one
     */
    record Besides(
            boolean hidden, boolean shuffled, boolean deadlock, Map<Long, Double> cpus, boolean between, String cut) {
        static final Besides NOTHING = new Besides(false, false, false, Map.of(), false);

        Besides(boolean hidden, boolean shuffled, boolean deadlock, Map<Long, Double> cpus, boolean between) {
            this(hidden, shuffled, deadlock, cpus, between, null);
        }

        /** The same, confirmed by a dump that may be cut: whom that lacks, it does not confirm. */
        Besides confirmedBy(Besides later) {
            return later.cut == null ? this : new Besides(hidden, shuffled, deadlock, cpus, between, later.cut);
        }
    }

    /** Searched when somebody asks; null before. */
    private List<Circle> circles;

    /**
     * Groups threads.
     *
     * @param containers what they belong to
     * @param java the feature version of the Java that they ran on
     * @param heading what these threads are, in words
     */
    public ThreadDump(List<Container> containers, int java, String heading) {
        this(containers, java, heading, Besides.NOTHING);
    }

    ThreadDump(List<Container> containers, int java, String heading, Besides besides) {
        this(containers, java, heading, besides, null, null);
    }

    private ThreadDump(
            List<Container> containers,
            int java,
            String heading,
            Besides besides,
            ThreadDump earlier,
            ThreadDump later) {
        this.besides = besides;
        this.earlier = earlier;
        this.later = later;
        this.containers = List.copyOf(containers);
        threads = containers.stream()
                .flatMap(container -> container.threads().stream())
                .toList();
        this.java = java;
        this.heading = heading;
        groups = new Grouping(program()).groups();
    }

    /** The threads of the program. */
    private List<ThreadState> program() {
        return threads.stream()
                .filter(thread -> !isCarrier(thread) && !Pool.isJvms(thread.name()))
                .toList();
    }

    /** The pool of each thread that runs the tasks of one: its executor or, where no dump says that, by its name. */
    private Map<Long, String> pools() {
        var pools = new HashMap<Long, String>();
        for (Container container : containers) {
            container.threads().stream()
                    .filter(thread -> thread.stack().says(Sign.WORKER))
                    .forEach(thread ->
                            pools.put(thread.id(), container.isRoot() ? Pool.of(thread.name()) : container.name()));
        }
        return pools;
    }

    /** {@return whether another dump can say more: whether threads wait for each other, or all the time} */
    public boolean suspectsCircle() {
        boolean initializes = threads.stream().anyMatch(thread -> thread.stack().has(Frame::initializesClass));
        if (initializes && !(initializing().isEmpty() && computing().isEmpty())) {
            // who waits for a class cannot be told yet from who computes
            return true;
        }
        var nobody = Requests.unknown("nobody counted them");
        return mayBeCircle()
                || Verdict.of(new Observation(List.of(), this, List.of(), 0, Double.NaN, nobody))
                        .wantsLater();
    }

    /** Whether the stacks could be a circle if nobody near by had what is wanted. */
    boolean mayBeCircle() {
        var before = earlier == null ? null : earlier.program();
        return later != null
                ? later.after(this).mayBeCircle()
                : !new Circles(program(), pools(), before, true).find().isEmpty();
    }

    Besides besides() {
        return besides;
    }

    /** {@return whether it lacks virtual threads that the program has} */
    public boolean isHiding() {
        return besides.hidden;
    }

    /** The same from a moment later; null if nobody looked again. */
    ThreadDump later() {
        return later;
    }

    /**
     * {@return the same, whose circles both dumps show} Two dumps show more of them, and fewer that are none.
     *
     * @param earlier a dump of the same JVM, from a moment before
     */
    public ThreadDump after(ThreadDump earlier) {
        return new ThreadDump(containers, java, heading, besides, earlier, null);
    }

    /**
     * {@return the threads of this moment, with the circles that a later dump still shows} Whoever asked for the threads
     * of one moment gets these.
     *
     * @param later a dump of the same JVM, from a moment after
     */
    public ThreadDump confirmedBy(ThreadDump later) {
        return new ThreadDump(containers, java, heading, besides.confirmedBy(later.besides), earlier, later);
    }

    /**
     * {@return the same, in which the threads that seem to compute on some carriers wait} The JVM reports as runnable
     * whoever waits for a class that is being initialized, or in native code.
     *
     * @param still the numbers of the carriers that use no CPU
     */
    public ThreadDump withStill(Set<Long> still) {
        if (still.isEmpty()) {
            return this;
        }
        var corrected = containers.stream()
                .map(one -> new Container(
                        one.name(),
                        one.parent(),
                        one.threads().stream()
                                .map(thread -> corrected(thread, still))
                                .toList()));
        var here = with(corrected.toList());
        return later == null ? here : here.confirmedBy(later.withStill(still));
    }

    /** The same, where more dumps say what share of a CPU platform threads have used between them. */
    ThreadDump withCpus(Map<Long, Double> cpus) {
        var known = new Besides(besides.hidden, besides.shuffled, besides.deadlock, cpus, true, besides.cut);
        return new ThreadDump(containers, java, heading, known, earlier, later);
    }

    /** The same, where another dump of that moment says whether threads lock each other out. */
    ThreadDump declaring(boolean deadlock) {
        var known = new Besides(
                besides.hidden, besides.shuffled, besides.deadlock || deadlock, besides.cpus, besides.between);
        return new ThreadDump(containers, java, heading, known, earlier, later);
    }

    /** The same with other threads. */
    ThreadDump with(List<Container> others) {
        return new ThreadDump(others, java, heading, besides, earlier, null);
    }

    private static ThreadState corrected(ThreadState thread, Set<Long> still) {
        boolean waits = thread.virtual()
                ? thread.isMounted() && seemsToCompute(thread) && still.contains(thread.carrier())
                : still.contains(thread.id()) && seemsToInitialize(thread);
        return waits ? thread.waiting() : thread;
    }

    /** Whether a platform thread that seems to compute may wait for a class that another thread initializes. */
    private static boolean seemsToInitialize(ThreadState thread) {
        return !thread.virtual()
                && thread.stack().mayInitialize()
                && thread.waits() == WaitReason.NOTHING
                && !isCarrier(thread);
    }

    /** The platform threads that seem to compute, where classes are being initialized; none elsewhere. */
    List<ThreadState> initializing() {
        return threads.stream().noneMatch(thread -> thread.stack().has(Frame::initializesClass))
                ? List.of()
                : program().stream().filter(ThreadDump::seemsToInitialize).toList();
    }

    /** {@return the threads that hold a carrier, where no frame says that they wait} */
    public List<ThreadState> computing() {
        return threads.stream()
                .filter(ThreadState::isMounted)
                .filter(ThreadDump::seemsToCompute)
                .toList();
    }

    private static boolean seemsToCompute(ThreadState thread) {
        var waits = thread.waits();
        return waits == WaitReason.NOTHING || waits == WaitReason.UNSEEN;
    }

    /** {@return the feature version of the Java that they ran on} */
    public int java() {
        return java;
    }

    /** {@return all threads, virtual and platform ones} */
    public List<ThreadState> threads() {
        return threads;
    }

    /** {@return what the threads belong to} */
    public List<Container> containers() {
        return containers;
    }

    /**
     * {@return the container of a thread and all below it, as a tree: the closest first}
     *
     * @param thread the thread's name
     */
    public List<Container> tree(String thread) {
        var tree = new ArrayList<Container>();
        containers.stream()
                .filter(container ->
                        container.threads().stream().anyMatch(one -> one.name().equals(thread)))
                .findFirst()
                .ifPresent(tree::add);
        for (int at = 0; at < tree.size(); at++) {
            var name = tree.get(at).name();
            containers.stream().filter(below -> name.equals(below.parent())).forEach(tree::add);
        }
        return tree;
    }

    /** The threads by their number. */
    Map<Long, ThreadState> byId() {
        return threads.stream().collect(Collectors.toMap(ThreadState::id, one -> one, (one, other) -> one));
    }

    /** {@return the threads by what they wait for: the largest group first, idle threads last} */
    public List<Group> groups() {
        return groups;
    }

    /**
     * {@return each circle of threads that wait for each other: a deadlock}
     */
    public List<Circle> circles() {
        if (circles == null) {
            circles = later != null
                    ? later.after(this).circles()
                    : new Circles(program(), pools(), earlier == null ? null : earlier.program(), false).find();
        }
        return circles;
    }

    /**
     * {@return how many threads wait for one kind of thing, virtual and platform ones together}
     *
     * @param what such as {@code WaitReason.LOCK}
     */
    public int count(WaitReason what) {
        var waiting = groups.stream().filter(group -> group.waits() == what);
        return waiting.mapToInt(Group::size).sum();
    }

    /** {@return how many virtual threads there are: the mounted, the queued and the parked ones} */
    public int virtualThreads() {
        return many(ThreadState::virtual);
    }

    /**
     * Whether those that wake virtual threads which wait for a socket wait for a carrier: since Java 22 on Linux they are
     * virtual threads themselves. Then a thread that seems to wait for a socket may have its answer already.
     */
    boolean isPollerLate() {
        return threads.stream()
                .anyMatch(thread -> thread.stack().says(Sign.POLLS) && thread.waits() == WaitReason.CARRIER);
    }

    /** Threads that hold a connection from a pool: those in a transaction or a statement; others cannot be seen. */
    List<ThreadState> connectionHolders() {
        return threads.stream().filter(ThreadState::holdsConnection).toList();
    }

    /** The threads of the program that wait for one kind of thing. */
    List<ThreadState> waitingFor(WaitReason what) {
        return groups.stream()
                .filter(group -> group.waits() == what)
                .flatMap(group -> group.threads().stream())
                .toList();
    }

    /** {@return how many virtual threads hold a carrier} */
    public int mounted() {
        return many(ThreadState::isMounted);
    }

    /** {@return how many virtual threads are parked: they hold no carrier, and want none} */
    public int parked() {
        Predicate<ThreadState> runs = thread -> thread.isMounted() || thread.waits() == WaitReason.CARRIER;
        return many(runs.negate().and(ThreadState::virtual));
    }

    /**
     * {@return threads that hold a carrier and do not compute: pinned ones, and those in a call to the operating system}
     * Some may hold it only for a moment: two dumps tell ({@link Pin#of}).
     */
    public List<Pin> pinned() {
        return pinned(thread -> true);
    }

    /**
     * {@return the same, where another look at the JVM says which of these threads still hold their carrier}
     *
     * @param still whether a thread does
     */
    public List<Pin> pinned(Predicate<ThreadState> still) {
        var platform = threads.stream().filter(thread -> !thread.virtual());
        var names = platform.collect(Collectors.toMap(ThreadState::id, ThreadState::name, (one, other) -> one));
        var pins = new ArrayList<Pin>();
        for (ThreadState thread :
                threads.stream().sorted(Comparator.comparing(ThreadState::id)).toList()) {
            var waits = thread.waits();
            if (thread.isMounted() && waits != WaitReason.NOTHING) {
                var reason = Pin.reason(thread, waits, java);
                var carrier = names.get(thread.carrier());
                var what = waits.toString();
                var pin = new Pin(Pin.NOW, thread.label(), what, reason, carrier, Double.NaN, thread.stack());
                pins.add(still.test(thread) ? pin : pin.once());
            }
        }
        return pins;
    }

    private static boolean isCarrier(ThreadState thread) {
        if (thread.virtual() || !thread.name().startsWith(Pool.CARRIERS)) {
            return false;
        }
        var frames = thread.stack().frames().stream().map(Frame::text).toList();
        return frames.stream().allMatch(frame -> frame.matches("(java\\.util\\.concurrent|jdk\\.internal)\\..*"))
                || frames.getFirst().startsWith("jdk.internal.vm.Continuation.run(")
                || frames.stream().anyMatch(frame -> frame.startsWith("java.lang.VirtualThread."));
    }

    private int many(Predicate<ThreadState> wanted) {
        return (int) threads.stream().filter(wanted).count();
    }

    private String counted(Predicate<ThreadState> wanted) {
        return Text.number(many(wanted));
    }

    /** The counts, and the largest groups. */
    @Override
    public String toString() {
        var lines = new ArrayList<String>();
        lines.add(heading + ": " + Text.count(threads.size(), "thread") + ".");
        lines.add(counted(ThreadState::virtual) + " virtual: " + counted(ThreadState::isMounted) + " on a carrier, "
                + Text.number(count(WaitReason.CARRIER)) + " waiting for one, " + Text.number(parked()) + " parked.");
        lines.add(counted(thread -> !thread.virtual()) + " platform: "
                + counted(thread -> !thread.virtual() && !isCarrier(thread) && !Pool.isJvms(thread.name()))
                + " of the program, " + counted(ThreadDump::isCarrier) + " carriers, "
                + counted(thread -> !thread.virtual() && Pool.isJvms(thread.name()))
                + " of the JVM and of this observation.");
        circles().forEach(circle -> lines.add("\n" + circle));
        for (Group group : groups.subList(0, Math.min(SHOWN, groups.size()))) {
            lines.add("\n" + group.sentence() + ":");
            group.stack().folded().forEach(line -> lines.add("    " + line));
            group.others().forEach(line -> lines.add("    " + line));
        }
        if (groups.size() > SHOWN) {
            var rest = groups.subList(SHOWN, groups.size());
            lines.add("\nAnd " + Text.number(rest.size()) + " smaller groups with "
                    + Text.count(rest.stream().mapToInt(Group::size).sum(), "thread") + ".");
        }
        return String.join("\n", lines);
    }
}
