package threadlab.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Groups the threads of a dump by what they wait for. */
final class Grouping {

    /** If there are more locks than this, threads that wait for a lock alone are grouped by their stack instead. */
    private static final int MANY = 10;

    private record Key(WaitReason waits, boolean virtual, String which) {}

    private record Seen(ThreadState thread, String where, String path) {}

    private final List<ThreadState> threads;
    private final Frames frames;
    private final Map<String, ThreadState> owners = new HashMap<>();
    private final Map<Long, ThreadState> byId = new HashMap<>();

    Grouping(List<ThreadState> threads, Frames frames) {
        this.threads = threads;
        this.frames = frames;
        for (ThreadState thread : threads) {
            byId.put(thread.id(), thread);
            for (String lock : thread.holds()) {
                // a thread that waits on a monitor has released it, and is blocked by it when it returns
                if (!lock.equals(thread.blocker())) {
                    owners.put(lock, thread);
                }
            }
        }
    }

    /** The groups of some threads, the largest first, idle ones last. */
    List<Group> groups() {
        // most threads share a few stacks: each stack is examined once
        var lines = new HashMap<List<String>, String>();
        var paths = new HashMap<List<String>, String>();
        var waiting = new LinkedHashMap<WaitReason, List<Seen>>();
        for (ThreadState thread : threads) {
            var where = lines.computeIfAbsent(thread.stack(), frames::where);
            var path = paths.computeIfAbsent(thread.stack(), frames::path);
            waiting.computeIfAbsent(WaitClassifier.of(thread, frames), what -> new ArrayList<>())
                    .add(new Seen(thread, where, path));
        }
        var groups = new ArrayList<Group>();
        waiting.forEach((what, seen) -> {
            var shared = sharedLocks(what, seen);
            var keyed = new LinkedHashMap<Key, List<Seen>>();
            for (Seen one : seen) {
                keyed.computeIfAbsent(key(what, one, shared), key -> new ArrayList<>())
                        .add(one);
            }
            keyed.forEach((key, members) -> groups.add(group(key, members)));
        });
        // idle threads last: they matter least
        groups.sort(Comparator.<Group>comparingInt(group -> group.waits() == WaitReason.TASK ? 1 : 0)
                .thenComparingInt(group -> -group.threads().size()));
        return groups;
    }

    /** The locks that form a group each: those that several threads wait for, or all if there are few. */
    private static Map<String, Long> sharedLocks(WaitReason what, List<Seen> seen) {
        if (what != WaitReason.LOCK && what != WaitReason.PERMIT) {
            return Map.of();
        }
        var locks = seen.stream()
                .filter(one -> one.thread.blocker() != null)
                .collect(Collectors.groupingBy(one -> one.thread.blocker(), Collectors.counting()));
        if (locks.size() > MANY) {
            locks.values().removeIf(n -> n < 2);
        }
        return locks;
    }

    private static Key key(WaitReason what, Seen one, Map<String, Long> shared) {
        var thread = one.thread;
        if (thread.blocker() != null && shared.containsKey(thread.blocker())) {
            return new Key(what, thread.virtual(), thread.blocker());
        }
        return new Key(
                what,
                thread.virtual(),
                switch (what) {
                    case TASK -> Pool.of(thread.name());
                    // a thread that computes moves from line to line
                    case NOTHING, CARRIER -> Frames.method(one.where);
                    // callers distinguish lines that use the same helper or library
                    default -> one.path;
                });
    }

    private Group group(Key key, List<Seen> members) {
        var where = members.stream()
                .collect(Collectors.groupingBy(Seen::where, LinkedHashMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .max(Map.Entry.comparingByValue())
                .orElseThrow()
                .getKey();
        var first = members.stream()
                .filter(one -> one.where.equals(where))
                .findFirst()
                .orElseThrow()
                .thread;
        var same = members.stream().map(Seen::thread).toList();
        return new Group(
                key.waits,
                new Awaited(key.waits, frames).of(same, first, key.which),
                key.virtual,
                same,
                (int) same.stream().filter(WaitClassifier::isMounted).count(),
                key.waits == WaitReason.LOCK || key.waits == WaitReason.PERMIT ? holder(same, first, where) : "",
                where,
                first.stack());
    }

    /** The thread that holds the lock that these threads wait for; empty if it is not known. */
    private String holder(List<ThreadState> waiting, ThreadState first, String where) {
        var blockers = waiting.stream().map(ThreadState::blocker).distinct().toList();
        if (blockers.size() != 1) {
            return "";
        }
        var owner = owners.getOrDefault(blockers.getFirst(), byId.get(first.owner()));
        if (owner != null) {
            return owner.label();
        }
        // a dump does not name the owner of a java.util.concurrent lock: look for another thread in the same method
        var method = Frames.method(where);
        var inside = threads.stream()
                .filter(other -> !waiting.contains(other))
                .filter(other -> other.stack().stream()
                        .anyMatch(frame -> Frames.method(frame).equals(method)))
                .limit(2)
                .toList();
        return frames.isOwn(where) && inside.size() == 1
                ? "probably " + inside.getFirst().label()
                : "";
    }
}
