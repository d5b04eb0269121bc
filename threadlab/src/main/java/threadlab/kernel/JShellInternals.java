package threadlab.kernel;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SourceCodeAnalysis;
import jdk.jshell.TypeDeclSnippet;

/** What this package needs of JShell beyond its documented interface: in JDK 25, a package that kernel.json opens. */
final class JShellInternals {

    /** A place in a snippet; lines count from 1. */
    record Line(Snippet snippet, int line) {}

    private JShellInternals() {}

    /** Lets JShell read a library's comments, too, from a folder with its packages; by itself it reads only the JDK's. */
    static void addSources(SourceCodeAnalysis analysis, Path sources) throws ReflectiveOperationException {
        var available = analysis.getClass().getDeclaredField("availableSources");
        available.setAccessible(true);
        var all = new ArrayList<Object>((List<?>) call(analysis, "findSources"));
        all.add(sources);
        available.set(analysis, all);
    }

    /** Stops JShell from listing all classes in the background: a second of CPU time and 60 MB, for completions alone. */
    static void suspendIndexing(SourceCodeAnalysis analysis) {
        callIfThere(analysis, "suspendIndexing");
    }

    /** Lets JShell list the classes after all, in the background. */
    static void resumeIndexing(SourceCodeAnalysis analysis) {
        callIfThere(analysis, "resumeIndexing");
    }

    /** Waits until JShell has listed them. */
    static void awaitIndex(SourceCodeAnalysis analysis) {
        callIfThere(analysis, "waitBackgroundTaskFinished");
    }

    /** On another JDK, which may have no such method, JShell only needs more memory. */
    private static void callIfThere(SourceCodeAnalysis analysis, String name) {
        try {
            call(analysis, name);
        } catch (NoSuchMethodException e) {
            // it lists the classes at once
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The full name of the class into which JShell has put a snippet. */
    static String className(Snippet snippet) {
        return known(() -> (String) call(snippet, "classFullName"));
    }

    /** Gives JShell compilers of its own make anew: one that has failed keeps half of what it was writing. */
    static void freshCompiler(JShell shell) {
        // each error would keep the one before; only what waits for a declaration is asked for its errors again
        shell.snippets()
                .filter(one -> !shell.status(one).name().startsWith("RECOVERABLE"))
                .map(one -> known(() -> (List<?>) call(one, "diagnostics")))
                .filter(Objects::nonNull)
                .forEach(List::clear);
        known(() -> call(field(shell, "taskFactory"), "initTaskPool"));
    }

    /** Lets JShell forget types that it has refused or dropped: with one, it calls the type of each variable Object. */
    static void forgetTypes(JShell shell) {
        var names = shell.types().map(TypeDeclSnippet::name).toList();
        known(() ->
                ((Map<?, ?>) field(field(shell, "keyMap"), "classMap")).keySet().retainAll(names));
    }

    /** The line of a snippet from which a frame of such a class comes; nothing for other classes. */
    static Optional<Line> line(JShell shell, StackTraceElement frame) {
        return known(() -> {
            var wrap = call(field(shell, "outerMap"), "getOuter", frame.getClassName());
            if (wrap == null || frame.getLineNumber() < 1) {
                return Optional.empty();
            }
            int line = frame.getLineNumber() - 1;
            var snippet = (Snippet) call(wrap, "wrapLineToSnippet", line);
            return Optional.of(new Line(snippet, (int) call(wrap, "wrapLineToSnippetLine", line) + 1));
        });
    }

    /** What JShell has in the JDKs that the course supports. */
    private static <T> T known(Callable<T> look) {
        try {
            return look.call();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object field(Object on, String name) throws ReflectiveOperationException {
        var field = on.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(on);
    }

    private static Object call(Object on, String name, Object... with) throws ReflectiveOperationException {
        for (Class<?> type = on.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals(name) && method.getParameterCount() == with.length) {
                    method.setAccessible(true);
                    return method.invoke(on, with);
                }
            }
        }
        throw new NoSuchMethodException(on.getClass() + "." + name);
    }
}
