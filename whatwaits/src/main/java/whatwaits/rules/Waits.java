package whatwaits.rules;

import java.util.LinkedHashMap;
import java.util.Map;

/** Finds what a thread waits for: the innermost call in its stack that is known to wait for something. */
final class Waits {

    /** Tested in this order for each frame, from the innermost outwards, as long as the frames are the JDK's. */
    private static final Map<Sign, WaitReason> CALLS = new LinkedHashMap<>();

    static {
        CALLS.put(Sign.SLEEPS, WaitReason.SLEEP);
        CALLS.put(Sign.SOCKET, WaitReason.SOCKET);
        CALLS.put(Sign.FILE, WaitReason.FILE);
        CALLS.put(Sign.PERMIT, WaitReason.PERMIT);
        CALLS.put(Sign.LOCK, WaitReason.LOCK);
        CALLS.put(Sign.RESULT, WaitReason.RESULT);
        CALLS.put(Sign.LATCH, WaitReason.CONDITION);
        CALLS.put(Sign.QUEUE, WaitReason.QUEUE);
    }

    private Waits() {}

    /** What a thread waits for, by its stack, and by its state where that is known. */
    static WaitReason of(ThreadState thread) {
        var stack = thread.stack();
        if ("BLOCKED".equals(thread.state())) {
            return WaitReason.LOCK;
        }
        if (thread.virtual() && "RUNNABLE".equals(thread.state()) && thread.carrier() == 0) {
            return WaitReason.CARRIER;
        }
        boolean parked = stack.ends(Sign.PARKS);
        boolean waits = parked || "WAITING".equals(thread.state()) || "TIMED_WAITING".equals(thread.state());
        // a waiting task is deeper in the stack than the worker that asks for tasks
        if (waits
                && stack.innermost(frame -> frame.says(Sign.IDLE) || frame.isOwn())
                        .filter(frame -> frame.says(Sign.IDLE))
                        .isPresent()) {
            return WaitReason.TASK;
        }
        var known = known(stack, waits);
        if (known == WaitReason.SOCKET || known == WaitReason.FILE || !waits) {
            return known;
        }
        if (stack.says(Sign.REMOTE)) {
            return WaitReason.SOCKET;
        }
        // a pool may wait in any JDK class, but on a socket only while it opens a connection
        if (stack.says(Sign.TAKES_CONNECTION)) {
            return WaitReason.CONNECTION;
        }
        if (known != WaitReason.NOTHING) {
            return known;
        }
        if (parked) {
            var caller = stack.innermost(frame -> !frame.isJdk());
            return caller.filter(frame -> frame.text().contains("Queue")).isPresent()
                    ? WaitReason.QUEUE
                    : WaitReason.CONDITION;
        }
        // it waits, but in none of the known calls: for a class that another thread is initializing
        return WaitReason.LOCK;
    }

    /** What the innermost call of the JDK waits for. */
    private static WaitReason known(Stack stack, boolean waits) {
        var found = WaitReason.NOTHING;
        for (Frame frame : stack.frames()) {
            if (!frame.isJdk()) {
                break;
            }
            for (var call : CALLS.entrySet()) {
                var what = call.getValue();
                if (frame.says(call.getKey()) && (waits || what == WaitReason.SOCKET || what == WaitReason.FILE)) {
                    // the latch may be that of a thread being joined
                    if (what != WaitReason.CONDITION && (found == WaitReason.NOTHING || what == WaitReason.RESULT)) {
                        return what;
                    }
                    found = found == WaitReason.NOTHING ? what : found;
                }
            }
        }
        return found;
    }
}
