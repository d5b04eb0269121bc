package whatwaits.rules;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Groups the threads of a dump by what they wait for, and finds who holds it. */
final class Grouping {

    private record Key(WaitReason waits, boolean virtual, String which) {}

    private final List<ThreadState> threads;
    private final Map<String, ThreadState> byLock = new HashMap<>();
    private final Map<Long, ThreadState> byId = new HashMap<>();

    Grouping(List<ThreadState> threads) {
        this.threads = threads;
        for (ThreadState thread : threads) {
            byId.put(thread.id(), thread);
            for (String lock : thread.holds()) {
                // a thread that waits on a monitor has released it, and is blocked by it when it returns
                if (!lock.equals(thread.blocker())) {
                    byLock.put(lock, thread);
                }
            }
        }
    }

    /** The groups of some threads, the largest first, idle ones last. */
    List<Group> groups() {
        var groups = new ArrayList<Group>();
        by(ThreadState::waits, threads.stream()).forEach((what, seen) -> {
            var shared = sharedLocks(what, seen);
            by(one -> key(what, one, shared), seen.stream()).forEach((key, members) -> groups.add(group(key, members)));
        });
        // idle threads last: they matter least
        groups.sort(Comparator.<Group>comparingInt(group -> group.waits() == WaitReason.TASK ? 1 : 0)
                .thenComparingInt(group -> -group.size()));
        return groups;
    }

    /** What has the same key together, in the order in which the keys come. */
    static <K, T> Map<K, List<T>> by(Function<T, K> key, Stream<T> all) {
        return all.collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
    }

    /** The locks that form a group each: those that several threads wait for, or all if there are few. */
    private static Set<String> sharedLocks(WaitReason what, List<ThreadState> seen) {
        if (what != WaitReason.LOCK && what != WaitReason.PERMIT) {
            return Set.of();
        }
        var blocked = seen.stream().filter(one -> one.blocker() != null);
        var locks = by(ThreadState::blocker, blocked);
        if (locks.size() > Thresholds.LOCKS) {
            locks.values().removeIf(waiting -> waiting.size() < 2);
        }
        return locks.keySet();
    }

    private static Key key(WaitReason what, ThreadState thread, Set<String> shared) {
        if (thread.blocker() != null && shared.contains(thread.blocker())) {
            return new Key(what, thread.virtual(), thread.blocker());
        }
        var which =
                switch (what) {
                    case TASK -> Pool.of(thread.name());
                    // a thread that computes moves from line to line
                    case NOTHING, CARRIER -> Frame.method(thread.stack().where());
                    // callers distinguish lines that use the same helper or library
                    default -> thread.stack().path();
                };
        return new Key(what, thread.virtual(), which);
    }

    private Group group(Key key, List<ThreadState> members) {
        var lines = by(one -> one.stack().where(), members.stream()).values();
        var first = Collections.max(lines, Comparator.comparingInt(List::size)).getFirst();
        var what = Awaited.by(key.waits, members, first, key.which);
        boolean locked = key.waits == WaitReason.LOCK || key.waits == WaitReason.PERMIT;
        return new Group(key.waits, what, members, first, locked ? held(members, first) : null);
    }

    /** The thread that holds the lock that these threads wait for; null if it is not known. */
    private Group.Held held(List<ThreadState> waiting, ThreadState first) {
        var blockers = waiting.stream().map(ThreadState::blocker).distinct().toList();
        if (blockers.size() != 1) {
            return null;
        }
        var owner = holderOf(first);
        if (owner != null) {
            return new Group.Held(owner, true);
        }
        // a dump does not name the owner of a java.util.concurrent lock: look for another thread in the same method
        var line = first.stack().innermost(Frame::isOwn).map(Frame::method).orElse("");
        var ids = waiting.stream().map(ThreadState::id).collect(Collectors.toSet());
        var inside = threads.stream()
                .filter(other -> other.stack().has(frame -> frame.method().equals(line)));
        var holders = inside.filter(other -> !ids.contains(other.id())).limit(2).toList();
        if (holders.isEmpty() && first.waits() == WaitReason.LOCK) {
            // or, if there is none, in the same class
            var type = first.stack()
                    .innermost(Frame::isOwn)
                    .map(frame -> Frame.type(frame.text()))
                    .orElse("");
            holders = threads.stream()
                    .filter(other -> !ids.contains(other.id())
                            && !Circles.isMain(other.stack())
                            && other.stack()
                                    .has(frame -> frame.isOwn()
                                            && Frame.type(frame.text()).equals(type)))
                    .limit(2)
                    .toList();
        }
        return holders.size() == 1 ? new Group.Held(holders.getFirst(), false) : null;
    }

    /** The thread that holds what this one waits for; null if it is not known. */
    private ThreadState holderOf(ThreadState waiting) {
        return waiting.blocker() == null ? null : byLock.getOrDefault(waiting.blocker(), byId.get(waiting.owner()));
    }
}
