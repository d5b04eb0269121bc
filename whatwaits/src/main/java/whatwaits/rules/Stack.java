package whatwaits.rules;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The frames of a thread, innermost first. Threads share few different stacks: each is examined once. */
public final class Stack {

    private static final int MOST_OWN = 12;

    private final List<Frame> frames;
    private final String where;
    private final String path;
    private final Library library;

    Stack(List<Frame> frames) {
        this.frames = frames;
        where = innermost(Frame::isOwn)
                .or(() -> innermost(frame -> !frame.isJdk()))
                .or(() -> innermost(frame -> true))
                .map(Frame::text)
                .orElse("");
        var own = frames.stream().filter(Frame::isOwn).limit(MOST_OWN).map(Frame::text);
        var joined = own.collect(Collectors.joining("\n"));
        path = joined.isEmpty() ? where : joined;
        library = Library.awaitedBy(frames);
    }

    List<Frame> frames() {
        return frames;
    }

    /** {@return the line that a reader looks for: the innermost frame of the program or, without one, of a library} */
    public String where() {
        return where;
    }

    /**
     * The line of the program that keeps a connection: that of its method in a transaction, or else the one that runs a
     * statement.
     */
    String keeps() {
        String last = null;
        String found = null;
        for (Frame frame : frames) {
            if (frame.isOwn()) {
                last = frame.text();
            } else if (last != null && frame.says(Sign.HOLDS_CONNECTION)) {
                found = last;
            }
        }
        return found == null ? where : found;
    }

    /** The program's own frames, innermost first; without any, the line of {@link #where}. */
    String path() {
        return path;
    }

    /** The library that its thread waits in, if it waits; null for most. */
    Library library() {
        return library;
    }

    boolean says(Sign sign) {
        return has(frame -> frame.says(sign));
    }

    boolean has(Predicate<Frame> wanted) {
        return innermost(wanted).isPresent();
    }

    Optional<Frame> innermost(Predicate<Frame> wanted) {
        return frames.stream().filter(wanted).findFirst();
    }

    Optional<Frame> outermost(Predicate<Frame> wanted) {
        return frames.stream().filter(wanted).reduce((inner, outer) -> outer);
    }

    /**
     * Whether its innermost call may be the first use of a class: of the JDK's native calls only two are. Where another
     * thread initializes that class, the JVM reports who waits for it as runnable.
     */
    boolean mayInitialize() {
        if (frames.isEmpty()) {
            return false;
        }
        var first = frames.getFirst();
        if (first.text().endsWith("(Native Method)")) {
            return first.method().equals("java.lang.Class.forName0")
                    || first.method().equals("jdk.internal.misc.Unsafe.ensureClassInitialized0");
        }
        // a lambda's own frame is hidden: what calls a task's may be the innermost
        return first.signs().isEmpty() || first.method().matches(".*\\.(run|runWorker|exec)");
    }

    /** Whether its innermost frame says something. */
    boolean ends(Sign sign) {
        return !frames.isEmpty() && frames.getFirst().says(sign);
    }

    /** The stack in a few lines: own frames in full, others counted. */
    List<String> folded() {
        var lines = new ArrayList<String>();
        var owners = new LinkedHashSet<String>();
        int others = 0;
        int shown = 0;
        boolean any = has(Frame::isOwn);
        for (Frame frame : frames) {
            // without an own frame, the innermost ones are shown
            if (shown < MOST_OWN && (frame.isOwn() || !any && shown < 3)) {
                if (others > 0) {
                    lines.add(counted(others, owners));
                }
                others = 0;
                owners.clear();
                lines.add(frame.text());
                shown++;
            } else {
                others++;
                owners.add(owner(frame));
            }
        }
        if (others > 0) {
            lines.add(counted(others, owners));
        }
        return lines;
    }

    private static String counted(int frames, Set<String> owners) {
        return "… " + Text.count(frames, "frame") + " of " + String.join(", ", owners);
    }

    private static String owner(Frame frame) {
        if (frame.isJdk()) {
            return "the JDK";
        }
        var parts = frame.text().split("\\.");
        return parts.length < 3 || parts[1].contains("(") ? parts[0] : parts[0] + "." + parts[1];
    }

    /** One frame per line. */
    @Override
    public String toString() {
        return frames.stream().map(Frame::text).collect(Collectors.joining("\n"));
    }
}
