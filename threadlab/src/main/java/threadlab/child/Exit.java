package threadlab.child;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What was seen of the end of a child JVM, and how it is judged.
 *
 * @param name the program's name
 * @param endedBy why it was ended; null if it ended itself
 * @param exitCode of its process; a signal gives 128 + the signal's number
 * @param wall the time from its start to its end
 * @param timeLimit how long it was allowed to run
 * @param heap its largest heap as {@code -Xmx} takes it, such as {@code 256m}; empty if the JVM chose it
 * @param output what it wrote
 * @param csvFault what is wrong with the promised CSV; null if nothing is
 * @param metLimit which limit on native threads it met, in words; null if no thread was refused
 * @param peakMemory in bytes; -1 if not known
 * @param peakThreads -1 if not known
 * @param held whether a process that could not be found still holds its output open
 */
record Exit(
        String name,
        ExitReason endedBy,
        int exitCode,
        Duration wall,
        Duration timeLimit,
        String heap,
        String output,
        String csvFault,
        String metLimit,
        long peakMemory,
        int peakThreads,
        boolean held) {
    private static final Pattern OUT_OF_HEAP = Pattern.compile(
            "java\\.lang\\.OutOfMemoryError: (Java heap space|GC overhead limit exceeded|Requested array size.*)");
    private static final Pattern NOT_STARTED =
            Pattern.compile("Could not create the Java Virtual Machine|Error occurred during initialization of VM");

    /** Signal names by number, from 1. */
    private static final List<String> SIGNALS =
            List.of("HUP,INT,,ILL,TRAP,ABRT,,FPE,KILL,,SEGV,,PIPE,ALRM,TERM,,,,,,,,,XCPU,XFSZ".split(","));

    /** Why it ended. */
    ExitReason reason() {
        if (endedBy != null) {
            return endedBy;
        }
        if (exitCode != 0) {
            return failure();
        }
        return csvFault == null ? ExitReason.FINISHED : ExitReason.BAD_CSV;
    }

    /** The same in words, with what to do about it; the sentence begins with the program's name. */
    String sentence() {
        var after =
                held ? " A process that it started still holds its output open, and could not be found and ended." : "";
        return name + " " + inWords(reason()) + after;
    }

    /** Whether its CSV becomes the table; that of a child that could not start another native thread does, too. */
    boolean keepsTable() {
        return reason() == ExitReason.FINISHED || reason() == ExitReason.NO_NATIVE_THREAD;
    }

    private ExitReason failure() {
        if (NOT_STARTED.matcher(output).find()) {
            return ExitReason.NOT_STARTED;
        }
        if (metLimit != null) {
            return ExitReason.NO_NATIVE_THREAD;
        }
        if (OUT_OF_HEAP.matcher(output).find()) {
            return ExitReason.OUT_OF_HEAP;
        }
        return signal(exitCode).isEmpty() ? ExitReason.FAILED : ExitReason.SIGNAL;
    }

    private String inWords(ExitReason reason) {
        var seconds = "%.1f s".formatted(wall.toMillis() / 1e3);
        return switch (reason) {
            case FINISHED -> "finished in %s%s.".formatted(seconds, memory(peakMemory));
            case FAILED -> "ended with exit code %d after %s: %s".formatted(exitCode, seconds, cause(output));
            case OUT_OF_HEAP ->
                "ran out of heap after %s (%s%s): give it more with heap(…), or keep less."
                        .formatted(seconds, kind(output), heap.isEmpty() ? "" : ", at most " + heap);
            case NO_NATIVE_THREAD ->
                "could not start another native thread after %s, with %,d alive; %s."
                        .formatted(seconds, peakThreads, metLimit);
            case NOT_STARTED ->
                metLimit == null
                        ? "did not start: %s".formatted(cause(output))
                        : "did not start: the system allows no further thread; %s: end some, or restart the kernel."
                                .formatted(metLimit);
            case TIME_OUT ->
                "was ended at its time limit of %s: raise it with timeOut(…) if the program was still working."
                        .formatted(plain(timeLimit));
            case TOO_MUCH_OUTPUT ->
                "was ended because it printed more than %,d characters: print less.".formatted(Transcript.MOST_WRITTEN);
            case SIGNAL ->
                "was killed by signal %d (%s) after %s%s"
                        .formatted(exitCode - 128, signal(exitCode), seconds, advice(exitCode - 128));
            case BAD_CSV ->
                "finished, but %s: correct its output, or name other columns with columns(…).".formatted(csvFault);
            case CLOSED -> "was closed after %s.".formatted(seconds);
        };
    }

    private static String memory(long bytes) {
        return bytes < 0 ? "" : ", peak memory %,d MiB".formatted(bytes >> 20);
    }

    private static String plain(Duration duration) {
        return duration.toMillis() % 1_000 == 0 ? duration.toSeconds() + " s" : duration.toMillis() + " ms";
    }

    private static String kind(String output) {
        var memory = OUT_OF_HEAP.matcher(output);
        return memory.find() ? memory.group(1) : "";
    }

    /**
     * The name of the signal that an exit code stands for; empty if it is a program's own exit code. Only signals that
     * end a JVM and have the same number on every Unix count: {@code System.exit(137)} looks like a SIGKILL.
     */
    private static String signal(int exitCode) {
        int number = exitCode - 128;
        return number < 1 || number > SIGNALS.size() || SIGNALS.get(number - 1).isEmpty()
                ? ""
                : "SIG" + SIGNALS.get(number - 1);
    }

    private static String advice(int signal) {
        return switch (signal) {
            case 6, 11 -> ": native code or the JVM itself crashed.";
            case 9 -> ": unless somebody sent it, the system ran out of memory and chose this process.";
            case 15 -> ": someone asked it to end.";
            case 24 -> ": it used all the CPU time that the system allows.";
            default -> ".";
        };
    }

    /** The first line that gives the reason: an exception, or what the JVM says about its options. */
    private static String cause(String output) {
        return output.lines()
                .filter(line -> line.matches("(Exception in thread|Error|Unrecognized|Invalid|Caused by).*"))
                .filter(line -> !line.startsWith("Error: Could not create")
                        && !line.startsWith("Error: A fatal exception")
                        && !line.startsWith("Error occurred"))
                .findFirst()
                .or(() -> output.lines().filter(line -> !line.isBlank()).reduce((first, last) -> last))
                .map(line -> "\"" + (line.length() > 200 ? line.substring(0, 200) + "…" : line) + "\".")
                .orElse("it printed nothing.");
    }
}
