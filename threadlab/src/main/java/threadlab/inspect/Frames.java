package threadlab.inspect;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import threadlab.trace.CodeOwner;
import threadlab.trace.CodeOwner.Owner;

/**
 * Frames of a stack as a reader wants them: the program's own in full, others counted.
 *
 * @param owner says which are the program's own
 */
record Frames(CodeOwner owner) {

    /** For stacks of which only the names are known. */
    static Frames byName() {
        return new Frames(CodeOwner.byName());
    }

    private static final int MOST_OWN = 12;

    static boolean isJdk(String frame) {
        return CodeOwner.isJdk(frame);
    }

    boolean isOwn(String frame) {
        return owner.of(type(frame)) == Owner.OWN;
    }

    /** The line that a reader looks for: the innermost frame of the program or, without one, of a library. */
    String where(List<String> stack) {
        return stack.stream()
                .filter(this::isOwn)
                .findFirst()
                .or(() -> stack.stream().filter(frame -> !isJdk(frame)).findFirst())
                .or(() -> stack.stream().findFirst())
                .orElse("");
    }

    /** The program's own frames, innermost first; without any, the line of {@link #where}. */
    String path(List<String> stack) {
        var own = stack.stream().filter(this::isOwn).limit(MOST_OWN).toList();
        return own.isEmpty() ? where(stack) : String.join("\n", own);
    }

    /** {@code package.Class} of {@code package.Class.method(File.java:12)}. */
    static String type(String frame) {
        var method = method(frame);
        return method.substring(0, Math.max(0, method.lastIndexOf('.')));
    }

    /** {@code package.Class.method} of {@code package.Class.method(File.java:12)}. */
    static String method(String frame) {
        int end = frame.indexOf('(');
        return end < 0 ? frame : frame.substring(0, end);
    }

    /** The stack in a few lines: own frames in full, others counted. */
    List<String> folded(List<String> stack) {
        var lines = new ArrayList<String>();
        var owners = new LinkedHashSet<String>();
        int others = 0;
        int own = 0;
        boolean any = stack.stream().anyMatch(this::isOwn);
        for (String frame : stack) {
            // without an own frame, the innermost ones are shown
            if (own < MOST_OWN && (isOwn(frame) || !any && own < 3)) {
                if (others > 0) {
                    lines.add(counted(others, owners));
                }
                others = 0;
                owners.clear();
                lines.add(frame);
                own++;
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
        return "… %d %s of %s".formatted(frames, frames == 1 ? "frame" : "frames", String.join(", ", owners));
    }

    private static String owner(String frame) {
        if (isJdk(frame)) {
            return "the JDK";
        }
        var parts = frame.split("\\.");
        return parts.length < 3 || parts[1].contains("(") ? parts[0] : parts[0] + "." + parts[1];
    }
}
