package threadlab.kernel;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import jdk.jshell.SourceCodeAnalysis;

/** What this package needs of JShell beyond its documented interface: in JDK 25, a package that kernel.json opens. */
final class JShellInternals {

    private JShellInternals() {}

    /**
     * Lets JShell also read the comments of a library. By itself it looks for sources only in the JDK's
     * {@code src.zip}, and gives bare signatures if it finds none.
     *
     * @param sources a folder with the library's packages
     */
    static void addSources(SourceCodeAnalysis analysis, Path sources) throws ReflectiveOperationException {
        var find = analysis.getClass().getDeclaredMethod("findSources");
        var available = analysis.getClass().getDeclaredField("availableSources");
        find.setAccessible(true);
        available.setAccessible(true);
        var all = new ArrayList<Object>((List<?>) find.invoke(analysis));
        all.add(sources);
        available.set(analysis, all);
    }
}
