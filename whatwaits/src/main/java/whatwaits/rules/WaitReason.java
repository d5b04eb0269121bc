package whatwaits.rules;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Predicate;

/** What a thread waits for: the innermost call in its stack that is known to wait for something. */
public enum WaitReason {
    /** For nothing: it computes, or waits for a CPU. */
    NOTHING("nothing"),
    /** For a carrier: a virtual thread that could go on. */
    CARRIER("a carrier"),
    /** For a lock that another thread holds: {@code synchronized}, {@code ReentrantLock}, a class being initialized. */
    LOCK("a lock"),
    /** For a connection from a pool. */
    CONNECTION("a connection"),
    /** For a permit of a semaphore, or what a pool of the program's own gives out. */
    PERMIT("a permit"),
    /** For the other end of a socket. */
    SOCKET("a socket"),
    /** For a file, or for another process. */
    FILE("a file"),
    /** For the next element of a queue, or for room in it. */
    QUEUE("a queue"),
    /** For the next task: an idle thread of a pool. */
    TASK("a task"),
    /** For the result of another task or thread. */
    RESULT("a result"),
    /** For time to pass. */
    SLEEP("a time"),
    /** For the program's own condition: {@code Object.wait}, {@code Condition.await}, a latch, {@code park}. */
    CONDITION("a condition"),
    /** For what no frame shows, on its carrier: native code, or a class that another thread is initializing. */
    UNSEEN("something unseen");

    /** Tested in this order for each frame, from the innermost outwards, as long as the frames are the JDK's. */
    private static final Map<Sign, WaitReason> CALLS = new LinkedHashMap<>();

    static {
        CALLS.put(Sign.SLEEPS, WaitReason.SLEEP);
        CALLS.put(Sign.SOCKET, WaitReason.SOCKET);
        CALLS.put(Sign.LOCKS_FILE, WaitReason.LOCK);
        CALLS.put(Sign.FILE, WaitReason.FILE);
        CALLS.put(Sign.PERMIT, WaitReason.PERMIT);
        CALLS.put(Sign.LOCK, WaitReason.LOCK);
        CALLS.put(Sign.RESULT, WaitReason.RESULT);
        CALLS.put(Sign.LATCH, WaitReason.CONDITION);
        CALLS.put(Sign.QUEUE, WaitReason.QUEUE);
    }

    /** A method that gives out what a pool has: its queue has no work. */
    private static final Predicate<Frame> GIVES =
            frame -> frame.method().matches(".*\\.(?i:borrow|acquire|check_?out|lease|obtain)\\w*");

    private final String words;

    WaitReason(String words) {
        this.words = words;
    }

    /** The words for it in tables. */
    @Override
    public String toString() {
        return words;
    }

    /** What a thread waits for, by its stack, and by its state where that is known. */
    static WaitReason of(ThreadState thread) {
        var stack = thread.stack();
        if ("BLOCKED".equals(thread.state())) {
            return LOCK;
        }
        if (thread.virtual() && "RUNNABLE".equals(thread.state()) && thread.carrier() == 0) {
            return CARRIER;
        }
        // before Java 25 a dump has no states
        boolean parked = stack.ends(Sign.PARKS) || thread.state() == null && stack.ends(Sign.SLEEPS);
        boolean waits = parked || "WAITING".equals(thread.state()) || "TIMED_WAITING".equals(thread.state());
        // a waiting task is deeper in the stack than the worker that asks for tasks
        var inner = stack.innermost(frame -> frame.says(Sign.IDLE) || frame.isOwn());
        if (waits && inner.filter(frame -> frame.says(Sign.IDLE)).isPresent()) {
            return TASK;
        }
        if (waits && accepts(stack) || awaitsAny(thread)) {
            // acceptors take turns by a lock
            return SOCKET;
        }
        if ("WAITING".equals(thread.state()) && !parked && stack.mayInitialize()) {
            // it waits in no call: for a class that another thread initializes
            return thread.isMounted() ? UNSEEN : LOCK;
        }
        var known = known(stack, waits);
        if (waits && stack.says(Sign.PUBLISHES) && known == LOCK) {
            // whoever has that lock waits for room
            return QUEUE;
        }
        if (known == SOCKET || known == FILE || !waits) {
            return known;
        }
        // a library may wait in any JDK class, but on a socket only while it connects or reads
        if (thread.library() != null) {
            return thread.library().waits();
        }
        if (known == QUEUE
                && stack.says(Sign.TAKES)
                && stack.innermost(frame -> !frame.isJdk()).filter(GIVES).isPresent()) {
            return PERMIT;
        }
        if (known != NOTHING) {
            return known;
        }
        if (parked) {
            var caller = stack.innermost(frame -> !frame.isJdk());
            return caller.filter(frame -> frame.text().contains("Queue")).isPresent() ? QUEUE : CONDITION;
        }
        // it waits, but in none of the known calls
        return thread.isMounted() ? UNSEEN : LOCK;
    }

    /** Whether the innermost calls of the JDK wait for whoever comes. */
    private static boolean accepts(Stack stack) {
        return stack.innermost(frame -> frame.says(Sign.LISTENS) || !frame.isJdk())
                .filter(Frame::isJdk)
                .isPresent();
    }

    private static boolean awaitsAny(ThreadState thread) {
        return thread.library() != null && thread.library().listens();
    }

    /** Whether a thread waits for whoever comes: it accepts connections, or selects among them. */
    static boolean listens(ThreadState thread) {
        return thread.waits() == SOCKET && (accepts(thread.stack()) || awaitsAny(thread));
    }

    /** Whether a thread waits for work, though it runs a task of its pool: it accepts, selects, takes from a queue, reads its input. */
    static boolean isForWork(ThreadState thread) {
        return switch (thread.waits()) {
            case TASK -> true;
            case SOCKET -> listens(thread);
            case QUEUE -> thread.stack().says(Sign.TAKES);
            case FILE -> thread.stack().says(Sign.INPUT);
            default -> false;
        };
    }

    /** Whether a thread waits for the time of a task that somebody has scheduled. */
    static boolean isForTime(ThreadState thread) {
        return "TIMED_WAITING".equals(thread.state()) && thread.stack().says(Sign.CLOCK);
    }

    /** What the innermost call of the JDK waits for. */
    private static WaitReason known(Stack stack, boolean waits) {
        var found = NOTHING;
        for (Frame frame : stack.frames()) {
            if (!frame.isJdk()) {
                break;
            }
            for (var call : CALLS.entrySet()) {
                var what = call.getValue();
                // the JVM says that whoever waits in native code runs
                boolean inNative = what == SOCKET || what == FILE || call.getKey() == Sign.LOCKS_FILE;
                if (frame.says(call.getKey()) && (waits || inNative)) {
                    // the latch may be that of a thread being joined
                    if (what != CONDITION && (found == NOTHING || what == RESULT)) {
                        return what;
                    }
                    found = found == NOTHING ? what : found;
                }
            }
        }
        return found;
    }
}
