package whatwaits.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * A thread that holds a carrier while it waits.
 *
 * @param seen {@code ended}; {@code now} if two dumps show it; {@code now, in one of two dumps} otherwise
 * @param thread its name or number
 * @param operation what it waits for; null where it is not known
 * @param reason why it does not leave its carrier; null where it is not known
 * @param carrier the name of the carrier; null where it is not known
 * @param milliseconds how long; NaN for one that has not ended
 * @param stack its frames
 */
public record Pin(
        String seen, String thread, String operation, String reason, String carrier, double milliseconds, Stack stack) {

    /** Seen in a dump. */
    static final String NOW = "now";

    /**
     * {@return all pins of two looks at the same JVM, a moment apart} A thread in the same call in both is pinned; one
     * in only one of them may hold its carrier just briefly.
     *
     * @param first the pins of one dump
     * @param second the pins of another
     */
    public static List<Pin> of(List<Pin> first, List<Pin> second) {
        var all = new ArrayList<Pin>();
        second.forEach(pin -> all.add(pin.isIn(first) ? pin : pin.once()));
        first.stream().filter(pin -> !pin.isIn(second)).forEach(pin -> all.add(pin.once()));
        return all;
    }

    private boolean isIn(List<Pin> look) {
        return look.stream()
                .anyMatch(other -> other.thread.equals(thread)
                        && other.operation.equals(operation)
                        && other.stack.where().equals(stack.where()));
    }

    Pin once() {
        return new Pin("now, in one of two dumps", thread, operation, reason, carrier, milliseconds, stack);
    }

    /** {@return whether two looks, a moment apart, show it} */
    public boolean isNow() {
        return seen.equals(NOW);
    }

    /** Whether it waits until another thread wakes it, and not in a call to the system. */
    boolean isParked() {
        return isParked(stack);
    }

    private static boolean isParked(Stack stack) {
        return stack.frames().stream().limit(3).anyMatch(frame -> frame.text().contains(".park"));
    }

    /** Why a waiting thread does not leave its carrier. */
    static String reason(ThreadState thread, WaitReason waits, int java) {
        var frames = thread.stack().frames().stream().map(Frame::text).toList();
        if (thread.stack().has(Frame::initializesClass)) {
            return "a class is being initialized";
        }
        if (waits == WaitReason.UNSEEN) {
            return "native code, or a class that another thread is initializing";
        }
        if (frames.stream()
                .skip(1)
                .anyMatch(frame -> frame.contains(".ClassLoader.loadClass(") || frame.contains(".Class.forName"))) {
            return "a class is being loaded";
        }
        boolean parked = isParked(thread.stack());
        if (waits == WaitReason.FILE || thread.stack().says(Sign.LOCKS_FILE) || waits == WaitReason.SOCKET && !parked) {
            return "a system call, during which the JDK keeps the carrier";
        }
        if (frames.stream().skip(2).anyMatch(frame -> frame.endsWith("(Native Method)"))) {
            return "a native method on the stack";
        }
        return java < 24 ? "synchronized, or a native frame on the stack" : "a native frame on the stack";
    }
}
