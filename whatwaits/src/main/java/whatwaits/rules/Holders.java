package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** Which thread holds what another waits for. A dump names the owner of a monitor since Java 25. */
final class Holders {

    private final List<ThreadState> threads;
    private final Map<String, ThreadState> byLock = new HashMap<>();
    private final Map<Long, ThreadState> byId = new HashMap<>();

    Holders(List<ThreadState> threads) {
        this.threads = threads;
        for (ThreadState thread : threads) {
            byId.put(thread.id(), thread);
            for (String lock : thread.holds()) {
                // a thread that waits on a monitor has released it, and is blocked by it when it returns
                if (!lock.equals(thread.blocker())) {
                    byLock.put(lock, thread);
                }
            }
        }
    }

    /** The thread that holds what this one waits for; null if it is not known. */
    ThreadState of(ThreadState waiting) {
        return waiting.blocker() == null ? null : byLock.getOrDefault(waiting.blocker(), byId.get(waiting.owner()));
    }

    /** Threads that wait for each other in a circle, each for a lock that the next one holds: none of them goes on. */
    List<List<ThreadState>> circles() {
        var circles = new ArrayList<List<ThreadState>>();
        var seen = new HashSet<Long>();
        for (ThreadState start : threads) {
            var path = new LinkedHashSet<ThreadState>();
            var next = start;
            while (next != null && seen.add(next.id())) {
                path.add(next);
                next = of(next);
            }
            if (next != null && path.contains(next)) {
                var first = next;
                circles.add(path.stream().dropWhile(thread -> thread != first).toList());
            }
        }
        return circles;
    }
}
