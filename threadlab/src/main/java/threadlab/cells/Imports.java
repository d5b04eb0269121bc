package threadlab.cells;

import java.io.File;
import java.io.IOException;
import java.lang.module.ModuleDescriptor.Exports;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.ZipFile;

/** Which public classes of the JDK and of the class path have a name. */
public final class Imports {

    private static final String OWN =
            "\\.(internal|impl|shaded|repackaged|relocated|vendor)\\.|^(sun|jdk\\.internal)\\.";

    private Imports() {}

    /**
     * The public classes with a simple name.
     *
     * @param simple such as {@code Files}
     * @param loader that of the code which would import them
     * @return their full names, those of Java itself first; none unless the name begins with a capital
     */
    public static List<String> of(String simple, ClassLoader loader) {
        if (!simple.matches("\\p{javaUpperCase}\\w*")) {
            return List.of();
        }
        var jdk = ModuleLayer.boot().modules().stream()
                .filter(module -> module.isNamed() && module.getDescriptor() != null)
                .flatMap(module -> module.getDescriptor().exports().stream())
                .filter(export -> !export.isQualified())
                .map(Exports::source);
        var path = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.endsWith(".jar"))
                .flatMap(jar -> packages(jar, simple));
        return Stream.concat(jdk, path)
                .map(name -> name.isEmpty() ? simple : name + "." + simple)
                .distinct()
                .filter(name -> !(name + ".").matches(".*(" + OWN + ").*") && isPublic(name, loader))
                .sorted(Comparator.comparing((String name) -> !name.startsWith("java."))
                        .thenComparing(
                                name -> name.chars().filter(c -> c == '.').count())
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
    }

    private static Stream<String> packages(String jar, String simple) {
        var end = "/" + simple + ".class";
        try (var zip = new ZipFile(jar)) {
            return zip.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.endsWith(end) && !name.startsWith("META-INF"))
                    .map(name -> name.substring(0, name.length() - end.length()).replace('/', '.'))
                    .toList()
                    .stream();
        } catch (IOException e) {
            return Stream.empty(); // it is only a hint
        }
    }

    /**
     * The classes of a package of the JDK.
     *
     * @param name of the package
     * @return their simple names, also of those that are not public; none for a package of a library
     */
    public static Stream<String> in(String name) {
        var all = FileSystems.getFileSystem(URI.create("jrt:/"));
        try (var modules = Files.list(all.getPath("packages", name))) {
            var in = modules.toList().getFirst().getFileName().toString();
            try (var files = Files.list(all.getPath("modules", in, name.replace('.', '/')))) {
                return files
                        .map(file -> file.getFileName().toString())
                        .filter(file -> file.matches("\\w+\\.class"))
                        .map(file -> file.replace(".class", ""))
                        .sorted()
                        .toList()
                        .stream();
            }
        } catch (IOException e) {
            return Stream.empty();
        }
    }

    /**
     * Whether there is a public class.
     *
     * @param name its full name
     * @param loader that of the code which would use it
     * @return false also if it cannot be loaded
     */
    public static boolean isPublic(String name, ClassLoader loader) {
        try {
            return Modifier.isPublic(Class.forName(name, false, loader).getModifiers());
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }
}
