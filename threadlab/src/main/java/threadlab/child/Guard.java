package threadlab.child;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Objects;

/**
 * The first class of a child JVM: it calls the program's {@code main}, and ends the child with all its processes when
 * the JVM that started it has died. It notices this by its standard input, which then closes, even after a kill.
 *
 * <p>Only this class is compiled for Java 21, because children on Java 21 run it too.
 */
final class Guard {

    /** The system property that names the folder of the program's classes. */
    static final String FOLDER = "threadlab.child.folder";

    private Guard() {}

    /**
     * Runs a program.
     *
     * @param args the name of the program's class, then the program's own arguments
     * @throws Throwable what the program throws
     */
    public static void main(String[] args) throws Throwable {
        Thread.ofPlatform().daemon().name("guard").start(Guard::endWithParent);
        try {
            var main = Class.forName(args[0]).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
        } catch (NoSuchMethodException e) {
            System.err.println(args[0] + " has no method main: add public static void main(String[] args).");
            System.exit(1);
        } catch (InvocationTargetException e) {
            throw withoutOwnFrames(e.getCause());
        }
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // the parent never writes; the end of the stream means that it is gone
            }
        } catch (IOException e) {
            // treated as the end of the stream
        }
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
        // the parent can no longer remove the program's classes, which are all in this folder
        delete(new File(System.getProperty(FOLDER)));
        Runtime.getRuntime().halt(1);
    }

    private static void delete(File file) {
        for (var inside : Objects.requireNonNullElse(file.listFiles(), new File[0])) {
            delete(inside);
        }
        file.delete();
    }

    /** The trace as if the JVM had called the program itself. */
    private static Throwable withoutOwnFrames(Throwable thrown) {
        var frames = thrown.getStackTrace();
        int own = frames.length;
        while (own > 0 && !frames[own - 1].getMethodName().equals("invoke")) {
            own--;
        }
        while (own > 0 && frames[own - 1].getMethodName().startsWith("invoke")) {
            own--;
        }
        if (own > 0) {
            thrown.setStackTrace(Arrays.copyOf(frames, own));
        }
        return thrown;
    }
}
