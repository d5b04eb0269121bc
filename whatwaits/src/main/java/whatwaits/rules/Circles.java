package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Finds circles. Of a monitor, and of some locks, the JVM names the owner. Of all else, whoever may have it is looked for
 * among the stacks: in the class that takes it, best beyond the line that takes it. If one of those can go on, there is
 * no circle: what is wanted may come. A permit, a connection and a result have no owner at all: anybody may bring them,
 * so of these a circle needs that nobody who could is outside it.
 *
 * <p>A dump records one thread after the other. Two dumps say more than one: who waits at the same place in both stands
 * still, and who has come, gone or moved in between does not hold what the others wait for.
 */
final class Circles {

    /** Whose calls take a lock or a permit for somebody. */
    private static final Pattern TAKERS = Pattern.compile(
            "(java\\.util\\.concurrent|jdk\\.internal|java\\.lang\\.(VirtualThread|Thread|Object|System)\\b)");

    /** A method that may only take a permit: who has one is in its caller then. */
    private static final Pattern HELPS =
            Pattern.compile(".*\\.(?i:acquire|take|borrow|enter|obtain|lease|reserve|check_?out|admit)\\w*");

    private enum Kind {
        LOCK,
        PERMIT,
        CONNECTION,
        CLASS,
        RESULT
    }

    /** What a thread waits for: threads with the same key wait for the same. */
    private record Wait(Kind kind, String key) {}

    /** A thread that waits for a result: those that are alike in this wait for the same runners. */
    private record Asks(Stack stack, boolean task) {}

    /**
     * The line that takes something.
     *
     * @param calls whether it only calls the helper that takes it: whoever is there still has none
     */
    private record Place(String method, int line, String type, boolean calls) {

        static Place of(Frame frame, boolean calls) {
            return new Place(frame.method(), frame.line(), Frame.type(frame.text()), calls);
        }

        /** Whether a frame is beyond it; inner, if the program has called something there. */
        boolean isBefore(Frame frame, boolean inner) {
            return line > 0
                    && frame.method().equals(method)
                    && (frame.line() > line || frame.line() == line && inner && !calls);
        }

        boolean inMain() {
            return method.endsWith(".main") || method.contains(".lambda$main$");
        }
    }

    /** How near a stack is to a line that takes something. */
    private enum Near {
        NOT,
        /** In its class, but not yet there. */
        BEFORE,
        /** In its class. */
        SAME_CLASS,
        /** Beyond that line: it has probably taken one. */
        BEYOND
    }

    /** Who may have what is wanted, all of them waiting themselves; one for all who want the same. */
    private static final class Held {
        private final List<ThreadState> holders;
        /** Whether the JVM names the holder. */
        private final boolean proven;
        /** Whether one dump is not enough. */
        private final boolean weak;
        /** Whether what is wanted is in the queue of a pool, whose threads these are. */
        private final boolean pool;

        Held(List<ThreadState> holders, boolean proven, boolean weak) {
            this(holders, proven, weak, false);
        }

        Held(List<ThreadState> holders, boolean proven, boolean weak, boolean pool) {
            this.pool = pool;
            this.holders = holders;
            this.proven = proven;
            this.weak = weak;
        }
    }

    private static final Held NOBODY = new Held(List.of(), false, false);

    private final List<ThreadState> threads;
    private final Map<Long, ThreadState> earlier;
    private final boolean any;
    private final Map<Long, String> pools;
    private final Map<Long, ThreadState> byId = new HashMap<>();
    private final Map<String, ThreadState> byMonitor = new HashMap<>();
    private final Map<String, Long> owners = new HashMap<>();
    private final Map<Long, Wait> waits = new HashMap<>();
    private final Map<Wait, List<ThreadState>> waiters = new LinkedHashMap<>();
    private final Map<Stack, List<ThreadState>> byStack = new LinkedHashMap<>();
    private final Map<Place, Map<Stack, Near>> nearness = new HashMap<>();
    private final Map<Asks, Held> results = new HashMap<>();
    private final Map<Boolean, Boolean> goesOn = new HashMap<>();
    private final List<ThreadState> initializing;

    /** Whether a connection or a clock may call something that no stack shows yet. */
    private final boolean called;

    private Map<String, List<ThreadState>> full;

    /**
     * For the threads of a program.
     *
     * @param threads all of them
     * @param pools the pool of each that belongs to one, by its number
     * @param earlier the same a moment before; null if there is no such dump
     * @param any whether to find, too, what a thread near by contradicts: another dump may refute that it holds anything
     */
    Circles(List<ThreadState> threads, Map<Long, String> pools, List<ThreadState> earlier, boolean any) {
        this.any = any;
        this.threads = threads;
        this.pools = pools;
        this.earlier = earlier == null ? null : new HashMap<>();
        if (earlier != null) {
            earlier.forEach(thread -> this.earlier.put(thread.id(), thread));
        }
        initializing = threads.stream()
                .filter(thread -> thread.stack().has(Frame::initializesClass))
                .toList();
        called = threads.stream()
                .anyMatch(one -> one.waits() == WaitReason.SOCKET && isIdle(one) || WaitReason.isForTime(one));
        var pooled = new HashMap<String, Long>();
        for (ThreadState thread : threads) {
            byId.put(thread.id(), thread);
            thread.holds().stream()
                    .filter(lock -> !lock.equals(thread.blocker()))
                    .forEach(lock -> byMonitor.put(lock, thread));
            if (thread.owner() != 0) {
                owners.put(thread.blocker(), thread.owner());
            }
            if (thread.library() != null && thread.blocker() != null) {
                pooled.merge(thread.blocker(), 1L, Long::sum);
            }
        }
        for (ThreadState thread : threads) {
            var wait = wait(thread, pooled);
            if (wait != null) {
                waits.put(thread.id(), wait);
                waiters.computeIfAbsent(wait, none -> new ArrayList<>()).add(thread);
            }
            if (!isIdle(thread)) {
                byStack.computeIfAbsent(thread.stack(), none -> new ArrayList<>())
                        .add(thread);
            }
        }
    }

    private Wait wait(ThreadState thread, Map<String, Long> pooled) {
        var blocker = thread.blocker();
        return switch (thread.waits()) {
            case LOCK -> {
                // what a library gives out, its other callers may have given back: no stack shows who has it
                boolean unknown = thread.library() != null && owner(thread) == null;
                yield unknown ? null : blocker != null ? new Wait(Kind.LOCK, blocker) : initializer(thread);
            }
            case UNSEEN -> initializer(thread);
            // a limit of a rate parks without an object: its permits come with time
            case PERMIT -> blocker == null || isLibrarys(thread) ? null : new Wait(Kind.PERMIT, blocker);
            case CONNECTION -> {
                boolean shared = blocker != null && pooled.get(blocker) > 1;
                yield new Wait(
                        Kind.CONNECTION, shared ? blocker : thread.library().name());
            }
            case RESULT -> new Wait(Kind.RESULT, "of thread " + thread.id());
            default -> null;
        };
    }

    /** Whether a library takes the permit: it may come with time, with freed memory, with the end of a connection. */
    private static boolean isLibrarys(ThreadState thread) {
        return taker(Kind.PERMIT, thread.stack()).filter(Frame::isOwn).isEmpty();
    }

    /** Who stands still where a class may have to be initialized waits for it, if other threads initialize some. */
    private Wait initializer(ThreadState thread) {
        boolean others = initializing.stream().anyMatch(other -> other.id() != thread.id());
        return others && thread.stack().mayInitialize() ? new Wait(Kind.CLASS, "") : null;
    }

    private boolean isIdle(ThreadState thread) {
        return switch (thread.waits()) {
            case TASK, SOCKET, QUEUE -> WaitReason.isForWork(thread);
            default -> thread.stack().frames().isEmpty();
        };
    }

    /** Whether it waits, and stands still as far as is known. */
    private boolean isStuck(ThreadState thread) {
        if (!waits.containsKey(thread.id())) {
            return false;
        }
        var before = earlier == null ? thread : earlier.get(thread.id());
        return before != null
                && before.stack().path().equals(thread.stack().path())
                && Objects.equals(before.blocker(), thread.blocker());
    }

    /** Whether a thread that can go on may have something: it was there before, too. */
    private boolean mayHave(ThreadState thread, Predicate<Stack> near) {
        if (isStuck(thread) || !near.test(thread.stack())) {
            return false;
        }
        var before = earlier == null ? thread : earlier.get(thread.id());
        return before != null && near.test(before.stack());
    }

    List<Circle> find() {
        var held = new HashMap<Long, Held>();
        for (var all : waiters.entrySet()) {
            Held shared = null;
            Held behind = null;
            for (ThreadState thread : all.getValue()) {
                if (isStuck(thread)) {
                    var owner = owner(thread);
                    var named = owner == null ? null : new Held(List.of(owner), true, false);
                    boolean apart = all.getKey().kind == Kind.CLASS;
                    if (named == null && "BLOCKED".equals(thread.state())) {
                        // of a monitor the JVM names the holder: this one was free again when its turn came
                        named = NOBODY;
                    }
                    if (named == null && (shared == null || apart)) {
                        shared = held(all.getKey(), thread, all.getValue());
                        behind = null;
                    }
                    if (named == null && thread.stack().says(Sign.READS)) {
                        behind = behind == null ? behindWriters(all.getValue(), shared) : behind;
                        named = behind;
                    }
                    held.put(thread.id(), named != null ? named : shared);
                }
            }
        }
        standStill(held);
        // whoever nobody waits for is behind a circle, and not in it
        var inside = new HashSet<>(held.keySet());
        int before;
        do {
            before = inside.size();
            var wanted = new HashSet<Long>();
            var seen = new HashSet<Held>();
            inside.stream()
                    .map(held::get)
                    .filter(seen::add)
                    .forEach(one -> one.holders.forEach(holder -> wanted.add(holder.id())));
            inside.retainAll(wanted);
        } while (inside.size() < before);
        return circles(inside, held);
    }

    /** Where nobody is seen beyond the line that takes a lock to write, its readers wait behind the writer who waits first. */
    private Held behindWriters(List<ThreadState> all, Held shared) {
        var writers = all.stream()
                .filter(one -> one.stack().says(Sign.WRITES) && isStuck(one))
                .toList();
        if (writers.isEmpty() || shared.holders.isEmpty()) {
            return shared;
        }
        var places = places(Kind.LOCK, writers);
        return shared.holders.stream().anyMatch(holder -> near(places, holder.stack()) == Near.BEYOND)
                ? shared
                : new Held(writers, false, shared.weak);
    }

    private static Set<Place> places(Kind kind, List<ThreadState> takers) {
        var places = new LinkedHashSet<Place>();
        // thousands have one stack
        takers.stream().map(ThreadState::stack).distinct().forEach(stack -> {
            var taker = taker(kind, stack);
            taker.map(frame -> Place.of(frame, false)).ifPresent(places::add);
            if (kind == Kind.PERMIT
                    && taker.filter(frame -> HELPS.matcher(frame.method()).matches())
                            .isPresent()) {
                stack.innermost(frame -> frame.isOwn() && frame != taker.get())
                        .map(frame -> Place.of(frame, true))
                        .ifPresent(places::add);
            }
        });
        return places;
    }

    /** Leaves those for which whatever they want can only come from others that stand still. */
    private static void standStill(Map<Long, Held> held) {
        held.values().removeIf(one -> one.holders.isEmpty());
        int before;
        do {
            before = held.size();
            var dead = new HashSet<>(held.keySet());
            var known = new HashMap<Held, Boolean>();
            held.values()
                    .removeIf(one -> !known.computeIfAbsent(
                            one, each -> each.holders.stream().allMatch(holder -> dead.contains(holder.id()))));
        } while (held.size() < before);
    }

    private List<Circle> circles(Set<Long> inside, Map<Long, Held> held) {
        // whoever may have what a thread wants is in its circle; of many who want the same, one tells whom that is
        var firsts = new HashMap<Long, Long>();
        var told = new HashSet<Held>();
        for (Long id : inside) {
            var one = held.get(id);
            var joined = told.add(one) ? one.holders : one.holders.subList(0, 1);
            joined.forEach(holder -> firsts.put(first(firsts, id), first(firsts, holder.id())));
        }
        var together = new LinkedHashMap<Long, List<ThreadState>>();
        threads.stream().filter(thread -> inside.contains(thread.id())).forEach(thread -> together.computeIfAbsent(
                        first(firsts, thread.id()), none -> new ArrayList<>())
                .add(thread));
        var circles = new ArrayList<Circle>();
        for (var members : together.values()) {
            if (any || earlier != null || members.stream().noneMatch(one -> held.get(one.id()).weak)) {
                circles.add(circle(members, held, earlier == null ? 1 : 2));
            }
        }
        return circles;
    }

    /** The thread that stands for all that are joined with one. */
    private static Long first(Map<Long, Long> firsts, Long id) {
        var first = id;
        while (!firsts.getOrDefault(first, first).equals(first)) {
            first = firsts.get(first);
        }
        // the next time the way is short
        for (Long at = id; !at.equals(first); ) {
            at = firsts.put(at, first);
        }
        return first;
    }

    private static Circle circle(List<ThreadState> members, Map<Long, Held> held, int dumps) {
        var behind = members.stream().map(ThreadState::id).collect(Collectors.toCollection(HashSet::new));
        var seen = new HashMap<Held, Boolean>();
        int before;
        do {
            before = behind.size();
            seen.clear();
            held.forEach((id, one) -> {
                if (seen.computeIfAbsent(
                        one, each -> each.holders.stream().anyMatch(holder -> behind.contains(holder.id())))) {
                    behind.add(id);
                }
            });
        } while (behind.size() > before);
        var all = members.stream()
                .map(thread -> {
                    var one = held.get(thread.id());
                    boolean itself = one.pool || thread.waits() != WaitReason.RESULT;
                    var holders = one.holders.stream()
                            .filter(holder -> itself || holder.id() != thread.id())
                            .limit(Circle.NAMED + 1);
                    return new Circle.Member(thread, what(thread), holders.toList(), one.proven);
                })
                .toList();
        boolean proven = all.stream().allMatch(Circle.Member::proven);
        return new Circle(all, proven, dumps, behind.size() - members.size());
    }

    private static String what(ThreadState thread) {
        var waits = thread.waits();
        if (thread.blocker() == null && (waits == WaitReason.LOCK || waits == WaitReason.UNSEEN)) {
            return "a class that is being initialized";
        }
        return Awaited.by(waits, List.of(thread), thread, Pool.of(thread.name()));
    }

    /** The owner that the JVM names; null if it names none. */
    private ThreadState owner(ThreadState thread) {
        return thread.blocker() == null
                ? null
                : byMonitor.getOrDefault(thread.blocker(), byId.get(owners.get(thread.blocker())));
    }

    private Held held(Wait wait, ThreadState thread, List<ThreadState> all) {
        return switch (wait.kind) {
            case CLASS -> initializers(thread);
            case RESULT -> runners(thread);
            case LOCK, PERMIT, CONNECTION -> holders(wait, all);
        };
    }

    /** Which class it is, no dump says: one of those that other threads initialize. */
    private Held initializers(ThreadState thread) {
        var others =
                initializing.stream().filter(other -> other.id() != thread.id()).toList();
        return !any && others.stream().anyMatch(other -> mayHave(other, stack -> stack.has(Frame::initializesClass)))
                ? NOBODY
                : new Held(others, false, false);
    }

    private Held holders(Wait wait, List<ThreadState> all) {
        var places = places(wait.kind, all);
        boolean main = places.stream().anyMatch(Place::inMain);
        Predicate<Stack> has = stack -> wait.kind == Kind.CONNECTION && hasConnection(stack);
        // where stacks show who has a connection, others in the same class need not have one
        var least = byStack.keySet().stream().anyMatch(has) ? Near.BEYOND : Near.BEFORE;
        Map<Near, List<ThreadState>> near = new HashMap<>();
        var selves = new ArrayList<ThreadState>();
        boolean mainMay = false;
        for (var same : byStack.entrySet()) {
            var stack = same.getKey();
            if (!main && isMain(stack)) {
                // it may have taken one in its own text
                mainMay |= near(places, stack) != Near.NOT
                        && same.getValue().stream().anyMatch(thread -> !isStuck(thread));
                continue;
            }
            var nearest = near(places, stack);
            boolean beyond = has.test(stack) || nearest == Near.BEYOND;
            boolean aside = nearest == Near.SAME_CLASS && isAside(wait, same.getValue());
            for (ThreadState thread : same.getValue()) {
                if (wait.equals(waits.get(thread.id()))) {
                    if (mayHoldItself(wait, stack) && isStuck(thread)) {
                        (beyond ? near.computeIfAbsent(Near.BEYOND, none -> new ArrayList<>()) : selves).add(thread);
                    }
                } else if (!(awaitsSignal(thread) && !beyond)) {
                    if (!any
                            && !aside
                            && mayHave(
                                    thread,
                                    other -> has.test(other)
                                            || near(places, other).compareTo(least) >= 0)) {
                        return NOBODY;
                    }
                    if (isStuck(thread)) {
                        var those = near.computeIfAbsent(beyond ? Near.BEYOND : nearest, none -> new ArrayList<>());
                        if (those.size() >= Thresholds.HOLDERS) {
                            return NOBODY;
                        }
                        those.add(thread);
                    }
                }
            }
        }
        if (wait.kind == Kind.PERMIT && (called || anybodyGoesOn(false))) {
            return NOBODY;
        }
        for (Near how : List.of(Near.BEYOND, Near.SAME_CLASS)) {
            if (near.containsKey(how)) {
                return new Held(near.get(how), false, false);
            }
        }
        // nobody is seen near: then nobody else in the program may be able to go on; what has no owner may be lost
        if (anybodyGoesOn(false) || wait.kind != Kind.LOCK || mainMay && !any) {
            return NOBODY;
        }
        if (!selves.isEmpty()) {
            return new Held(selves, false, true);
        }
        var rest = new ArrayList<>(near.getOrDefault(Near.BEFORE, List.of()));
        rest.addAll(near.getOrDefault(Near.NOT, List.of()));
        rest.removeIf(thread -> !thread.stack().has(Frame::isOwn));
        return new Held(rest, false, true);
    }

    /** Whether a thread is seen in the program, or only one that runs a {@code FutureTask}, that does not wait for another. */
    private boolean anybodyGoesOn(boolean task) {
        Predicate<Stack> runs = stack -> stack.has(Frame::isOwn) && (!task || stack.says(Sign.GIVES_RESULT));
        return goesOn.computeIfAbsent(task, none -> byStack.entrySet().stream()
                .filter(same -> !isMain(same.getKey()))
                .flatMap(same -> same.getValue().stream())
                .filter(thread -> !awaitsSignal(thread))
                .anyMatch(thread -> mayHave(thread, runs)));
    }

    /** Whether a thread of the program waits for a signal or an element, which may make it bring what others wait for. */
    private boolean anybodyListens() {
        return threads.stream()
                .anyMatch(one -> awaitsSignal(one) && one.stack().has(Frame::isOwn) && !isMain(one.stack()));
    }

    /** The call for which something is taken. */
    private static Optional<Frame> taker(Kind kind, Stack stack) {
        return kind == Kind.CONNECTION
                ? stack.innermost(Frame::isOwn)
                : stack.innermost(frame -> !TAKERS.matcher(frame.text()).lookingAt());
    }

    /** Whether a thread is seen that has taken what others wait for, because it is at that line or beyond it. */
    static boolean anyHas(List<ThreadState> waiters, List<ThreadState> threads) {
        var places = places(Kind.PERMIT, waiters);
        var waiting = waiters.stream().map(one -> one.stack().path()).collect(Collectors.toSet());
        return threads.stream()
                .filter(thread -> !waiting.contains(thread.stack().path()))
                .anyMatch(thread ->
                        places.stream().anyMatch(place -> thread.stack().has(frame -> place.isBefore(frame, true))));
    }

    /** The nearest that a stack comes to one of the lines that take something. */
    private Near near(Set<Place> places, Stack stack) {
        var nearest = Near.NOT;
        for (Place place : places) {
            var near = nearness.computeIfAbsent(place, none -> new HashMap<>())
                    .computeIfAbsent(stack, one -> near(place, one));
            nearest = near.compareTo(nearest) > 0 ? near : nearest;
        }
        return nearest;
    }

    private static Near near(Place place, Stack stack) {
        var nearest = Near.NOT;
        boolean inner = false;
        for (Frame frame : stack.frames()) {
            if (Frame.type(frame.text()).equals(place.type)) {
                if (place.isBefore(frame, inner)) {
                    return Near.BEYOND;
                }
                var near = frame.method().equals(place.method) ? Near.BEFORE : Near.SAME_CLASS;
                nearest = near.compareTo(nearest) > 0 ? near : nearest;
            }
            inner |= frame.isOwn();
        }
        // the same line for two locks: there, each may have the other's
        return nearest == Near.BEFORE
                        && stack.has(frame -> frame.method().equals(place.method) && frame.line() == place.line)
                ? Near.SAME_CLASS
                : nearest;
    }

    /**
     * Whether threads in a class that takes a lock have none of its locks: those of a static main that rests in another
     * method, and many alike, of which one at most can have it.
     */
    private static boolean isAside(Wait wait, List<ThreadState> alike) {
        var stack = alike.getFirst().stack();
        boolean main = stack.outermost(Frame::isOwn)
                .filter(frame -> frame.method().endsWith(".main"))
                .isPresent();
        return wait.kind == Kind.LOCK && (main || alike.size() >= Thresholds.ALIKE);
    }

    /** A static main starts the others; it takes a lock only in its own text. */
    static boolean isMain(Stack stack) {
        return stack.has(Frame::isOwn)
                && stack.frames().stream().filter(Frame::isOwn).allMatch(frame -> frame.method()
                        .endsWith(".main"));
    }

    /** Whether whoever has one may wait for it all the same. */
    private static boolean mayHoldItself(Wait wait, Stack stack) {
        return wait.kind == Kind.PERMIT
                || wait.kind == Kind.CONNECTION
                || stack.says(Sign.WRITES)
                || stack.has(frame -> frame.text().startsWith("java.util.concurrent.locks.StampedLock."));
    }

    /** Whether the program runs inside a transaction or a statement. */
    private static boolean hasConnection(Stack stack) {
        boolean own = false;
        for (Frame frame : stack.frames()) {
            if (own && frame.says(Sign.HOLDS_CONNECTION)) {
                return true;
            }
            own |= frame.isOwn();
        }
        return stack.library() == null && stack.says(Sign.HOLDS_CONNECTION);
    }

    /** Whether it waits for a signal or an element: it has let go of the lock that belongs to it. */
    private boolean awaitsSignal(ThreadState thread) {
        var waits = thread.waits();
        return waits == WaitReason.CONDITION || waits == WaitReason.QUEUE;
    }

    /** Who brings the result: a thread that runs a lambda of this one's method, or else the queue of a pool. */
    private Held runners(ThreadState thread) {
        boolean task = thread.blocker() != null && thread.blocker().startsWith("java.util.concurrent.FutureTask@");
        var asks = new Asks(thread.stack(), task);
        var runners = results.computeIfAbsent(asks, this::runners);
        return runners.holders.size() == 1 && runners.holders.getFirst().id() == thread.id() && !runners.pool
                ? NOBODY
                : runners;
    }

    private Held runners(Asks asks) {
        var handed = handed(asks.stack);
        var with = all(handed);
        boolean other = with.stream().anyMatch(one -> !one.stack().equals(asks.stack));
        if (!any && other && with.stream().anyMatch(one -> mayHave(one, handed))) {
            return NOBODY;
        }
        if (other) {
            return new Held(with, false, false, false);
        }
        // nobody is seen with it, so it is in a queue, or whoever will bring it is seen elsewhere
        if (anybodyGoesOn(asks.task) || !asks.task && (called || anybodyListens())) {
            return NOBODY;
        }
        if (full == null) {
            full = fullPools();
        }
        if (full.values().stream().flatMap(List::stream).anyMatch(worker -> !isStuck(worker))) {
            return NOBODY;
        }
        if (!full.isEmpty()) {
            return new Held(full.values().stream().flatMap(List::stream).toList(), false, true, true);
        }
        var types = new HashSet<String>();
        asks.stack.frames().stream().filter(Frame::isOwn).forEach(frame -> types.add(Frame.type(frame.text())));
        Predicate<Stack> related = stack -> stack.outermost(Frame::isOwn)
                .filter(frame -> types.contains(Frame.type(frame.text())))
                .isPresent();
        return new Held(all(related), false, true, false);
    }

    /** Whether a stack begins in a lambda of a method of another one. */
    private static Predicate<Stack> handed(Stack by) {
        var methods = new HashSet<String>();
        by.frames().stream().filter(Frame::isOwn).forEach(frame -> methods.add(frame.method()));
        return stack -> !isMain(stack)
                && stack.outermost(Frame::isOwn)
                        .filter(frame -> !frame.caller().equals(frame.method()) && methods.contains(frame.caller()))
                        .isPresent();
    }

    private List<ThreadState> all(Predicate<Stack> which) {
        return byStack.entrySet().stream()
                .filter(same -> which.test(same.getKey()))
                .flatMap(same -> same.getValue().stream())
                .toList();
    }

    /** Pools of which no thread is idle. */
    private Map<String, List<ThreadState>> fullPools() {
        var all = new LinkedHashMap<String, List<ThreadState>>();
        for (ThreadState thread : threads) {
            if (thread.stack().says(Sign.WORKER)) {
                var pool = pools.getOrDefault(thread.id(), "");
                all.computeIfAbsent(pool, none -> new ArrayList<>()).add(thread);
            }
        }
        all.values().removeIf(pool -> pool.stream().anyMatch(this::isIdle));
        return all;
    }
}
