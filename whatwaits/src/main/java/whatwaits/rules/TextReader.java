package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes dumps of the lines of one text, whose forms it tells by the line with which a thread begins. Between the lines
 * of a dump, a log has those of the program, which are left out; where the lines of threads are mixed with each other,
 * these threads are left out, because a wrong holder is worse than none.
 */
final class TextReader {

    private static final Pattern CPU = Pattern.compile(" cpu=([\\d.]+)ms (?:elapsed=([\\d.]+)s )?");
    private static final Pattern ADDRESS = Pattern.compile(" tid=0x0*(\\p{XDigit}+) ");
    /** Of {@code jcmd}, and of a file of all threads, above the time. */
    private static final Pattern PROCESS = Pattern.compile("^(\\d{1,10}):?$");

    private static final Pattern STATE = Pattern.compile("^\\s+java\\.lang\\.Thread\\.State: (\\w+).*");
    private static final Pattern CARRIES = Pattern.compile("^ +Carrying virtual thread #(\\d+).*");
    private static final Pattern MOUNTED = Pattern.compile("^ +Mounted virtual thread #(\\d+).*");
    /** What the JDK makes for lambdas and reflection; only some forms of dumps show it. */
    private static final Pattern HIDDEN = Pattern.compile("\\$\\$Lambda[/+]|LambdaForm\\$\\w+/");

    private static final Pattern FRAME = Pattern.compile("^\\s+(?:at )?(\\S+)\\((?:[^()/]*/)*([^()]*)\\)$");
    /** Of {@code jhsdb jstack}, with or without native frames: the class names the file. */
    private static final Pattern AGENT = Pattern.compile(
            "^(?: - |0x\\p{XDigit}+\\s+\\* )([\\w.$<>+/]+)\\(.*\\) @?bci[=:]-?\\d+(?:,? line[=:](\\d+))? .*");

    private static final Pattern CORE_FRAME = Pattern.compile("^4XESTACKTRACE +at (\\S+?)\\(([^()]*)(?:\\(.*\\))?\\)$");
    private static final Pattern CORE_LOCK =
            Pattern.compile("^5XESTACKTRACE +\\(entered lock: ([^@]+)@0x0*(\\p{XDigit}+),.*");
    private static final Pattern CORE_WANTS = Pattern.compile(
            "^3XMTHREADBLOCK +(?:Blocked|Parked|Waiting) on: ([^@]+)@0x0*(\\p{XDigit}+) Owned by: (?:\"(.*)\" \\((?:J9VMThread|TID):0x0*(\\p{XDigit}+)\\b)?.*");
    private static final Pattern OBJECT = Pattern.compile(
            "^\\s+- (?:(locked|waiting to lock|waiting on|waiting to re-lock in wait\\(\\)|parking to wait"
                    + " for|parked on|blocked on) +)?<([^>]+)>(?:,? \\(an? ([^)]+)\\))?(?: owned by .* t@(\\d+))?.*");
    /** Of management beans: {@code -  blocked on shop.Till@61a04d10}. */
    private static final Pattern BEAN = Pattern.compile(
            "^\\s+- +(?:(locked|blocked on|waiting on|parking to wait for) +)?([\\w.$/\\[;-]+@\\p{XDigit}+)$");

    private static final Pattern DEBUGGED =
            Pattern.compile("^\\s+waiting for .*@(\\d+) to release lock on <([^>]+)> \\(an? (.+)\\)$");
    private static final Pattern HEADING = Pattern.compile("^Full thread dump(?: .*\\((\\d[^ )]*).*\\))?:?$");
    private static final Pattern CORE_JAVA = Pattern.compile("^1CIJAVAVERSION .*\\(build (\\d[^ )]*)\\).*");
    private static final Pattern AGENT_JAVA = Pattern.compile("^JVM version is (\\d\\S*)$");
    private static final Pattern CORE_TIME = Pattern.compile("^1TIDATETIME +Date: (\\S+) at (\\S+)$");
    private static final Pattern TIME = Pattern.compile("^\\d{4}-\\d\\d-\\d\\d[ T]\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?Z?$");
    // not a time, which has colons
    private static final Pattern RELEASE = Pattern.compile("^\\d+(?:\\.\\d+)*(?:[-+][^\\s:]+)?$");
    private static final Pattern THROWN =
            Pattern.compile("^(?:.*\\s)?(?:Caused by: )?[\\w.$]+(?:Exception|Error)(?::.*)?$");
    /** The outermost frames but for a subclass's: what else follows belongs to another thread. */
    private static final Pattern OUTERMOST =
            Pattern.compile("java\\.lang\\.(?:Thread|VirtualThread)\\.run\\(.*:\\d+\\)");
    /** The innermost frames: nothing stands above them. */
    private static final Pattern INNERMOST = Pattern.compile(
            "(?:jdk\\.internal\\.misc|sun\\.misc)\\.Unsafe\\.park\\(.*|java\\.lang\\.Thread\\.sleep(?:Nanos)?0\\(.*|java\\.lang\\.Object\\.wait0\\(.*");

    private static final Pattern INDENTED = Pattern.compile("(?:at |- |java\\.lang\\.Thread\\.State: )");

    /** How many threads follow, as Java 11 and newer say it first. */
    private static final Pattern ANNOUNCED = Pattern.compile("^_java_thread_list=\\S+ length=(\\d{1,9}),.*");
    /** The last frames of most stacks. */
    private static final Pattern WHOLE = Pattern.compile(".*\\.(?:run|main)\\(.*");

    private static final Pattern WAITER = Pattern.compile("^\"(.*)\":$");
    private static final Pattern WANTED =
            Pattern.compile("^ +waiting .*(?:\\([oO]bject[ @]|synchronizer )0x0*([0-9a-f]+), \\(?an? ([^ ),]+)\\),?$");
    private static final Pattern OWNED = Pattern.compile("^ +(?:in JNI, )?which is held by \"(.*)\"$");

    /** Threads share few different lines. */
    private final Map<String, String> known = new HashMap<>();

    private final DumpReader stacks;
    private final Consumer<TextDump> into;

    private TextDump dump;
    private final Set<String> seen = new HashSet<>();
    private String waiter;
    /** Whether the stacks of those that the JVM says lock each other out follow. */
    private boolean listed;
    /** Whether the thread that is read is one of these. */
    private boolean declared;

    private String time;
    private String lastTime;
    private String process;
    private String pid;
    private String version;

    private Form form;
    private long id;
    private String name;
    private boolean virtual;
    private String state;
    private long carrier;
    private String blocker;
    private long owner;
    private final List<String> holds = new ArrayList<>();
    /** The last monitor below the first frame. */
    private String entered;

    private final List<String> frames = new ArrayList<>();

    /** Whether a line of this thread cannot be one of its own. */
    private boolean mixed;

    private boolean neighbourMixed;
    private String before;
    /** Whether its frames have ended, and whether a stack that follows is that of something thrown. */
    private boolean closed;

    private boolean thrown;
    /** Whether the last line begins a thread, and is not all of it. */
    private boolean stump;

    TextReader(DumpReader stacks, Consumer<TextDump> into) {
        this.stacks = stacks;
        this.into = into;
    }

    void add(String line) {
        // most lines are frames: a look at the first character spares them the patterns
        char first = line.isEmpty() ? ' ' : line.charAt(0);
        stump = false;
        if (line.isBlank()) {
            closed = true;
            thrown = false;
        } else if (first == '"' || first == '#' || first == '3') {
            var begins = first == '3' ? core(line) : begins(line);
            if (!begins) {
                stump = first == '"' && !WAITER.matcher(line).matches() || line.matches("#\\d+ \".*");
                plain(line);
            }
        } else if (first == '4' || first == '5' || first == '0') {
            if (name == null || !detail(line)) {
                plain(line);
            }
        } else if (waiter != null && first == ' ') {
            owner(line);
        } else if (Character.isWhitespace(first)) {
            if (name != null) {
                detail(line);
            }
        } else if (name != null && INDENTED.matcher(line).lookingAt()) {
            // whoever has copied it has lost the space before it
            detail("    " + line);
        } else {
            plain(line);
        }
    }

    private boolean begins(String line) {
        for (Form one : line.charAt(0) == '#' ? List.of(Form.FILED) : PRINTED) {
            var header = one.thread().matcher(line);
            if (header.matches()) {
                switch (one) {
                    case FILED ->
                        begin(one, number(header, 1), header.group(2), header.group(3) != null, header.group(4));
                    case OLD -> begin(one, hex(header.group(2)), header.group(1), false, null);
                    case INFO -> {
                        begin(one, number(header, 2), header.group(1), false, header.group(3));
                        blocker = header.group(4);
                        owner = header.group(5) == null ? 0 : number(header, 5);
                    }
                    default -> begin(one, number(header, 2), header.group(1), line.contains("\" virtual "), null);
                }
                if (one == Form.PRINT) {
                    stump = !line.contains(" nid=");
                    cpu(line);
                }
                return true;
            }
        }
        return false;
    }

    private static final List<Form> PRINTED = List.of(Form.PRINT, Form.INFO, Form.BEANS, Form.DEBUGGER, Form.OLD);

    private void cpu(String line) {
        var cpu = CPU.matcher(line);
        if (cpu.find()) {
            dump.cpuMillis.put(id, Double.parseDouble(cpu.group(1)));
            double seconds = cpu.group(2) == null ? 0 : Double.parseDouble(cpu.group(2));
            if (seconds >= Thresholds.LIFE) {
                dump.cpus.put(id, Math.min(1, dump.cpuMillis.get(id) / 1e3 / seconds));
            }
            if (cpu.group(2) != null) {
                dump.ages.put(id, seconds);
            }
        }
        var address = ADDRESS.matcher(line);
        if (address.find()) {
            dump.addresses.put(id, address.group(1));
        }
    }

    /** A line of a javacore that begins with 3; whether it was one. */
    private boolean core(String line) {
        for (Form one : List.of(Form.JAVACORE, Form.JAVACORE_VIRTUAL)) {
            var header = one.thread().matcher(line);
            if (header.matches()) {
                begin(Form.JAVACORE, hex(header.group(2)), header.group(1), one == Form.JAVACORE_VIRTUAL, null);
                state = one == Form.JAVACORE_VIRTUAL ? "WAITING" : coreState(header.group(3));
                return true;
            }
        }
        var wants = CORE_WANTS.matcher(line);
        if (name != null && wants.matches()) {
            blocker = dotted(wants.group(1)) + "@" + wants.group(2).toLowerCase(Locale.ROOT);
            owner = wants.group(4) == null ? 0 : hex(wants.group(4));
            return true;
        }
        return line.startsWith("3XM") || line.startsWith("3LK");
    }

    private static String coreState(String letters) {
        return switch (letters) {
            case "B" -> "BLOCKED";
            case "CW", "P" -> "WAITING";
            case "S" -> "TIMED_WAITING";
            default -> "RUNNABLE";
        };
    }

    /** A line that begins with something else than a space: most are of the program whose log this is. */
    private void plain(String line) {
        kind(line);
        var number = PROCESS.matcher(line);
        process = number.matches() ? number.group(1) : null;
    }

    private void kind(String line) {
        var heading = HEADING.matcher(line);
        var whose = WAITER.matcher(line);
        if (heading.matches()) {
            end();
            finish();
            version = heading.group(1);
            lastTime = time;
            dump = new TextDump(Form.PRINT);
        } else if (TIME.matcher(line).matches()) {
            // of a file of all threads it is the second line, and no heading follows
            time = line;
            pid = process;
        } else if (RELEASE.matcher(line).matches() && time != null && !time.equals(lastTime)) {
            version = line;
            lastTime = time;
        } else if (line.startsWith("\"")) {
            end();
            waiter = whose.matches() ? whose.group(1) : null;
            if (listed && waiter != null) {
                declare(waiter);
            }
        } else if (line.startsWith("Found ") && line.contains("deadlock")) {
            end();
            started(Form.PRINT).deadlock = true;
            listed = false;
        } else if (line.startsWith("Java stack information for the threads listed above")) {
            end();
            listed = dump != null && dump.deadlock;
            waiter = null;
        } else if (line.startsWith("Thread ")
                && Form.FORCED.thread().matcher(line).matches()) {
            var header = Form.FORCED.thread().matcher(line);
            header.matches();
            begin(Form.FORCED, number(header, 1), "thread " + header.group(1), false, null);
        } else if (line.startsWith("Locked ownable synchronizers")) {
            closed = true;
        } else {
            // the pattern is slow, and most lines of a log are of neither
            thrown = (line.contains("Exception") || line.contains("Error"))
                    && THROWN.matcher(line).matches();
            said(line);
        }
    }

    /** What other forms say of the whole dump. */
    private void said(String line) {
        if (line.startsWith("1CIJAVAVERSION") || line.startsWith("JVM version is ")) {
            var java = CORE_JAVA.matcher(line);
            var agent = AGENT_JAVA.matcher(line);
            version = java.matches() ? java.group(1) : agent.matches() ? agent.group(1) : version;
        } else if (line.startsWith("1LKDEADLOCK")) {
            started(Form.JAVACORE).deadlock = true;
        } else if (line.startsWith("_java_thread_list=")) {
            var many = ANNOUNCED.matcher(line);
            if (many.matches()) {
                started(Form.PRINT).announced = (int) number(many, 1);
            }
        } else if (line.startsWith("1TIDATETIME")) {
            var at = CORE_TIME.matcher(line);
            lastTime = at.matches() ? at.group(1).replace('/', '-') + " " + at.group(2) : lastTime;
        }
    }

    private void owner(String line) {
        var what = WANTED.matcher(line);
        var whose = OWNED.matcher(line);
        if (what.matches()) {
            started(Form.PRINT).wanted.put(waiter, dotted(what.group(2)) + "@" + what.group(1));
        } else if (whose.matches() && dump != null && dump.wanted.containsKey(waiter)) {
            dump.owners.put(dump.wanted.get(waiter), whose.group(1));
        }
    }

    /** A line of a thread; whether it was one. */
    private boolean detail(String line) {
        var frame = known.get(line);
        if (frame == null) {
            frame = frame(line);
            if (frame != null) {
                known.put(line, frame);
            }
        }
        if (frame != null) {
            // a stack after what was thrown is not this thread's, and what it hides cannot be told
            if (thrown) {
                mixed |= !closed;
            } else {
                mixed |= closed
                        || !frames.isEmpty()
                                && (OUTERMOST.matcher(frames.getLast()).matches() && !frame.contains(".run(")
                                        || INNERMOST.matcher(frame).matches());
                frames.add(frame);
            }
            return true;
        }
        char last = line.charAt(line.length() - 1);
        if (last == '.' && line.strip().equals("...")) {
            dump.cut = Math.max(dump.cut, frames.size());
            return true;
        }
        return state(line) || object(line);
    }

    /** A frame as other rules read it; null if the line is none; empty for a hidden one. */
    private static String frame(String line) {
        char last = line.charAt(line.length() - 1);
        if (last != ')') {
            return null;
        }
        var frame = line.charAt(0) == '4' ? CORE_FRAME.matcher(line) : FRAME.matcher(line);
        if (frame.matches() && !line.stripLeading().startsWith("- ")) {
            var method = line.charAt(0) == '4' ? dotted(frame.group(1)) : frame.group(1);
            return method + "(" + frame.group(2) + ")";
        }
        var agent = AGENT.matcher(line);
        if (!agent.matches()) {
            return null;
        }
        var method = agent.group(1);
        var type = Frame.type(method);
        var file = type.substring(type.lastIndexOf('.') + 1).replaceFirst("(?<=.)[$+].*", "");
        return method + "(" + (agent.group(2) == null ? "Native Method" : file + ".java:" + agent.group(2)) + ")";
    }

    private boolean state(String line) {
        var known = STATE.matcher(line);
        var carries = CARRIES.matcher(line);
        var mounted = MOUNTED.matcher(line);
        if (known.matches()) {
            mixed |= state != null || !frames.isEmpty();
            state = known.group(1);
        } else if (carries.matches()) {
            dump.carriers.put(number(carries, 1), id);
        } else if (mounted.matches()) {
            long on = id;
            begin(form, number(mounted, 1), "", true, "RUNNABLE");
            carrier = on;
        } else {
            return false;
        }
        return true;
    }

    private boolean object(String line) {
        var object = OBJECT.matcher(line);
        var bean = BEAN.matcher(line);
        var debugged = DEBUGGED.matcher(line);
        var lock = line.startsWith("5XESTACKTRACE") ? CORE_LOCK.matcher(line) : null;
        if (lock != null) {
            if (lock.matches()) {
                holds.add(dotted(lock.group(1)) + "@" + lock.group(2).toLowerCase(Locale.ROOT));
            }
        } else if (object.matches()) {
            // <0x00000006ab> (a java.lang.Object), or <java.lang.Object@6ab>
            var which = object.group(2);
            var type = object.group(3);
            object(object.group(1), type == null ? which : dotted(type) + "@" + which.replaceFirst("^0x0*", ""));
            owner = object.group(4) == null ? owner : number(object, 4);
        } else if (bean.matches()) {
            object(bean.group(1), bean.group(2));
        } else if (debugged.matches()) {
            blocker = debugged.group(3) + "@" + debugged.group(2).replaceFirst("^0x0*", "");
            owner = number(debugged, 1);
        } else {
            return false;
        }
        return true;
    }

    private void object(String how, String object) {
        if (how == null || how.equals("locked")) {
            holds.add(object);
            entered = frames.size() == 1 ? object : entered;
            return;
        }
        // it stands below the frame that waits
        mixed |= form == Form.PRINT && frames.isEmpty();
        if (blocker == null && object.contains("@")) {
            blocker = object;
        }
    }

    /** A thread of the JVM's own list of those that lock each other out, which has their names only. */
    private void declare(String whose) {
        name = whose;
        waiter = null;
        declared = true;
        form = Form.PRINT;
        virtual = false;
        state = null;
        closed = false;
        thrown = false;
    }

    private TextDump started(Form of) {
        if (dump == null) {
            dump = new TextDump(of);
        }
        return dump;
    }

    private void begin(Form of, long nextId, String nextName, boolean nextVirtual, String nextState) {
        end();
        // whoever prints threads without a heading begins again with one that was there
        if (!nextVirtual && !seen.add(nextId + " " + nextName)) {
            finish();
            seen.add(nextId + " " + nextName);
        }
        var now = started(of);
        now.form = of;
        now.printed += of == Form.PRINT ? 1 : 0;
        now.all |= of == Form.FILED || of == Form.JAVACORE || of == Form.DEBUGGER;
        now.version = now.version == null ? version : now.version;
        now.time = now.time == null ? lastTime : now.time;
        now.pid = now.pid == null && lastTime != null && lastTime.equals(time) ? pid : now.pid;
        now.began.putIfAbsent(nextName, nextId);
        waiter = null;
        form = of;
        id = nextId;
        name = nextName;
        virtual = nextVirtual;
        state = nextState;
        closed = false;
        thrown = false;
    }

    /** The thread has been read. */
    private void end() {
        if (declared) {
            var wanted = dump.wanted.get(name);
            if (wanted != null) {
                var stack = stacks.stack(List.copyOf(frames));
                var how = stack.where().isEmpty() || !frames.getFirst().contains(".park(") ? "BLOCKED" : "WAITING";
                dump.declared.add(new ThreadState(0, name, false, how, 0, wanted, 0, List.copyOf(holds), stack));
            }
            name = null;
            declared = false;
        }
        // the JVM's own threads have no frames; they do not compute for the program
        if (name != null && (virtual || !frames.isEmpty() || mixed)) {
            boolean here = mixed || form == Form.PRINT && state == null && !virtual && carrier == 0 && !isCarrier();
            if (here || neighbourMixed) {
                // the lines that are not its own are those of a neighbour
                if (here && before != null) {
                    dump.threads.remove(dump.threads.size() - 1);
                    dump.shuffled.add(before);
                }
                dump.shuffled.add(name);
                before = null;
            } else {
                add();
            }
            neighbourMixed = here;
        }
        name = null;
        carrier = 0;
        blocker = null;
        entered = null;
        owner = 0;
        mixed = false;
        holds.clear();
        frames.clear();
    }

    private boolean isCarrier() {
        return dump.carriers.containsValue(id);
    }

    private void add() {
        frames.removeIf(frame -> HIDDEN.matcher(frame).find());
        // before Java 25 only the outermost frame shows whether it is virtual
        boolean runs = !frames.isEmpty() && frames.getLast().contains("java.lang.VirtualThread.run(");
        var stack = stacks.stack(List.copyOf(frames));
        if (blocker == null && entered != null && "BLOCKED".equals(state)) {
            // jhsdb before 25 calls that locked, too, for which a thread waits
            blocker = entered;
            holds.remove(entered);
        }
        // a file in text names no carriers: of one that could run, only the stack says whether it has one
        boolean unknown =
                virtual && carrier == 0 && "RUNNABLE".equals(state) && !frames.isEmpty() && !stack.ends(Sign.UNMOUNTS);
        dump.threads.add(new ThreadState(
                id, name, virtual || runs, unknown ? null : state, carrier, blocker, owner, List.copyOf(holds), stack));
        before = name;
    }

    /** Whether the text stops within a line that begins a thread, or within its stack, where more must follow. */
    private boolean tears() {
        if (stump) {
            return dump != null;
        }
        boolean known = name != null && !declared && (form == Form.PRINT || form == Form.FILED);
        return known
                && !closed
                && !mixed
                && !frames.isEmpty()
                && !WHOLE.matcher(frames.getLast()).matches();
    }

    /** The dump has been read. */
    void finish() {
        boolean torn = tears();
        end();
        listed = false;
        if (dump != null && !dump.isEmpty()) {
            dump.torn |= torn;
            dump.end();
            into.accept(dump);
        }
        dump = null;
        before = null;
        neighbourMixed = false;
        waiter = null;
        seen.clear();
    }

    private static long number(Matcher found, int group) {
        return Long.parseLong(found.group(group));
    }

    private static long hex(String digits) {
        return digits.length() > 15 ? digits.hashCode() : Long.parseLong(digits, 16);
    }

    private static String dotted(String type) {
        return type.replace('/', '.');
    }
}
