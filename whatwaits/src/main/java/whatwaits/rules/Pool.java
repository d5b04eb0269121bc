package whatwaits.rules;

import java.util.regex.Pattern;

/** Names of platform threads: which belong to one pool, and which are the JVM's own. */
public final class Pool {

    /** The scheduler's threads, unless the program has made a pool of this kind before its first virtual thread. */
    static final String CARRIERS = "ForkJoinPool-1-worker";

    /** A number at the end, and one in brackets: {@code RMI TCP Connection(3)-127.0.0.1}. */
    private static final Pattern NUMBER = Pattern.compile("([-# ]?\\d+|\\(\\d+\\)(-[\\d.]+)?| ?\\(pid \\d+\\))$");

    private static final Pattern WATCHING =
            Pattern.compile("^(RMI |JMX |Attach Listener|JFR |Serial Server|Notification Thread)");

    private static final Pattern JVM =
            Pattern.compile("Reference Handler|Finalizer|Signal Dispatcher|Service Thread|Monitor Deflation"
                    + " Thread|Common-Cleaner|Cleaner|DestroyJavaVM|process"
                    + " reaper|VirtualThread-unblocker|VirtualThread-unparker|ForkJoinPool-1-delayScheduler"
                    + "|MasterPoller|Master-Poller|SubPoller|Read-Poller|Read-Updater|Write-Poller|Write-Updater");

    private Pool() {}

    /**
     * {@return the name of a thread's pool: its own without its number}
     *
     * @param thread a thread's name
     */
    public static String of(String thread) {
        var name = thread.isBlank() ? "(no name)" : thread.strip();
        var pool = NUMBER.matcher(name).replaceFirst("");
        return pool.isBlank() ? name : pool;
    }

    /** Whether a thread is one of the pool that parallel streams share. */
    static boolean isCommon(String thread) {
        return thread.startsWith("ForkJoinPool.commonPool-worker");
    }

    /**
     * {@return whether a thread exists only because the JVM is being watched}
     *
     * @param thread its name
     */
    public static boolean watches(String thread) {
        return WATCHING.matcher(thread).find();
    }

    /**
     * {@return whether a thread is one that every JVM has, or that watching needs}
     *
     * @param thread its name
     */
    public static boolean isJvms(String thread) {
        return watches(thread) || JVM.matcher(of(thread)).matches();
    }
}
