package whatwaits.rules;

import java.util.List;
import java.util.regex.Pattern;

/** The forms in which people have the threads of a JVM, and those that are not such a form but taken for one. */
public enum Form {

    /** The JVM's own print: {@code jstack}, {@code jcmd PID Thread.print}, SIGQUIT, of Java 8 and newer. */
    PRINT("^\"(.*)\" #(\\d+) .*"),
    /** The same before Java 8, where threads have no number. */
    OLD("^\"(.*)\" (?:daemon )?prio=\\d+ tid=0x0*(\\p{XDigit}+) nid=0x.*"),
    /** All threads in text: {@code jcmd PID Thread.dump_to_file FILE}. */
    FILED("^#(\\d+) \"(.*)\"( virtual)?(?: ([A-Z_]+))?(?: \\d{4}-\\S+)?$"),
    /** {@code ThreadInfo.toString()}, as programs log it. */
    INFO("^\"(.*?)\"(?: daemon)?(?: prio=\\d+)? Id=(\\d+) ([A-Z_]+)(?: on ([^ ]+))?(?: owned by \".*\" Id=(\\d+))?.*"),
    /** VisualVM, JConsole, and Spring Boot's Actuator in text. */
    BEANS("^\"(.*)\" (?:- )?Thread t@(\\d+)$"),
    /** IntelliJ's debugger, whose numbers are those of objects. */
    DEBUGGER("^\"(.*)@(\\d+)\"(?: .*)? tid=0x\\p{XDigit}+ nid=NA.*"),
    /** {@code jstack -F} of Java 8, whose states are those of the JVM, not of {@link Thread.State}. */
    FORCED("^Thread (\\d+): \\(state = \\w+\\)$"),
    /** OpenJ9's javacore. */
    JAVACORE("^3XMTHREADINFO +\"(.*)\" (?:J9VMThread:|\\(TID:)0x0*(\\p{XDigit}+),.* state:(\\w+).*"),
    /** An unmounted virtual thread in it. */
    JAVACORE_VIRTUAL("^3XMVTHDINFO +\"(.*)\" J9VMContinuation:0x0*(\\p{XDigit}+),.*"),
    /** {@code jcmd PID Thread.dump_to_file -format=json FILE}. */
    JSON(null),
    /** The platform threads in JSON: Spring Boot's Actuator, Micronaut, Jolokia. */
    BEANS_JSON(null);

    /** The command that has all. */
    static final String WHOLE = "take one with jcmd PID Thread.dump_to_file -format=json FILE";

    private final Pattern thread;

    Form(String thread) {
        this.thread = thread == null ? null : Pattern.compile(thread);
    }

    /** The line with which a thread begins. */
    Pattern thread() {
        return thread;
    }

    /** What each dump of this form lacks; null if nothing. */
    String lacks() {
        return switch (this) {
            case PRINT -> "virtual threads without a carrier: a dump of jstack or Thread.print has none; " + WHOLE;
            case INFO, BEANS, BEANS_JSON ->
                "virtual threads: a dump by management beans, such as this, has none; " + WHOLE;
            case DEBUGGER ->
                "which lock of java.util.concurrent a thread waits for: this debugger names monitors only; " + WHOLE;
            default -> null;
        };
    }

    /** Of something that is no dump: how it is known, and what to do instead. */
    private record Other(Pattern seen, String sentence) {
        Other(String seen, String sentence) {
            this(Pattern.compile(seen, Pattern.MULTILINE), sentence);
        }
    }

    private static final String TAKE =
            "; take a dump with jcmd PID Thread.dump_to_file -format=json FILE, or with jstack PID";

    private static final List<Other> OTHERS = List.of(
            new Other("^JAVA PROFILE 1\\.", "it is a heap dump, which has stacks in a form of its own" + TAKE),
            new Other(
                    "^\\x7fELF|^MDMP",
                    "it is a core of the process: jhsdb jstack --core FILE --exe JAVA writes its threads as text"),
            new Other(
                    "^# A fatal error has been detected",
                    "it is the log of a crash, which has one thread's stack: read its own lines; a dump needs a JVM that runs"),
            new Other(
                    "^(?:Unable to open socket file|Could not attach|com\\.sun\\.tools\\.attach\\.AttachNotSupported)|target process .*(?:not respond|doesn't respond)",
                    "it is jstack's or jcmd's complaint that it could not attach: run it as the user of that JVM, in its container"),
            new Other(
                    "^\\d+: ?$\\s+|^\\d+ [\\w.$/]+(?:\\.jar)?$",
                    "it is a list of JVMs, as jcmd or jps prints it: put one of their numbers for PID" + TAKE),
            new Other(
                    "^Thread \\[.*\\] \\((?:Running|Suspended|Stepping).*",
                    "it is the view of a debugger (Eclipse), which names neither locks nor numbers" + TAKE),
            new Other(
                    "^(?:goroutine \\d+ \\[|panic: )", "it shows goroutines of a Go program, and no threads of a JVM"),
            new Other(
                    "^DALVIK THREADS|^suspend all histogram",
                    "it shows threads of Android, whose form this does not read" + TAKE),
            new Other(
                    "^(?:Traceback \\(most recent call last\\)|Thread 0x\\p{XDigit}+ \\(most recent call first\\))",
                    "it shows a Python program, and no threads of a JVM"),
            new Other(
                    "^#0 +0x\\p{XDigit}+ in |^Thread \\d+ \\(Thread 0x",
                    "it shows native stacks, as gdb or pstack prints them" + TAKE),
            new Other(
                    "^\\[[\\d.,]+s\\]\\[(?:info|debug)|^\\[GC |: \\[GC |\\[gc[ ,\\]]",
                    "it is the log of the garbage collector, which has no stacks" + TAKE),
            new Other(
                    "(?is)^\\s*<(?:!doctype|html|\\?xml)",
                    "it is a page of HTML or XML, such as of a log-in or an error: fetch it again by the address itself"),
            new Other(
                    "^(?:[\\w.$-]+;)+[\\w.$\\[\\]/-]+ \\d+$",
                    "it is a profile in folded stacks: it counts samples, and has no threads" + TAKE),
            new Other(
                    "^(?:Caused by: |Exception in thread \".*\" )?[\\w.$]+(?:Exception|Error)\\b",
                    "it has the stack of an exception, and no threads" + TAKE));

    /**
     * {@return why a text is no dump, and what to do instead: a part of a sentence}
     *
     * @param start its first characters, some thousands
     */
    static String other(String start) {
        if (start.isBlank()) {
            return "it is empty" + TAKE;
        }
        var first = start.stripLeading();
        return OTHERS.stream()
                .filter(one -> one.seen.matcher(start).find())
                .map(Other::sentence)
                .findFirst()
                .orElse((first.startsWith("{") || first.startsWith("[")
                                ? "it is JSON without threads"
                                : "it names no threads of a JVM")
                        + TAKE);
    }

    private static final int PROBE = 512;

    /**
     * {@return the charset of a text, by its mark or, without one, by where its zeros are}
     *
     * @param start its first bytes
     */
    public static String charset(byte[] start) {
        int one = start.length > 0 ? start[0] & 0xff : 0;
        int two = start.length > 1 ? start[1] & 0xff : 0;
        if (one == 0xff && two == 0xfe) {
            return "UTF-16LE";
        }
        if (one == 0xfe && two == 0xff) {
            return "UTF-16BE";
        }
        int[] zeros = new int[2];
        int probed = Math.min(PROBE, start.length);
        for (int i = 0; i < probed; i++) {
            zeros[i % 2] += start[i] == 0 ? 1 : 0;
        }
        if (4 * zeros[1] > probed && zeros[0] == 0) {
            return "UTF-16LE";
        }
        return 4 * zeros[0] > probed && zeros[1] == 0 ? "UTF-16BE" : "UTF-8";
    }
}
