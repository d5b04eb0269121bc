package whatwaits.rules;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Names what a group of threads waits for: the lock, the pool, the queue, the operation on a socket. */
final class Awaited {

    /** What a thread waits for that has started a program. */
    static final String PROCESS = "another process";

    /** What a thread waits for whose socket takes no more. */
    static final String WRITES = "to write";

    private static final Pattern NUMBER = Pattern.compile("@[0-9a-f]+$");
    private static final Pattern SYNC = Pattern.compile("\\$((Nonf|F)airSync|Sync)\\b");

    private static final Pattern CONCURRENT =
            Pattern.compile("java\\.util\\.concurrent\\.(?!locks\\.|ForkJoinPool\\.)|java\\.lang\\.Thread\\.join");
    private static final Pattern LOCK =
            Pattern.compile("java\\.util\\.concurrent\\.(locks\\.(Reentrant|Stamped)|Semaphore)");

    /** A call to a queue: its class and its method. */
    private static final Pattern QUEUED = Pattern.compile(
            "(\\w*(?:Queue|Deque)|SubmissionPublisher)\\.(put|offer|submit|transfer|tryTransfer|take|poll|remove)\\w*\\(");

    /** Calls of the JDK on a socket or a file, and what they wait for; the first that matches counts. */
    private static final Map<String, String> OPERATIONS = new LinkedHashMap<>();

    static {
        OPERATIONS.put("Selector", "any of its connections");
        OPERATIONS.put("EPoll.wait", "any of its connections");
        OPERATIONS.put("KQueue.poll", "any of its connections");
        OPERATIONS.put("ccept", "a new connection");
        OPERATIONS.put("onnect", "to connect");
        OPERATIONS.put("lookup", "a name's address");
        OPERATIONS.put("HttpClient", "an HTTP answer");
        OPERATIONS.put("rite", WRITES);
        OPERATIONS.put("Process", PROCESS);
        OPERATIONS.put("open", "to open");
        OPERATIONS.put("", "to read");
    }

    private static final String PHASER = "java.util.concurrent.Phaser$QNode";

    /** The name of a lock that a process has, not a thread. */
    static final String FILE = "FileChannel";

    private Awaited() {}

    /** The name of what is awaited; empty where there is nothing to say. */
    static String by(WaitReason waits, List<ThreadState> threads, ThreadState first, String pool) {
        return switch (waits) {
            case LOCK, PERMIT, CONDITION -> {
                if (first.blocker() != null && first.blocker().startsWith(PHASER)) {
                    // each thread waits in a node of its own
                    yield "Phaser";
                }
                // of some that wait on a monitor the JVM names none
                var objects = threads.stream()
                        .map(ThreadState::blocker)
                        .filter(Objects::nonNull)
                        .distinct()
                        .toList();
                int different = Math.max(1, objects.size());
                var blocker = objects.isEmpty() ? null : objects.getFirst();
                var library = first.library();
                if (library != null) {
                    int number = blocker == null ? -1 : blocker.indexOf('@');
                    yield library.name() + (different > 1 || number < 0 ? "" : blocker.substring(number));
                }
                var name = named(waits, blocker, first);
                var many = Text.number(different) + " different: ";
                var what = different == 1 ? name : many + NUMBER.matcher(name).replaceFirst("");
                yield waits == WaitReason.CONDITION ? in(first, what) : what;
            }
            case TASK -> "pool " + pool;
            case CONNECTION -> first.library().name();
            case SOCKET, FILE -> operation(first);
            case QUEUE -> queue(first);
            case RESULT -> in(first, concurrent(first));
            case UNSEEN -> {
                boolean initializes = first.stack().has(Frame::initializesClass);
                yield (initializes ? "" : "native code, or ") + "a class being initialized";
            }
            case NOTHING, CARRIER, SLEEP -> "";
        };
    }

    /** What is awaited in a library of which no row is known. */
    private static String in(ThreadState thread, String what) {
        var caller = thread.stack().innermost(frame -> !frame.isJdk()).filter(frame -> !frame.isOwn());
        return caller.map(library -> what + (what.isEmpty() ? "in " : ", in ") + library.simpleType())
                .orElse(what);
    }

    /** The JDK class in which a thread waits. */
    private static String concurrent(ThreadState thread) {
        return type(thread, frame -> CONCURRENT.matcher(frame.text()).lookingAt());
    }

    /** Whether a thread waits to hand an element over: for room in a queue, or for a taker. */
    static boolean isForRoom(ThreadState thread) {
        return thread.waits() == WaitReason.QUEUE
                && thread.stack()
                        .innermost(frame -> QUEUED.matcher(frame.text()).find())
                        .filter(frame -> frame.method().matches(".*\\.(put|offer|submit|transfer|tryTransfer)\\w*"))
                        .isPresent();
    }

    /** The queue, and what its call waits for: a put for room, a take for an element. */
    private static String queue(ThreadState thread) {
        for (Frame frame : thread.stack().frames()) {
            var call = QUEUED.matcher(frame.text());
            if (call.find()) {
                // a SynchronousQueue has no room: it hands elements over
                boolean room = call.group(2).matches("put|offer|submit")
                        && !call.group(1).equals("SynchronousQueue");
                boolean takes = call.group(2).matches("take|poll|remove");
                return call.group(1) + (takes ? ", for an element" : room ? ", for room" : ", for a taker");
            }
        }
        return concurrent(thread);
    }

    /** {@code ReentrantLock@1f} of {@code java.util.concurrent.locks.ReentrantLock$NonfairSync@1f}. */
    private static String named(WaitReason waits, String blocker, ThreadState first) {
        if (waits == WaitReason.PERMIT && first.stack().says(Sign.TAKES)) {
            return type(first, frame -> QUEUED.matcher(frame.text()).find());
        }
        if (blocker != null) {
            return SYNC.matcher(blocker).replaceFirst("").replaceFirst("^java\\.util\\.concurrent\\.(locks\\.)?", "");
        }
        if (first.stack().says(Sign.LOCKS_FILE)) {
            return FILE;
        }
        var lock = type(first, frame -> LOCK.matcher(frame.text()).lookingAt());
        return lock.isEmpty() && waits == WaitReason.LOCK ? "unknown: a monitor, or a class being initialized" : lock;
    }

    /** The class of the innermost frame that matches; empty if none does. */
    private static String type(ThreadState thread, Predicate<Frame> wanted) {
        return thread.stack().innermost(wanted).map(Frame::simpleType).orElse("");
    }

    private static String operation(ThreadState first) {
        var library = first.library();
        if (library != null && library.waits() == WaitReason.SOCKET) {
            return library.what() + ", " + library.name();
        }
        var jdk = first.stack().frames().stream().takeWhile(Frame::isJdk).map(Frame::text);
        var calls = jdk.collect(Collectors.joining("\n"));
        var named = OPERATIONS.keySet().stream().filter(calls::contains).findFirst();
        var wants = OPERATIONS.get(named.orElseThrow());
        var caller = first.stack().innermost(frame -> !frame.isJdk()).filter(frame -> !frame.isOwn());
        return caller.map(frame -> wants + ", " + frame.simpleType()).orElse(wants);
    }
}
