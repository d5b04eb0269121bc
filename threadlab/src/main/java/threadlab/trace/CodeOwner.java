package threadlab.trace;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Decides whose code a class is, by where it comes from. A program's own classes lie in a folder of its class path, in
 * {@code BOOT-INF/classes} of its jar or in the package of its main class, or are a notebook's cells; those of
 * libraries lie in jars. Package names decide only if the place is unknown, because a program's package may begin like
 * that of a library.
 */
public final class CodeOwner {

    /** The possible owners of a class. */
    public enum Owner {
        /** The program, or the cells of a notebook. */
        OWN("own"),
        /** The JDK. */
        JDK("JDK"),
        /** The kernel that runs a notebook's cells. */
        KERNEL("kernel"),
        /** A library, or a class that a library has generated, such as a proxy. */
        LIBRARY("framework"),
        /** This library. */
        THREADLAB("threadlab");

        private final String word;

        Owner(String word) {
            this.word = word;
        }

        /** The word for it in tables. */
        @Override
        public String toString() {
            return word;
        }
    }

    private static final Pattern JDK = Pattern.compile("^(java|javax|jdk|sun|com\\.sun)\\.");
    private static final Pattern KERNEL = Pattern.compile("^(org\\.dflib\\.jjava|jdk\\.jshell)\\.");
    private static final Pattern CELL = Pattern.compile("^REPL\\.");
    private static final Pattern WRITTEN =
            Pattern.compile("\\$\\$(SpringCGLIB|FastClass|EnhancerBy)|^jdk\\.proxy|\\$Proxy\\d|ByteBuddy");

    /** Libraries between a request and the program, and between the program and what it waits for. */
    private static final Pattern LIBRARIES = Pattern.compile("^("
            + "org\\.(springframework|apache|aspectj|eclipse|postgresql|hibernate|jboss|jooq|h2|mariadb|slf4j|glassfish"
            + "|junit|codehaus)"
            + "|com\\.(mysql|microsoft\\.sqlserver|zaxxer|mchange|mongodb|fasterxml|google\\.common|codahale)"
            + "|io\\.(agroal|netty|undertow|vertx|micrometer|micronaut|quarkus|helidon|lettuce|grpc)"
            + "|oracle|reactor|kotlin|kotlinx|scala|redis\\.clients|okhttp3|okio|jakarta|ch\\.qos\\.logback|tools\\.jackson"
            + ")\\.");

    private static final String BOOT = "BOOT-INF/classes/";

    /** Finds the owner of a class by its place; null if the place is unknown. */
    private interface Places {
        Owner of(String type);
    }

    private final Places places;
    private final Map<String, Owner> known = new ConcurrentHashMap<>();

    private CodeOwner(Places places) {
        this.places = places;
    }

    /**
     * An owner lookup for the classes of this JVM.
     *
     * @return a lookup that asks each class where it was loaded from
     */
    public static CodeOwner here() {
        var loader = Thread.currentThread().getContextClassLoader();
        return new CodeOwner(type -> {
            try {
                var found = Class.forName(type, false, loader);
                var source = found.getProtectionDomain().getCodeSource();
                if (found.getModule().isNamed() || source == null || source.getLocation() == null) {
                    return null;
                }
                var place = source.getLocation();
                return place.equals(CodeOwner.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation())
                        ? Owner.THREADLAB
                        : place.getPath().endsWith(".jar") ? Owner.LIBRARY : Owner.OWN;
            } catch (ClassNotFoundException | LinkageError e) {
                return null;
            }
        });
    }

    /**
     * An owner lookup for the classes of another JVM on this machine.
     *
     * @param main its main class or its jar
     * @param classPath its class path
     * @param folder the folder in which it runs
     * @return a lookup that searches the folders of the class path and the jar for each class
     */
    public static CodeOwner of(String main, String classPath, String folder) {
        var folders = new ArrayList<Path>();
        var start = main;
        List<String> inJar = List.of();
        for (String entry : classPath.split(Pattern.quote(File.pathSeparator))) {
            try {
                var path = Path.of(folder).resolve(entry);
                if (Files.isDirectory(path)) {
                    folders.addAll(List.of(path, path.resolve(BOOT)));
                } else if (entry.equals(main)) {
                    try (var jar = new JarFile(path.toFile())) {
                        var attributes = jar.getManifest().getMainAttributes();
                        start = Stream.of("Start-Class", "Main-Class")
                                .map(attributes::getValue)
                                .filter(name -> name != null)
                                .findFirst()
                                .orElse(main);
                        inJar = jar.stream()
                                .map(Object::toString)
                                .filter(name -> name.startsWith(BOOT))
                                .toList();
                    }
                }
            } catch (IOException | InvalidPathException | NullPointerException e) {
                // cannot be read from here: package names decide
            }
        }
        return of(start, folders, Set.copyOf(inJar));
    }

    private static CodeOwner of(String start, List<Path> folders, Set<String> inJar) {
        UnaryOperator<String> file = type -> type.replace('.', '/') + ".class";
        Predicate<String> found = type -> inJar.contains(BOOT + file.apply(type))
                || folders.stream().anyMatch(place -> Files.isRegularFile(place.resolve(file.apply(type))));
        // a server of this library runs the classes of cells
        var ownPackage = start.startsWith("threadlab.") ? "" : start.substring(0, start.lastIndexOf('.') + 1);
        // if the main class was found, all others of the program would be found too
        boolean complete = found.test(start);
        return new CodeOwner(type -> {
            if (found.test(type) || !ownPackage.isEmpty() && type.startsWith(ownPackage)) {
                return Owner.OWN;
            }
            return complete
                            && !type.startsWith("threadlab.")
                            && !CELL.matcher(type).find()
                    ? Owner.LIBRARY
                    : null;
        });
    }

    /**
     * An owner lookup for classes of which only the names are known.
     *
     * @return a lookup that counts all classes as the program's own unless they belong to a well-known library
     */
    public static CodeOwner byName() {
        return new CodeOwner(type -> null);
    }

    /**
     * Finds the owner.
     *
     * @param type the class, as a frame of a stack names it
     * @return its owner
     */
    public Owner of(String type) {
        return known.computeIfAbsent(type, this::find);
    }

    /**
     * Says whether a class is the JDK's, whose packages no program may use.
     *
     * @param type the class, or a frame that begins with it
     * @return whether it is the JDK's
     */
    public static boolean isJdk(String type) {
        return JDK.matcher(type).find();
    }

    private Owner find(String type) {
        if (KERNEL.matcher(type).find()) {
            return Owner.KERNEL;
        }
        if (WRITTEN.matcher(type).find()) {
            return Owner.LIBRARY;
        }
        if (isJdk(type)) {
            return Owner.JDK;
        }
        var placed = places.of(type.replaceFirst("\\$\\$Lambda.*", ""));
        if (placed != null) {
            return placed;
        }
        if (type.startsWith("threadlab.")) {
            return Owner.THREADLAB;
        }
        return LIBRARIES.matcher(type).find() ? Owner.LIBRARY : Owner.OWN;
    }
}
