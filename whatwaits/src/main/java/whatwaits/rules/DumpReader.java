package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/**
 * Reads the threads of a dump as {@code jcmd PID Thread.dump_to_file -format=json} writes it, in Java 21 and newer.
 */
public final class DumpReader {

    private static final String THREADS = "threadDump.threadContainers[].threads[]";

    private final Function<String, Owner> owners;
    private final Json json = new Json(this::keeps);
    private final Map<String, Frame> frames = new HashMap<>();
    private final Map<List<Frame>, Stack> stacks = new HashMap<>();
    private final List<ThreadState> threads = new ArrayList<>();
    private String version;

    /**
     * Begins a dump of a program of which only the names of its classes are known.
     */
    public DumpReader() {
        this(Owner::byName);
    }

    /**
     * Begins a dump.
     *
     * @param owners whose code a class is, by its name
     */
    public DumpReader(Function<String, Owner> owners) {
        this.owners = owners;
    }

    /**
     * Reads on.
     *
     * @param chunk the next part of the dump, of any size
     * @throws IllegalArgumentException if it is no such dump
     */
    public void accept(CharSequence chunk) {
        try {
            json.accept(chunk);
        } catch (ClassCastException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /**
     * Ends the dump.
     *
     * @return its threads
     * @throws IllegalArgumentException if it is no such dump, or not a whole one
     */
    public ThreadDump end() {
        json.end();
        if (version == null) {
            throw new IllegalArgumentException("a dump names its Java: there is no threadDump.runtimeVersion");
        }
        return new ThreadDump(threads, version, "A dump of Java " + version);
    }

    private boolean keeps(String path, Object value) {
        if (path.equals(THREADS)) {
            threads.add(thread((Map<?, ?>) value));
            return false;
        }
        if (path.equals("threadDump.runtimeVersion")) {
            version = (String) value;
        }
        return path.startsWith(THREADS);
    }

    /** What is missing in a dump is null here. */
    private ThreadState thread(Map<?, ?> entry) {
        var lines = new ArrayList<String>();
        for (Object line : list(entry.get("stack"))) {
            var text = (String) line;
            // without the names of module and class loader
            lines.add(text.substring(text.lastIndexOf('/', Math.max(0, text.indexOf('('))) + 1));
        }
        var holds = new ArrayList<String>();
        for (Object monitors : list(entry.get("monitorsOwned"))) {
            for (Object lock : list(((Map<?, ?>) monitors).get("locks"))) {
                // the compiler has removed a lock that no other thread can see
                if (lock != null) {
                    holds.add((String) lock);
                }
            }
        }
        var parked = entry.get("parkBlocker") instanceof Map<?, ?> blocker ? blocker : Map.of();
        var blocker = parked.get("object");
        if (blocker == null) {
            blocker = entry.get("blockedOn") != null ? entry.get("blockedOn") : entry.get("waitingOn");
        }
        return new ThreadState(
                id(entry.get("tid")),
                Objects.requireNonNullElse((String) entry.get("name"), ""),
                entry.get("virtual") instanceof Boolean virtual
                        ? virtual
                        // before Java 25 only the outermost frame shows whether it is virtual
                        : !lines.isEmpty() && lines.getLast().startsWith("java.lang.VirtualThread.run("),
                (String) entry.get("state"),
                id(entry.get("carrier")),
                (String) blocker,
                id(parked.get("owner")),
                holds,
                stack(lines));
    }

    private static List<?> list(Object value) {
        return value == null ? List.of() : (List<?>) value;
    }

    /** A number, which a dump before Java 25 writes as a string; 0 if there is none. */
    private static long id(Object value) {
        return switch (value) {
            case null -> 0;
            case Double number -> number.longValue();
            default -> Long.parseLong((String) value);
        };
    }

    /**
     * A stack for a thread that another source than a dump has reported.
     *
     * @param lines its frames, innermost first, as {@code package.Class.method(File.java:12)}
     * @return the stack
     */
    public Stack stack(List<String> lines) {
        var examined = lines.stream()
                .map(line -> frames.computeIfAbsent(
                        line, text -> new Frame(text, owners.apply(Frame.type(text)), Sign.of(text))))
                .toList();
        return stacks.computeIfAbsent(examined, Stack::new);
    }
}
