package threadlab.inspect;

import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names what a group of threads waits for: the lock, the pool, the queue, the operation on a socket.
 *
 * @param waits the kind of wait
 * @param frames distinguishes the program's frames from others
 */
record Awaited(WaitReason waits, Frames frames) {

    private static final Pattern NUMBER = Pattern.compile("@[0-9a-f]+$");
    private static final Pattern SYNC = Pattern.compile("\\$((Nonf|F)airSync|Sync)\\b");

    /** A call to a queue: its class and its method. */
    private static final Pattern QUEUED =
            Pattern.compile("(\\w*(?:Queue|Deque))\\.(put|offer|transfer|tryTransfer|take|poll|remove)\\w*\\(");

    /** An operation on a socket or a file, and the JDK calls that show it. */
    private record Operation(String words, Pattern signs) {
        Operation(String words, String signs) {
            this(words, Pattern.compile(signs));
        }
    }

    /** The first that matches counts. */
    private static final List<Operation> OPERATIONS = List.of(
            new Operation("any of its connections", "Selector|EPoll\\.wait|KQueue\\.poll"),
            new Operation("a new connection", "ccept"),
            new Operation("to connect", "onnect"),
            new Operation("a name's address", "lookup"),
            new Operation("an HTTP answer", "HttpClient"),
            new Operation("to write", "rite"),
            new Operation("another process", "Process"),
            new Operation("to open", "open"));

    /** The name of what is awaited; empty where there is nothing to say. */
    String of(List<ThreadState> threads, ThreadState first, String pool) {
        return switch (waits) {
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
            case TASK -> "pool " + pool;
            case CONNECTION -> type(first, frame -> !Frames.isJdk(frame));
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
                frame -> frame.startsWith("java.util.concurrent.")
                                && !frame.startsWith("java.util.concurrent.locks.")
                                && !frame.startsWith("java.util.concurrent.ForkJoinPool.")
                        || frame.startsWith("java.lang.Thread.join"));
    }

    /** The queue, and what its call waits for: a put for room, a take for an element. */
    private static String queue(ThreadState thread) {
        return thread.stack().stream()
                .map(QUEUED::matcher)
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
                frame -> frame.startsWith("java.util.concurrent.locks.Reentrant")
                        || frame.startsWith("java.util.concurrent.locks.Stamped")
                        || frame.startsWith("java.util.concurrent.Semaphore"));
        return lock.isEmpty() && waits == WaitReason.LOCK ? "unknown: a monitor, or a class being initialized" : lock;
    }

    /** The class of the innermost frame that matches; empty if none does. */
    private static String type(ThreadState thread, Predicate<String> wanted) {
        return thread.stack().stream()
                .filter(wanted)
                .findFirst()
                .map(Awaited::type)
                .orElse("");
    }

    private static String type(String frame) {
        var type = Frames.type(frame);
        return type.substring(type.lastIndexOf('.') + 1).replaceFirst("\\$.*", "");
    }

    private String operation(ThreadState first) {
        var stack = String.join(
                "\n", first.stack().stream().takeWhile(Frames::isJdk).toList());
        var operation = OPERATIONS.stream()
                .filter(candidate -> candidate.signs.matcher(stack).find())
                .findFirst()
                .map(Operation::words)
                .orElse("to read");
        var library = first.stack().stream()
                .filter(frame -> !Frames.isJdk(frame))
                .findFirst()
                .filter(frame -> !frames.isOwn(frame))
                .map(Awaited::type);
        return library.map(type -> operation + ", " + type).orElse(operation);
    }
}
