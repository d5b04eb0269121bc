package whatwaits.rules;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The threads of a dump in text: of {@code jstack} or {@code jcmd PID Thread.print}, which have platform threads and
 * the virtual threads on carriers, or of {@code jcmd PID Thread.dump_to_file FILE}, which has all. Of several dumps in
 * one text the last counts.
 */
public final class TextDump {

    private static final Pattern PRINTED = Pattern.compile("^\"(.*)\" #(\\d+) .*");
    private static final Pattern FILED =
            Pattern.compile("^#(\\d+) \"(.*)\"( virtual)?(?: ([A-Z_]+))?(?: \\d{4}-\\S+)?$");
    private static final Pattern CPU = Pattern.compile(" cpu=([\\d.]+)ms (?:elapsed=([\\d.]+)s )?");
    private static final Pattern STATE = Pattern.compile("^ +java\\.lang\\.Thread\\.State: (\\w+).*");
    private static final Pattern CARRIES = Pattern.compile("^ +Carrying virtual thread #(\\d+).*");
    private static final Pattern MOUNTED = Pattern.compile("^ +Mounted virtual thread #(\\d+).*");
    private static final Pattern FRAME = Pattern.compile("^\\s+(?:at )?(\\S+)\\((?:[^()/]*/)*([^()]*)\\)$");
    private static final Pattern OBJECT = Pattern.compile(
            "^\\s+- (?:(locked|waiting to lock|waiting on|waiting to re-lock in wait\\(\\)|parking to wait"
                    + " for|parked on|blocked on) +)?<([^>]+)>(?: \\(an? (.+)\\))?.*");
    private static final Pattern HEADING = Pattern.compile("^Full thread dump .*\\((\\d[^ ]*).*\\):$");
    // not the time on the line before it, which has colons
    private static final Pattern RELEASE = Pattern.compile("^\\d+(?:\\.\\d+)*(?:[-+][^\\s:]+)?$");

    /** Below the threads the JVM says who of them wait for each other: who waits, for what, and whose that is. */
    private static final Pattern WAITER = Pattern.compile("^\"(.*)\":$");

    private static final Pattern WANTED =
            Pattern.compile("^ +waiting .*(?:\\(object |synchronizer )0x0*([0-9a-f]+), \\(?an? ([^ ),]+)\\),?$");
    private static final Pattern OWNED = Pattern.compile("^ +(?:in JNI, )?which is held by \"(.*)\"$");

    private final List<ThreadState> threads = new ArrayList<>();
    private String waiter;
    /** What each of these waits for, by its name. */
    private final Map<String, String> wanted = new HashMap<>();
    /** The name of the owner, by what is waited for. */
    private final Map<String, String> owners = new HashMap<>();

    private final Map<Long, Double> cpuMillis = new HashMap<>();
    /** The number of the first thread of each name. */
    private final Map<String, Long> began = new HashMap<>();
    /** The share of a CPU in the life of each thread. */
    private final Map<Long, Double> cpus = new HashMap<>();

    private final Map<Long, Long> carriers = new HashMap<>();
    private final DumpReader stacks;
    private String version;
    private boolean all;

    private long id;
    private String name;
    private boolean virtual;
    private String state;
    private long carrier;
    private String blocker;
    private final List<String> holds = new ArrayList<>();
    private final List<String> frames = new ArrayList<>();

    private TextDump(DumpReader stacks) {
        this.stacks = stacks;
    }

    /**
     * {@return the threads of a text}
     *
     * @param text the dump
     * @param stacks reads its stacks
     * @throws IOException if the text cannot be read
     */
    public static TextDump read(Reader text, DumpReader stacks) throws IOException {
        var dump = new TextDump(stacks);
        var lines = new BufferedReader(text);
        int number = 0;
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            dump.add(line, ++number);
        }
        dump.end();
        dump.threads.replaceAll(dump::owned);
        return dump;
    }

    /** A thread with the owner that the JVM names below all threads. */
    private ThreadState owned(ThreadState thread) {
        var name = owners.get(thread.blocker());
        if (name == null) {
            return thread;
        }
        var owner = threads.stream()
                .filter(one -> one.name().equals(name)
                        && (!wanted.containsKey(name) || wanted.get(name).equals(one.blocker())))
                .findFirst();
        return owner.map(one -> thread.ownedBy(one.id())).orElse(thread);
    }

    private void add(String line, int number) {
        // most lines are frames: a look at the first character spares them the patterns
        char first = line.isEmpty() ? ' ' : line.charAt(0);
        var printed = PRINTED.matcher(line);
        var filed = FILED.matcher(line);
        if (first == '"' && printed.matches()) {
            begin(Long.parseLong(printed.group(2)), printed.group(1), false, null, 0);
            var cpu = CPU.matcher(line);
            if (cpu.find()) {
                cpuMillis.put(id, Double.parseDouble(cpu.group(1)));
                double seconds = cpu.group(2) == null ? 0 : Double.parseDouble(cpu.group(2));
                if (seconds >= Thresholds.LIFE) {
                    cpus.put(id, cpuMillis.get(id) / 1e3 / seconds);
                }
            }
            began.putIfAbsent(name, id);
        } else if (first == '#' && filed.matches()) {
            all = true;
            begin(Long.parseLong(filed.group(1)), filed.group(2), filed.group(3) != null, filed.group(4), 0);
        } else if (name == null || line.isBlank() || !Character.isWhitespace(line.charAt(0))) {
            heading(line, number);
        } else {
            detail(line);
        }
    }

    /** The JVM's own threads have no number: with the name of one the thread before it ends. */
    private void heading(String line, int number) {
        var heading = HEADING.matcher(line);
        if (heading.matches()) {
            end();
            threads.clear();
            cpuMillis.clear();
            cpus.clear();
            began.clear();
            carriers.clear();
            wanted.clear();
            owners.clear();
            version = heading.group(1);
        } else if (line.startsWith("\"")) {
            end();
            var names = WAITER.matcher(line);
            waiter = names.matches() ? names.group(1) : null;
        } else if (waiter != null) {
            owner(line);
        } else if (version == null && number == 3 && RELEASE.matcher(line).matches()) {
            version = line;
        }
    }

    private void owner(String line) {
        var what = WANTED.matcher(line);
        var whose = OWNED.matcher(line);
        if (what.matches()) {
            wanted.put(waiter, what.group(2) + "@" + what.group(1));
        } else if (whose.matches() && wanted.containsKey(waiter)) {
            owners.put(wanted.get(waiter), whose.group(1));
        }
    }

    private void detail(String line) {
        var frame = FRAME.matcher(line);
        if (line.endsWith(")") && frame.matches()) {
            if (!frame.group(1).contains("$$Lambda/")) {
                frames.add(frame.group(1) + "(" + frame.group(2) + ")");
            }
            return;
        }
        var known = STATE.matcher(line);
        var carries = CARRIES.matcher(line);
        var mounted = MOUNTED.matcher(line);
        var object = OBJECT.matcher(line);
        if (known.matches()) {
            state = known.group(1);
        } else if (carries.matches()) {
            carriers.put(Long.parseLong(carries.group(1)), id);
        } else if (mounted.matches()) {
            begin(Long.parseLong(mounted.group(1)), "", true, "RUNNABLE", id);
        } else if (object.matches()) {
            object(object.group(1), object.group(2), object.group(3));
        }
    }

    private void object(String how, String which, String type) {
        // <0x00000006ab> (a java.lang.Object), or <java.lang.Object@6ab>
        var object = type == null ? which : type + "@" + which.replaceFirst("^0x0*", "");
        if (how == null || how.equals("locked")) {
            holds.add(object);
        } else if (blocker == null && object.contains("@")) {
            blocker = object;
        }
    }

    private void begin(long nextId, String nextName, boolean nextVirtual, String nextState, long nextCarrier) {
        end();
        id = nextId;
        name = nextName;
        virtual = nextVirtual;
        state = nextState;
        carrier = nextCarrier;
    }

    private void end() {
        // compilers and other threads of the JVM itself have no frames; they do not compute for the program
        if (name != null && (virtual || !frames.isEmpty())) {
            // before Java 25 only the outermost frame shows whether it is virtual
            boolean runs = !frames.isEmpty() && frames.getLast().contains("java.lang.VirtualThread.run(");
            var stack = stacks.stack(List.copyOf(frames));
            var held = List.copyOf(holds);
            // a file in text names no carriers: of one that could run, only the stack says whether it has one
            boolean unknown = virtual && carrier == 0 && "RUNNABLE".equals(state) && !stack.ends(Sign.UNMOUNTS);
            var said = unknown ? null : state;
            threads.add(new ThreadState(id, name, virtual || runs, said, carrier, blocker, 0, held, stack));
        }
        name = null;
        blocker = null;
        holds.clear();
        frames.clear();
    }

    /** {@return all threads} */
    public List<ThreadState> threads() {
        return threads;
    }

    /** {@return the CPU time of platform threads in milliseconds, by their number; empty where the text has none} */
    public Map<Long, Double> cpuMillis() {
        return cpuMillis;
    }

    /** {@return the carriers of virtual threads, by the numbers of both} */
    public Map<Long, Long> carriers() {
        return carriers;
    }

    /** {@return whether it also has the virtual threads without a carrier} */
    public boolean hasAll() {
        return all;
    }

    /** {@return the release that wrote it, such as 25.0.3+9-LTS; null if it is not named} */
    public String version() {
        return version;
    }

    /** Whether the program has used virtual threads: a command that asks for the scheduler starts one of its threads, too. */
    private boolean hasVirtual() {
        long asked = began.getOrDefault("Attach Listener", Long.MAX_VALUE);
        return began.getOrDefault("VirtualThread-unblocker", Long.MAX_VALUE) < asked
                || began.keySet().stream().anyMatch(one -> one.startsWith(Pool.CARRIERS));
    }

    /**
     * {@return the threads as one dump}
     *
     * @param java the feature version of their Java
     * @param heading what they are, in words
     */
    public ThreadDump dump(int java, String heading) {
        var besides = new ThreadDump.Besides(!all && hasVirtual(), cpus);
        return new ThreadDump(List.of(new Container("<root>", null, threads)), java, heading, besides);
    }

    /**
     * {@return a dump with what it lacks: of Java 21 to 24 states, locks and carriers, of all the owners that the JVM
     * names where threads wait for each other}
     *
     * @param dump of the same JVM at almost the same moment
     */
    public ThreadDump complete(ThreadDump dump) {
        var known = new HashMap<Long, ThreadState>();
        threads.forEach(thread -> known.put(thread.id(), thread));
        var complete = dump.containers().stream()
                .map(one -> new Container(
                        one.name(),
                        one.parent(),
                        one.threads().stream()
                                .map(thread -> complete(thread, known.get(thread.id())))
                                .toList()));
        return dump.with(complete.toList());
    }

    private ThreadState complete(ThreadState one, ThreadState printed) {
        if (one.state() != null) {
            boolean named = printed != null && printed.owner() != 0 && one.owner() == 0;
            return named ? one.ownedBy(printed.owner()) : one;
        }
        if (printed != null && !one.virtual()) {
            return new ThreadState(
                    one.id(),
                    one.name(),
                    false,
                    printed.state(),
                    0,
                    printed.blocker(),
                    printed.owner(),
                    printed.holds(),
                    one.stack());
        }
        // a thread without frames was mounting or unmounting
        boolean runs = one.virtual() || one.stack().where().isEmpty();
        long on = carriers.getOrDefault(one.id(), 0L);
        return new ThreadState(one.id(), one.name(), runs, null, on, null, 0, List.of(), one.stack());
    }
}
