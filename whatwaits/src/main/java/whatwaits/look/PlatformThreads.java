package whatwaits.look;

import java.lang.management.ThreadInfo;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Stack;
import whatwaits.rules.ThreadState;

/** Platform threads, as the thread bean reports them; it does not report virtual ones. */
final class PlatformThreads {

    /** The lock of a carrier with a mounted thread, since Java 21. */
    private static final String MOUNTED = "java.lang.VirtualThread@";

    private PlatformThreads() {}

    static List<ThreadState> of(ThreadInfo[] infos, DumpReader stacks) {
        var threads = new ArrayList<ThreadState>();
        for (ThreadInfo info : infos) {
            if (info != null) {
                var monitors = Arrays.stream(info.getLockedMonitors()).map(Object::toString);
                var frames = Arrays.stream(info.getStackTrace()).map(PlatformThreads::line);
                threads.add(state(info, owner(info), monitors.toList(), stacks.stack(frames.toList())));
            }
        }
        return threads;
    }

    private static String line(StackTraceElement frame) {
        var text = frame.toString();
        return frame.getClassName() + "." + frame.getMethodName() + text.substring(text.lastIndexOf('('));
    }

    private static long owner(ThreadInfo info) {
        return Math.max(0, info.getLockOwnerId());
    }

    private static ThreadState state(ThreadInfo info, long owner, List<String> holds, Stack stack) {
        var state = info.getThreadState().toString();
        var name = info.getThreadName();
        return new ThreadState(info.getThreadId(), name, false, state, 0, info.getLockName(), owner, holds, stack);
    }

    /** Adds states, locks and carriers to a dump from Java 21 to 24, which lacks them. */
    static List<ThreadState> complete(List<ThreadState> threads, ThreadInfo[] infos) {
        var known = new HashMap<Long, ThreadInfo>();
        var carried = new HashMap<Long, Long>();
        var carriers = new HashMap<Long, Long>();
        for (ThreadInfo info : infos) {
            if (info != null) {
                known.put(info.getThreadId(), info);
                if (info.getLockName() != null && info.getLockName().startsWith(MOUNTED)) {
                    carriers.put(info.getLockOwnerId(), info.getThreadId());
                    carried.put(info.getThreadId(), info.getLockOwnerId());
                }
            }
        }
        var complete = new ArrayList<ThreadState>();
        for (ThreadState thread : threads) {
            var info = known.get(thread.id());
            if (info != null) {
                // before Java 24 a carrier owns the monitors of its thread
                long owner = carried.getOrDefault(info.getLockOwnerId(), owner(info));
                complete.add(state(info, owner, thread.holds(), thread.stack()));
            } else {
                complete.add(mounted(thread, carriers.getOrDefault(thread.id(), 0L)));
            }
        }
        return complete;
    }

    /** Whether a dump lacks who owns the lock that a platform thread waits for. */
    static boolean lacksOwner(ThreadState thread) {
        return !thread.virtual()
                && thread.owner() == 0
                && thread.blocker() != null
                && thread.blocker().startsWith("java.util.concurrent.locks.Reentrant");
    }

    /** A thread of a dump with the owner of the lock that it waits for, if it still waits for that. */
    static ThreadState owned(ThreadState one, ThreadInfo info) {
        return info == null || !one.blocker().equals(info.getLockName())
                ? one
                : new ThreadState(
                        one.id(),
                        one.name(),
                        false,
                        one.state(),
                        0,
                        one.blocker(),
                        owner(info),
                        one.holds(),
                        one.stack());
    }

    private static ThreadState mounted(ThreadState one, long carrier) {
        // a thread without frames was mounting or unmounting
        boolean virtual = one.virtual() || one.stack().where().isEmpty();
        return new ThreadState(one.id(), one.name(), virtual, null, carrier, null, 0, List.of(), one.stack());
    }
}
