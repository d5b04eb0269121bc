package threadlab.inspect;

import java.util.List;

/**
 * Threads that wait for the same thing.
 *
 * @param waits what they wait for
 * @param what the lock, the pool, the queue; empty where there is nothing to say
 * @param virtual whether these are virtual threads
 * @param threads all of them
 * @param mounted how many of them hold a carrier
 * @param holder the thread that holds what they wait for; empty if that is not known
 * @param where the line on which most of them are
 * @param stack the stack of the first thread on that line
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

    /** The number of threads and what they wait for, in one sentence. */
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
