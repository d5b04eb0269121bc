package threadlab.inspect;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Whose a frame of a stack is: the JDK's, that of a library that services commonly use, or the program's own. */
final class Frames {

    private static final List<String> JDK =
            List.of("java.", "javax.", "jdk.", "sun.", "com.sun.", "netscape.javascript.");

    /** Libraries between a request and the program, and between the program and what it waits for. */
    private static final List<String> LIBRARIES = List.of(
            "org.springframework.",
            "org.apache.",
            "org.eclipse.",
            "org.postgresql.",
            "org.hibernate.",
            "org.jboss.",
            "org.jooq.",
            "org.h2.",
            "org.mariadb.",
            "com.mysql.",
            "com.microsoft.sqlserver.",
            "oracle.",
            "com.zaxxer.",
            "com.mchange.",
            "io.agroal.",
            "io.netty.",
            "io.undertow.",
            "io.vertx.",
            "io.micrometer.",
            "io.micronaut.",
            "io.quarkus.",
            "io.helidon.",
            "io.lettuce.",
            "io.grpc.",
            "reactor.",
            "kotlin.",
            "kotlinx.",
            "scala.",
            "redis.clients.",
            "com.mongodb.",
            "okhttp3.",
            "okio.",
            "jakarta.",
            "ch.qos.logback.",
            "org.slf4j.",
            "com.fasterxml.",
            "tools.jackson.",
            "com.google.common.",
            "org.glassfish.",
            "com.codahale.",
            "org.junit.",
            "org.codehaus.");

    /** What a tool has written: a proxy, a class of a lambda form. */
    private static final Pattern WRITTEN =
            Pattern.compile("\\$\\$(SpringCGLIB|FastClass|EnhancerBy)|^jdk\\.proxy|\\$Proxy\\d|ByteBuddy");

    private static final int MOST_OWN = 12;

    private Frames() {}

    static boolean isJdk(String frame) {
        return JDK.stream().anyMatch(frame::startsWith);
    }

    static boolean isOwn(String frame) {
        return !isJdk(frame)
                && LIBRARIES.stream().noneMatch(frame::startsWith)
                && !WRITTEN.matcher(frame).find();
    }

    /** The line that a reader looks for: the innermost frame of the program or, if there is none, of a library. */
    static String where(List<String> stack) {
        return stack.stream()
                .filter(Frames::isOwn)
                .findFirst()
                .or(() -> stack.stream().filter(frame -> !isJdk(frame)).findFirst())
                .or(() -> stack.stream().findFirst())
                .orElse("");
    }

    /** The program's own frames, innermost first; the line of {@link #where} if there is none. */
    static String path(List<String> stack) {
        var own = stack.stream().filter(Frames::isOwn).limit(MOST_OWN).toList();
        return own.isEmpty() ? where(stack) : String.join("\n", own);
    }

    /** {@code package.Class.method} of {@code package.Class.method(File.java:12)}. */
    static String method(String frame) {
        int end = frame.indexOf('(');
        return end < 0 ? frame : frame.substring(0, end);
    }

    /** The stack in few lines: own frames in full, others counted. */
    static List<String> folded(List<String> stack) {
        var lines = new ArrayList<String>();
        var owners = new LinkedHashSet<String>();
        int others = 0;
        int own = 0;
        boolean any = stack.stream().anyMatch(Frames::isOwn);
        for (String frame : stack) {
            // without an own frame the innermost ones have to do
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
