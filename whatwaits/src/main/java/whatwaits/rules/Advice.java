package whatwaits.rules;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What to do about a limit.
 *
 * @param todo one or two sentences
 */
public record Advice(String todo) {

    /** Names of threads that serve many connections each. */
    private static final Pattern LOOPS = Pattern.compile("(?i)eventloop|event-loop|nio-\\d+$|reactor-http|dispatcher");

    /**
     * {@return what to do about a limit}
     *
     * @param limit that is met
     */
    public static Advice on(Limit limit) {
        if (limit.kind() == Limit.Kind.THREADS
                && LOOPS.matcher(limit.instance()).find()) {
            return new Advice(
                    "An event loop serves many connections, so nothing may wait in it: hand what waits there to"
                            + " other threads, such as virtual ones.");
        }
        return new Advice(
                switch (limit.kind()) {
                    case LOCK ->
                        limit.instance().equals(Awaited.FILE)
                                ? "Find the process that has locked the file, with lslocks, and why it keeps it; ask with tryLock"
                                        + " and a time limit."
                                : "Do less while the lock is held, above all no waiting, or give each key a lock of its own; more"
                                        + " threads will not help.";
                    case PERMITS ->
                        "Find out what the permits protect: if it can bear more, allow more; otherwise refuse early"
                                + " instead of waiting.";
                    case CONNECTIONS ->
                        "Hold a connection only while a statement runs, not during other calls; enlarge the pool only"
                                + " if the database has idle capacity.";
                    case CLIENT_CONNECTIONS ->
                        "Set the client's maximum of connections to what the other side can bear, and set a time limit"
                                + " for getting one.";
                    case THREADS ->
                        "If these tasks wait rather than compute, run them on virtual threads and put the limit where"
                                + " the scarce thing is; otherwise make them shorter.";
                    case CARRIERS ->
                        "Move what holds the carriers (files, native calls, class initializers, before Java 24 also"
                                + " synchronized) to platform threads of their own.";
                    case CPUS ->
                        "Compute less for each request, or limit how many compute at the same time; more threads of"
                                + " any kind will not help.";
                    case QUEUE ->
                        "Make whoever takes from it faster, or take by more threads; a larger queue only lets them wait"
                                + " longer.";
                    case REMOTE ->
                        limit.instance().startsWith(Awaited.WRITES)
                                ? "The other program does not read what is sent to it: look at that, and set a time limit for"
                                        + " sending."
                                : "Set a time limit for the answer, and look at the other program: these threads only wait for it.";
                    case SIGNAL ->
                        "Look for the path on which nobody counts down, arrives or completes it: an exception, an early"
                                + " return, another key; and wait with a time limit.";
                    case TIMER ->
                        "All tasks of a timer wait for the one that stands there: let it hand what waits to another"
                                + " thread, with a time limit.";
                    case THREAD ->
                        "Look at that line: if it should end, find out why it does not; if it is work, divide it among"
                                + " threads.";
                    case MEMORY ->
                        "See what fills it, with jcmd PID GC.class_histogram: keep less of that, or allow a larger heap if"
                                + " the container has room for it.";
                    case MACHINE ->
                        "Find the other programs that keep the CPUs busy, with top, and look again without them: what this service"
                                + " wants for itself cannot be seen beside them.";
                });
    }

    /**
     * {@return what to do about a circle, by what most decides how it is avoided}
     *
     * @param circle of threads that wait for each other
     */
    public static Advice on(Circle circle) {
        var waits =
                circle.members().stream().map(member -> member.thread().waits()).collect(Collectors.toSet());
        var own = circle.members().size() == 1
                && circle.members().getFirst().thread().stack().says(Sign.WRITES);
        var avoid = own
                ? "release the lock to read before you ask for the one to write"
                : circle.members().stream().anyMatch(member -> member.what().contains("class"))
                        ? "let no static initializer wait, nor use a class that uses its own"
                        : waits.contains(WaitReason.RESULT)
                                ? "let no task wait for another one that the same pools must run or the same locks hold up; give"
                                        + " the inner tasks threads of their own"
                                : waits.contains(WaitReason.CONNECTION)
                                        ? "let a request hold one connection at a time, or keep more than there are requests"
                                        : waits.contains(WaitReason.PERMIT)
                                                ? "take all permits at once, or give one back before the next is wanted"
                                                : "take the locks in the same order everywhere, or with tryLock and a time limit";
        boolean exits = circle.members().stream()
                .anyMatch(member -> member.thread().stack().says(Sign.EXITS));
        return new Advice(
                exits
                        ? "This JVM is about to exit, and a shutdown hook waits for the thread that has called exit: let no hook"
                                + " wait for that; kill -9 ends it, as no further exit does."
                        : "None of these threads goes on: " + avoid + "; restart to get out of it.");
    }

    /** {@return what to do about held carriers} */
    public static Advice onPinned() {
        return new Advice("Run what waits there on platform threads of its own.");
    }
}
