package threadlab.inspect;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Threads that wait for the same.
 *
 * @param waits what for
 * @param what the lock, the pool, the queue; empty where there is nothing to say
 * @param virtual whether these are virtual threads
 * @param threads all of them
 * @param mounted how many of them hold a carrier
 * @param holder who holds what they wait for; empty if nobody is known to
 * @param where the line of most of them
 * @param stack of the first one on that line
 */
record Group(
        WaitReason waits,
        String what,
        boolean virtual,
        List<ThreadState> threads,
        int mounted,
        String holder,
        String where,
        List<String> stack) {

    /** From here on, locks for which one thread each waits are one group. */
    private static final int MANY = 10;

    private static final Pattern NUMBER = Pattern.compile("@[0-9a-f]+$");
    private static final Pattern SYNC = Pattern.compile("\\$((Nonf|F)airSync|Sync)\\b");

    /** A call of a queue: its class, and what it asks for. */
    private static final Pattern QUEUED =
            Pattern.compile("(\\w*(?:Queue|Deque))\\.(put|offer|transfer|tryTransfer|take|poll|remove)\\w*\\(");

    private record Key(WaitReason waits, boolean virtual, String which) {}

    private record Seen(ThreadState thread, String where, String path) {}

    /** The groups of some threads, the largest first, idle ones last. */
    static List<Group> of(List<ThreadState> threads) {
        // most threads share few stacks: each is looked at once
        var lines = new HashMap<List<String>, String>();
        var paths = new HashMap<List<String>, String>();
        var waiting = new LinkedHashMap<WaitReason, List<Seen>>();
        for (ThreadState thread : threads) {
            var where = lines.computeIfAbsent(thread.stack(), Frames::where);
            var path = paths.computeIfAbsent(thread.stack(), Frames::path);
            waiting.computeIfAbsent(WaitClassifier.of(thread), what -> new ArrayList<>())
                    .add(new Seen(thread, where, path));
        }
        var owners = new HashMap<String, ThreadState>();
        var byId = new HashMap<Long, ThreadState>();
        for (ThreadState thread : threads) {
            byId.put(thread.id(), thread);
            for (String lock : thread.holds()) {
                // who waits on a monitor has left it meanwhile; it is blocked by it, too, if it comes back
                if (!lock.equals(thread.blocker())) {
                    owners.put(lock, thread);
                }
            }
        }
        var groups = new ArrayList<Group>();
        waiting.forEach((what, seen) -> {
            var shared = sharedLocks(what, seen);
            var keyed = new LinkedHashMap<Key, List<Seen>>();
            for (Seen one : seen) {
                keyed.computeIfAbsent(key(what, one, shared), key -> new ArrayList<>())
                        .add(one);
            }
            keyed.forEach((key, members) -> groups.add(group(key, members, owners, byId, threads)));
        });
        // idle threads last: they are the ones that matter least
        groups.sort(Comparator.<Group>comparingInt(group -> group.waits == WaitReason.TASK ? 1 : 0)
                .thenComparingInt(group -> -group.threads.size()));
        return groups;
    }

    /** The locks that make a group each: those that several threads wait for, or all if they are few. */
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
                    // who computes goes on from line to line
                    case NOTHING, CARRIER -> Frames.method(one.where);
                    // lines that ask with the same helper, or wait in the same library, are told apart by their callers
                    default -> one.path;
                });
    }

    private static Group group(
            Key key,
            List<Seen> members,
            Map<String, ThreadState> owners,
            Map<Long, ThreadState> byId,
            List<ThreadState> all) {
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
        var threads = members.stream().map(Seen::thread).toList();
        return new Group(
                key.waits,
                what(key, threads, first),
                key.virtual,
                threads,
                (int) threads.stream().filter(WaitClassifier::isMounted).count(),
                key.waits == WaitReason.LOCK || key.waits == WaitReason.PERMIT
                        ? holder(threads, first, where, owners, byId, all)
                        : "",
                where,
                first.stack());
    }

    private static String what(Key key, List<ThreadState> threads, ThreadState first) {
        return switch (key.waits) {
            case LOCK, PERMIT, CONDITION -> {
                var different =
                        threads.stream().map(ThreadState::blocker).distinct().toList();
                yield different.size() == 1
                        ? named(different.getFirst(), first)
                        : "%,d different: %s"
                                .formatted(
                                        different.size(),
                                        NUMBER.matcher(named(different.getFirst(), first))
                                                .replaceFirst(""));
            }
            case TASK -> "pool " + key.which;
            case CONNECTION ->
                first.stack().stream()
                        .filter(frame -> !Frames.isJdk(frame))
                        .findFirst()
                        .map(Group::type)
                        .orElse("");
            case SOCKET, FILE -> operation(first);
            case QUEUE -> queue(first);
            case RESULT -> concurrent(first);
            case NOTHING, CARRIER, SLEEP -> "";
        };
    }

    /** The class of the JDK in which a thread waits. */
    private static String concurrent(ThreadState thread) {
        return thread.stack().stream()
                .filter(frame -> frame.startsWith("java.util.concurrent.")
                                && !frame.startsWith("java.util.concurrent.locks.")
                                && !frame.startsWith("java.util.concurrent.ForkJoinPool.")
                        || frame.startsWith("java.lang.Thread.join"))
                .findFirst()
                .map(Group::type)
                .orElse("");
    }

    /** The queue, and what its call waits for: who puts, for room in a full one; who takes, for an element. */
    private static String queue(ThreadState thread) {
        return thread.stack().stream()
                .map(QUEUED::matcher)
                .filter(Matcher::find)
                .findFirst()
                .map(call -> call.group(1)
                        + switch (call.group(2)) {
                            case "take", "poll", "remove" -> ", for an element";
                            // this one has no room: it hands over
                            case "put", "offer" ->
                                call.group(1).equals("SynchronousQueue") ? ", for a taker" : ", for room";
                            default -> ", for a taker";
                        })
                .orElseGet(() -> concurrent(thread));
    }

    /** {@code ReentrantLock@1f} of {@code java.util.concurrent.locks.ReentrantLock$NonfairSync@1f}. */
    private static String named(String blocker, ThreadState first) {
        if (blocker != null) {
            return SYNC.matcher(blocker).replaceFirst("").replaceFirst("^java\\.util\\.concurrent\\.(locks\\.)?", "");
        }
        return first.stack().stream()
                .filter(frame -> frame.startsWith("java.util.concurrent.locks.Reentrant")
                        || frame.startsWith("java.util.concurrent.locks.Stamped")
                        || frame.startsWith("java.util.concurrent.Semaphore"))
                .findFirst()
                .map(Group::type)
                .orElse(
                        WaitClassifier.of(first) == WaitReason.LOCK
                                ? "not told: a monitor, or a class that is initialized"
                                : "");
    }

    private static String type(String frame) {
        var method = Frames.method(frame);
        var type = method.substring(0, Math.max(0, method.lastIndexOf('.')));
        return type.substring(type.lastIndexOf('.') + 1).replaceFirst("\\$.*", "");
    }

    private static String operation(ThreadState first) {
        var stack = String.join(
                "\n", first.stack().stream().takeWhile(Frames::isJdk).toList());
        var operation = stack.contains("Selector") || stack.contains("EPoll.wait") || stack.contains("KQueue.poll")
                ? "any of its connections"
                : stack.contains("ccept")
                        ? "a new connection"
                        : stack.contains("onnect")
                                ? "to connect"
                                : stack.contains("lookup")
                                        ? "a name's address"
                                        : stack.contains("HttpClient")
                                                ? "an HTTP answer"
                                                : stack.contains("rite")
                                                        ? "to write"
                                                        : stack.contains("Process")
                                                                ? "another process"
                                                                : stack.contains("open") ? "to open" : "to read";
        var library = first.stack().stream()
                .filter(frame -> !Frames.isJdk(frame))
                .findFirst()
                .filter(frame -> !Frames.isOwn(frame))
                .map(Group::type);
        return library.map(type -> operation + ", " + type).orElse(operation);
    }

    private static String holder(
            List<ThreadState> threads,
            ThreadState first,
            String where,
            Map<String, ThreadState> owners,
            Map<Long, ThreadState> byId,
            List<ThreadState> all) {
        var blockers = threads.stream().map(ThreadState::blocker).distinct().toList();
        if (blockers.size() != 1) {
            return "";
        }
        var owner = owners.getOrDefault(blockers.getFirst(), byId.get(first.owner()));
        if (owner != null) {
            return owner.label();
        }
        // a lock of java.util.concurrent tells its owner to nobody: who else is in the same method?
        var method = Frames.method(where);
        var inside = all.stream()
                .filter(other -> !threads.contains(other))
                .filter(other -> other.stack().stream()
                        .anyMatch(frame -> Frames.method(frame).equals(method)))
                .limit(2)
                .toList();
        return Frames.isOwn(where) && inside.size() == 1
                ? "probably " + inside.getFirst().label()
                : "";
    }

    /** The number and what they wait for, in one sentence. */
    String sentence() {
        boolean one = threads.size() == 1;
        var verb =
                switch (waits) {
                    case NOTHING -> one ? "computes" : "compute";
                    case SLEEP -> one ? "sleeps" : "sleep";
                    case TASK -> one ? "is idle" : "are idle";
                    default -> (one ? "waits for " : "wait for ") + waits;
                };
        return "%,d %s %s%s%s%s"
                .formatted(
                        threads.size(),
                        virtual ? "virtual" : "platform",
                        verb,
                        what.isEmpty() ? "" : " (" + what + ")",
                        holder.isEmpty() ? "" : ", held by " + holder,
                        virtual && mounted > 0 ? ", %,d on a carrier".formatted(mounted) : "");
    }
}
