package whatwaits.look;

import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import whatwaits.rules.DumpReader;
import whatwaits.rules.ThreadState;

/** Platform threads, as the thread bean reports them; it does not report virtual ones. */
final class PlatformThreads {

    /** The lock of a carrier with a mounted thread, since Java 21. */
    private static final String MOUNTED = "java.lang.VirtualThread@";

    private PlatformThreads() {}

    static List<ThreadState> of(ThreadInfo[] infos, DumpReader stacks) {
        return Arrays.stream(infos)
                .filter(Objects::nonNull)
                .map(info -> new ThreadState(
                        info.getThreadId(),
                        info.getThreadName(),
                        false,
                        info.getThreadState().toString(),
                        0,
                        info.getLockName(),
                        Math.max(0, info.getLockOwnerId()),
                        Arrays.stream(info.getLockedMonitors())
                                .map(MonitorInfo::toString)
                                .toList(),
                        stacks.stack(Arrays.stream(info.getStackTrace())
                                .map(frame -> frame.getClassName() + "." + frame.getMethodName()
                                        + frame.toString()
                                                .substring(frame.toString().lastIndexOf('(')))
                                .toList())))
                .toList();
    }

    /** Adds states, locks and carriers to a dump from Java 21 to 24, which lacks them. */
    static List<ThreadState> complete(List<ThreadState> threads, ThreadInfo[] infos) {
        var known = Arrays.stream(infos)
                .filter(Objects::nonNull)
                .collect(Collectors.toMap(ThreadInfo::getThreadId, info -> info));
        var carried = new HashMap<Long, Long>();
        var carriers = new HashMap<Long, Long>();
        for (ThreadInfo info : known.values()) {
            if (info.getLockName() != null && info.getLockName().startsWith(MOUNTED)) {
                carriers.put(info.getLockOwnerId(), info.getThreadId());
                carried.put(info.getThreadId(), info.getLockOwnerId());
            }
        }
        return threads.stream()
                .map(thread -> {
                    var info = known.get(thread.id());
                    if (info == null) {
                        // a thread without frames was mounting or unmounting
                        boolean virtual =
                                thread.virtual() || thread.stack().where().isEmpty();
                        long carrier = carriers.getOrDefault(thread.id(), thread.carrier());
                        return thread.with(virtual, thread.state(), carrier, thread.blocker(), thread.owner());
                    }
                    // before Java 24 a carrier owns the monitors of its thread
                    long owner = carried.getOrDefault(info.getLockOwnerId(), Math.max(0, info.getLockOwnerId()));
                    return thread.with(false, info.getThreadState().toString(), 0, info.getLockName(), owner);
                })
                .toList();
    }
}
