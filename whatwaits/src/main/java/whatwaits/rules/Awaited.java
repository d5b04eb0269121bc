package whatwaits.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Names what a group of threads waits for: the lock, the pool, the queue, the operation on a socket.
 *
 * @param waits the kind of wait
 */
record Awaited(WaitReason waits) {

    private static final Pattern NUMBER = Pattern.compile("@[0-9a-f]+$");
    private static final Pattern SYNC = Pattern.compile("\\$((Nonf|F)airSync|Sync)\\b");

    /** A call to a queue: its class and its method. */
    private static final Pattern QUEUED =
            Pattern.compile("(\\w*(?:Queue|Deque))\\.(put|offer|transfer|tryTransfer|take|poll|remove)\\w*\\(");

    /** Calls of the JDK on a socket or a file, and what they wait for; the first that matches counts. */
    private static final Map<Pattern, String> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put(Pattern.compile("Selector|EPoll\\.wait|KQueue\\.poll"), "any of its connections");
        OPERATIONS.put(Pattern.compile("ccept"), "a new connection");
        OPERATIONS.put(Pattern.compile("onnect"), "to connect");
        OPERATIONS.put(Pattern.compile("lookup"), "a name's address");
        OPERATIONS.put(Pattern.compile("HttpClient"), "an HTTP answer");
        OPERATIONS.put(Pattern.compile("rite"), "to write");
        OPERATIONS.put(Pattern.compile("Process"), "another process");
        OPERATIONS.put(Pattern.compile("open"), "to open");
    }

    /** The name of what is awaited; empty where there is nothing to say. */
    String of(List<ThreadState> threads, ThreadState first, String pool) {
        return switch (waits) {
            case LOCK, PERMIT, CONDITION -> {
                var different =
                        threads.stream().map(ThreadState::blocker).distinct().toList();
                yield different.size() == 1
                        ? named(different.getFirst(), first)
                        : Text.number(different.size()) + " different: "
                                + NUMBER.matcher(named(different.getFirst(), first))
                                        .replaceFirst("");
            }
            case TASK -> "pool " + pool;
            case CONNECTION -> type(first, frame -> !frame.isJdk());
            case SOCKET, FILE -> operation(first);
            case QUEUE -> queue(first);
            case RESULT -> concurrent(first);
            case NOTHING, CARRIER, SLEEP -> "";
        };
    }

    /** The JDK class in which a thread waits. */
    private static String concurrent(ThreadState thread) {
        return type(
                thread,
                frame -> frame.text().startsWith("java.util.concurrent.")
                                && !frame.text().startsWith("java.util.concurrent.locks.")
                                && !frame.text().startsWith("java.util.concurrent.ForkJoinPool.")
                        || frame.text().startsWith("java.lang.Thread.join"));
    }

    /** The queue, and what its call waits for: a put for room, a take for an element. */
    private static String queue(ThreadState thread) {
        return thread.stack().frames().stream()
                .map(frame -> QUEUED.matcher(frame.text()))
                .filter(Matcher::find)
                .findFirst()
                .map(call -> call.group(1)
                        + switch (call.group(2)) {
                            case "take", "poll", "remove" -> ", for an element";
                            // a SynchronousQueue has no room: it hands elements over
                            case "put", "offer" ->
                                call.group(1).equals("SynchronousQueue") ? ", for a taker" : ", for room";
                            default -> ", for a taker";
                        })
                .orElseGet(() -> concurrent(thread));
    }

    /** {@code ReentrantLock@1f} of {@code java.util.concurrent.locks.ReentrantLock$NonfairSync@1f}. */
    private String named(String blocker, ThreadState first) {
        if (blocker != null) {
            return SYNC.matcher(blocker).replaceFirst("").replaceFirst("^java\\.util\\.concurrent\\.(locks\\.)?", "");
        }
        var lock = type(
                first,
                frame -> frame.text().startsWith("java.util.concurrent.locks.Reentrant")
                        || frame.text().startsWith("java.util.concurrent.locks.Stamped")
                        || frame.text().startsWith("java.util.concurrent.Semaphore"));
        return lock.isEmpty() && waits == WaitReason.LOCK ? "unknown: a monitor, or a class being initialized" : lock;
    }

    /** The class of the innermost frame that matches; empty if none does. */
    private static String type(ThreadState thread, Predicate<Frame> wanted) {
        return thread.stack().innermost(wanted).map(Frame::simpleType).orElse("");
    }

    private static String operation(ThreadState first) {
        var jdk = first.stack().frames().stream().takeWhile(Frame::isJdk).map(Frame::text);
        var calls = jdk.collect(Collectors.joining("\n"));
        var wants = OPERATIONS.entrySet().stream()
                .filter(operation -> operation.getKey().matcher(calls).find())
                .findFirst()
                .map(Map.Entry::getValue)
                .orElse("to read");
        return first.stack()
                .innermost(frame -> !frame.isJdk())
                .filter(frame -> !frame.isOwn())
                .map(library -> wants + ", " + library.simpleType())
                .orElse(wants);
    }
}
