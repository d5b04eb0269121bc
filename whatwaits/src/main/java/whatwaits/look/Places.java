package whatwaits.look;

import java.io.File;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import whatwaits.rules.Owner;

/**
 * Decides whose code a class is, by where it comes from. A program's own classes lie in a folder of its class path, in
 * {@code BOOT-INF/classes} of its jar or in the package of its main class; those of libraries lie in jars.
 */
public final class Places {

    private static final String BOOT = "BOOT-INF/classes/";

    private Places() {}

    private static Function<String, Owner> remembered(Function<String, Owner> places) {
        var known = new ConcurrentHashMap<String, Owner>();
        return type -> known.computeIfAbsent(type, unknown -> Owner.of(unknown, places));
    }

    /** {@return the owners of the classes of this JVM, by where each was loaded from} */
    public static Function<String, Owner> here() {
        var loader = Thread.currentThread().getContextClassLoader();
        return remembered(type -> origin(type, loader)
                .map(place -> place.getPath().endsWith(".jar") ? Owner.LIBRARY : Owner.OWN)
                .orElse(null));
    }

    /**
     * {@return whether two classes of this JVM come from the same place: one jar or folder}
     *
     * @param type the name of one, as a frame of a stack names it
     * @param other the other
     */
    public static boolean isBeside(String type, Class<?> other) {
        var place = other.getProtectionDomain().getCodeSource().getLocation();
        var first = origin(type.replaceFirst("\\$\\$Lambda.*", ""), other.getClassLoader());
        return first.filter(place::equals).isPresent();
    }

    private static Optional<URL> origin(String type, ClassLoader loader) {
        try {
            var found = Class.forName(type, false, loader);
            var domain = found.getModule().isNamed() ? null : found.getProtectionDomain();
            return Optional.ofNullable(domain)
                    .map(ProtectionDomain::getCodeSource)
                    .map(CodeSource::getLocation);
        } catch (ClassNotFoundException | LinkageError e) {
            return Optional.empty();
        }
    }

    /**
     * What a jar says of a program; nothing if it cannot be read from here: package names decide then.
     *
     * @param start its main class, in a jar of Spring Boot that of the program; null if it names none
     * @param names of its files
     */
    record Jar(String start, List<String> names) {

        static Jar of(Path file) {
            return read(file, new Jar(null, List.of()), () -> {
                try (var jar = new JarFile(file.toFile())) {
                    var manifest = jar.getManifest();
                    var says = manifest == null ? new Attributes() : manifest.getMainAttributes();
                    var start = says.getValue("Start-Class");
                    return new Jar(
                            start == null ? says.getValue("Main-Class") : start,
                            jar.stream().map(JarEntry::getName).toList());
                }
            });
        }
    }

    /**
     * What is read of a file that another user may replace. A pipe in its place would wait for its other end: none is
     * opened, and if one comes in between, another thread waits.
     *
     * @param otherwise returned if it is no regular file, or cannot be read in two seconds
     */
    static <T> T read(Path file, T otherwise, Callable<T> reads) {
        if (!Files.isRegularFile(file)) {
            return otherwise;
        }
        var reading = new FutureTask<>(reads);
        Thread.ofPlatform().daemon().name("reads " + file).start(reading);
        try {
            return reading.get(2, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return otherwise;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return otherwise;
        }
    }

    /** The owners of another JVM's classes: the folders of its class path and its jar are searched for each. */
    static Function<String, Owner> of(String main, String classPath, String folder, Set<String> callers) {
        var folders = new ArrayList<Path>();
        var start = main;
        var inJar = new HashSet<String>();
        for (String entry : classPath.split(Pattern.quote(File.pathSeparator))) {
            try {
                var path = Path.of(folder).resolve(entry);
                if (Files.isDirectory(path)) {
                    folders.addAll(List.of(path, path.resolve(BOOT)));
                } else if (entry.equals(main)) {
                    var jar = Jar.of(path);
                    start = jar.start == null ? main : jar.start;
                    inJar.addAll(jar.names);
                }
            } catch (InvalidPathException e) {
                // no file of this system
            }
        }
        return remembered(search(start, folders, inJar, callers));
    }

    private static Function<String, Owner> search(
            String start, List<Path> folders, Set<String> inJar, Set<String> callers) {
        UnaryOperator<String> file = type -> type.replace('.', '/') + ".class";
        Predicate<String> found = type -> inJar.contains(BOOT + file.apply(type))
                || folders.stream().anyMatch(place -> Files.isRegularFile(place.resolve(file.apply(type))));
        // what has only called the program is no part of it, nor is the rest of its library
        Predicate<String> calls = type -> callers.stream()
                .map(caller -> caller.substring(0, caller.indexOf('.') + 1))
                .anyMatch(type::startsWith);
        var ownPackage = calls.test(start) ? "" : start.substring(0, start.lastIndexOf('.') + 1);
        // if the main class was found, all others of the program would be found too
        boolean complete = found.test(start);
        return type -> {
            if (found.test(type)) {
                return Owner.OWN;
            }
            if (!ownPackage.isEmpty() && type.startsWith(ownPackage)) {
                // a library may be packed below the program's package
                return Owner.ofPacked(type.substring(ownPackage.length()));
            }
            return complete || calls.test(type) ? Owner.LIBRARY : null;
        };
    }
}
