package threadlab.child;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * The first class of a child JVM: it calls the program's {@code main}, and ends the child with all its processes when
 * the JVM that started it has died. It notices this by its standard input, which then closes, even after a kill.
 *
 * <p>Only this class is compiled for Java 21, because children on Java 21 run it too.
 */
final class Guard {
    /** The system property that names the folder of the program's classes. */
    static final String FOLDER = "threadlab.child.folder";
    /** What the parent has asked, line by line; see {@code Parent}. */
    static final BlockingQueue<String> QUESTIONS = new LinkedBlockingQueue<>();

    private Guard() {}

    /**
     * Runs a program.
     *
     * @param args the name of the program's class, then the program's own arguments
     * @throws Throwable what the program throws
     */
    public static void main(String[] args) throws Throwable {
        Thread.ofPlatform().daemon().name("guard").start(Guard::endWithParent);
        // one in a session of its own could not be found when this JVM has ended
        Runtime.getRuntime().addShutdownHook(new Thread(Guard::endProcesses, "end of the child's processes"));
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
        try (var parent = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (var line = parent.readLine(); line != null; line = parent.readLine()) {
                QUESTIONS.add(line);
            }
        } catch (IOException e) {
            // treated as the end of the stream
        }
        endProcesses();
        // the parent can no longer remove the program's classes, which are all in this folder
        delete(new File(System.getProperty(FOLDER)));
        Runtime.getRuntime().halt(1);
    }

    private static void endProcesses() {
        ProcessHandle.current().descendants().forEach(ProcessHandle::destroyForcibly);
    }

    /** Removes a file or a folder with its contents, as far as possible. */
    static void delete(File file) {
        var contents = Files.isSymbolicLink(file.toPath()) ? null : file.listFiles();
        for (var inside : Objects.requireNonNullElse(contents, new File[0])) {
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
