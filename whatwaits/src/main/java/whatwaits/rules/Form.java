package whatwaits.rules;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

    private static final String INSTEAD = "; read the recording itself, the file that ends in .jfr";

    /** No text begins so. A byte beyond ASCII is there as its character, or as the mark of one that is no UTF-8. */
    private static final List<Other> BINARY = List.of(
            new Other(
                    "\\AJAVA PROFILE 1\\.|\\A..portable heap dump",
                    "it is a heap dump, which has stacks in a form of its own" + TAKE),
            new Other(
                    "\\A\\x7fELF[\\s\\S]{12}(?:\\x04\\x00|\\x00\\x04)|\\AMDMP",
                    "it is a core of the process: jhsdb jstack --core FILE --exe JAVA writes its threads as text"),
            new Other("\\A\\x7fELF", "it is a program or a library" + TAKE),
            packed("BZh\\d1AY&SY", "bzip2", "bunzip2 FILE"),
            packed("[\\xfd\\ufffd]7zXZ\\x00", "xz", "unxz FILE"),
            packed("\\((?:\\xb5/\\xfd|\\ufffd/\\ufffd)", "Zstandard", "unzstd FILE"),
            packed("\\x04\"M\\x18", "lz4", "unlz4 FILE"),
            packed("\\x1f[\\x8b\\x9d\\ufffd]", "compress or gzip", "gunzip FILE"),
            packed("7z(?:\\xbc\\xaf|\\ufffd+)'\\x1c", "7-Zip", "7z x FILE"),
            packed("Rar!\\x1a\\x07", "RAR", "unrar x FILE"));

    private static Other packed(String seen, String by, String command) {
        return new Other("\\A" + seen, "it is packed by " + by + ": " + command + " unpacks it; read what was in it");
    }

    private static final List<Other> OTHERS = List.of(
            new Other(
                    "\\A\\x00+",
                    "it begins with zeros, as where a log was cut while it was written, and names no threads of a JVM"
                            + TAKE),
            new Other(
                    "^jdk\\.\\w+ \\{$|\\A\\s*\\{\\s*\"recording\": *\\{|<recording xmlns|\\A\\s*Version: [\\d.]+\\s+Chunks: ",
                    "it is what jfr has printed of a recording" + INSTEAD),
            new Other(
                    "^# A fatal error has been detected",
                    "it is the log of a crash, which has one thread's stack: read its own lines; a dump needs a JVM that runs"),
            new Other(
                    "^(?:Unable to open socket file|Could not attach|com\\.sun\\.tools\\.attach\\.AttachNotSupported)|target process .*(?:not respond|doesn't respond)",
                    "it is jstack's or jcmd's complaint that it could not attach: run it as the user of that JVM, in its container"),
            new Other(
                    "\\A\\s*(?:\\d+:\\s+)?(?:Created (?:/|\\w:)|Dumped recording )",
                    "it is jcmd's answer, with the name of the file that it has written, on that machine or in that container: read that file"),
            new Other(
                    "^\\S.* exists, use -overwrite",
                    "it is jcmd's answer that such a file is there: give the dump another name, or add -overwrite"),
            new Other(
                    "Unknown diagnostic command",
                    "it is jcmd's answer that this JVM does not know the command: before Java 21, take a dump with jstack PID"),
            new Other(
                    "\\A\\s*\\d+ [\\w.$/]+(?:\\.jar)?$",
                    "it is a list of JVMs, as jcmd or jps prints it: put one of their numbers for PID" + TAKE),
            new Other("\\A\\s*\\d+: ?$", "it is jcmd's answer to another question" + TAKE),
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
                    "<title>(?:Flame ?Graph|Call tree|CPU profile|Allocation profile)",
                    "it is a profile as a page, which counts samples, and has no threads" + TAKE),
            new Other(
                    "(?is)^\\s*<(?:!doctype|html|\\?xml)",
                    "it is a page of HTML or XML, such as of a log-in or an error: fetch it again by the address itself"),
            new Other(
                    "^Thread\\[(?:#\\d+,)?.*,\\d+,.*\\]$",
                    "it has stacks as Thread.getAllStackTraces() gives them, which name neither states nor locks"
                            + TAKE),
            new Other(
                    "^-{9,} \\d+ -{9,}$",
                    "it has stacks as jhsdb jstack --mixed writes them, whose threads have no names: leave out --mixed, or take a dump with jstack PID"),
            new Other(
                    "Full thread dump .*\\(\\d.*\\):? .*\\\" #\\d+ .*",
                    "it is a dump whose line ends are lost: copy it again as it is, or attach it as a file"),
            new Other(
                    "^(?:(?:\\[[^];]*\\]|[\\w.$/<>:~@-]+(?:_\\[\\w\\])?);)+[\\w.$\\[\\]/<>:~@-]+ \\d+$",
                    "it is a profile in folded stacks: it counts samples, and has no threads" + TAKE),
            new Other(
                    "^--- Execution profile ---$|^Total samples +: ?\\d|^ +\\S+ +percent +samples +top$",
                    "it is a profile, as async-profiler prints it: it counts samples, and has no threads" + TAKE),
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
        return Stream.concat(BINARY.stream(), OTHERS.stream())
                .filter(one -> one.seen.matcher(start).find())
                .map(Other::sentence)
                .findFirst()
                .orElse((first.startsWith("{") || first.startsWith("[")
                                ? "it is JSON without threads"
                                : "it names no threads of a JVM")
                        + TAKE);
    }

    /**
     * {@return why a file is no text, and what to do instead: a part of a sentence; null if it may be one}
     *
     * @param start its first bytes, each as a character
     */
    public static String binary(String start) {
        return BINARY.stream()
                .filter(one -> one.seen.matcher(start).find())
                .map(Other::sentence)
                .findFirst()
                .orElse(null);
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
