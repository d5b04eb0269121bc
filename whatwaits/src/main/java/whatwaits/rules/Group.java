package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Threads that wait for the same thing.
 *
 * @param waits what they wait for
 * @param what the lock, the pool, the queue; empty where there is nothing to say
 * @param threads all of them, virtual or platform ones
 * @param first the first of them on the line on which most are
 * @param held who holds what they wait for; null if that is not known
 */
public record Group(WaitReason waits, String what, List<ThreadState> threads, ThreadState first, Held held) {

    /**
     * Who holds what others wait for.
     *
     * @param by the thread
     * @param proven whether the JVM names it; otherwise it is the only other one in the same method or class
     */
    public record Held(ThreadState by, boolean proven) {}

    /** {@return whether these are virtual threads} */
    public boolean virtual() {
        return first.virtual();
    }

    /** {@return how many of them hold a carrier} */
    public int mounted() {
        return (int) threads.stream().filter(ThreadState::isMounted).count();
    }

    /** {@return who holds what they wait for, in words; empty if that is not known} */
    public String holder() {
        return held == null ? "" : (held.proven ? "" : "probably ") + held.by.label();
    }

    /** {@return the line on which most of them are} */
    public String where() {
        return stack().where();
    }

    /** {@return the stack of the first thread on that line} */
    public Stack stack() {
        return first.stack();
    }

    /** {@return the number of threads and what they wait for: one sentence, without its full stop} */
    public String sentence() {
        return Text.number(threads.size())
                + (virtual() ? " virtual " : " platform ")
                + does()
                + (held == null ? "" : (held.proven ? ", " : ", probably ") + "held by " + held.by.label())
                + (virtual() && mounted() > 0 ? ", " + Text.number(mounted()) + " on a carrier" : "");
    }

    /** What they do: {@code wait for a lock (Till@1f)}. */
    String does() {
        boolean one = threads.size() == 1;
        var verb =
                switch (waits) {
                    case NOTHING -> one ? "computes" : "compute";
                    case SLEEP -> one ? "sleeps" : "sleep";
                    case TASK -> one ? "is idle" : "are idle";
                    default -> (one ? "waits for " : "wait for ") + (isForProcess() ? what : waits);
                };
        return verb + (what.isEmpty() || isForProcess() ? "" : " (" + what + ")");
    }

    /** Whether they wait for what another process writes, or for its end. */
    boolean isForProcess() {
        return waits == WaitReason.FILE && what.equals(Awaited.PROCESS);
    }

    /** {@return the lines on which they are: {@code , 3 of them at …, and 2 at …}; empty if there is none} */
    public String at() {
        if (where().isEmpty()) {
            return "";
        }
        var others = others();
        long here = threads.stream()
                .filter(one -> one.stack().where().equals(where()))
                .count();
        return ", " + (others.isEmpty() ? "" : Text.number(here) + " of them ") + "at " + where()
                + others.stream().map(line -> ", " + line).collect(Collectors.joining());
    }

    /** How many lines besides the first a reader is shown. */
    private static final int SHOWN = 4;

    /** {@return the other lines on which they wait for the same, the most frequent first: {@code and 2 at …}} */
    List<String> others() {
        if (waits != WaitReason.LOCK && waits != WaitReason.PERMIT && waits != WaitReason.CONNECTION) {
            return List.of();
        }
        var lines = Grouping.by(one -> one.stack().where(), threads.stream());
        lines.remove(where());
        var all = lines.entrySet().stream()
                .sorted(Comparator.comparingInt(line -> -line.getValue().size()))
                .map(line -> "and " + Text.number(line.getValue().size()) + " at " + line.getKey())
                .toList();
        if (all.size() <= SHOWN) {
            return all;
        }
        var shown = new ArrayList<>(all.subList(0, SHOWN));
        shown.add("and others on " + Text.count(all.size() - SHOWN, "line"));
        return shown;
    }

    /** Whether they wait for several locks, too many to form a group each. */
    boolean severalLocks() {
        return threads.stream().map(ThreadState::blocker).distinct().count() > 1;
    }

    /** {@return how many threads it has} */
    public int size() {
        return threads.size();
    }
}
