package threadlab.child;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Java that a child can run on, and what a program may use there.
 *
 * @param version its version
 * @param release the version that a program is compiled for: its own or, where the kernel's compiler is older, the
 *     kernel's
 * @param home the folder that holds {@code bin/java}
 * @param libraries the class path that a program is compiled with; empty for none
 * @param classPath what the child needs besides the program's classes
 * @param cache the name of the AOT cache that the set-up created for such a child; empty for none
 */
record JavaRuntime(int version, int release, Path home, String libraries, String classPath, String cache) {

    /** The kernel's own Java, with the libraries of the course. */
    static JavaRuntime own() {
        // an empty entry at the end would mean the current folder
        var libraries =
                System.getProperty("java.class.path").replaceFirst(Pattern.quote(File.pathSeparator) + "+$", "");
        int version = Runtime.version().feature();
        var cache = libraries.contains("threadlab-servers.jar") ? "servers.aot" : "";
        return new JavaRuntime(version, version, Path.of(System.getProperty("java.home")), libraries, libraries, cache);
    }

    /**
     * The Java of a version. Unless it is the kernel's own, programs get no libraries there: these are compiled for the
     * kernel's.
     *
     * @throws IllegalArgumentException if it is not on this machine; the message says how to get it
     */
    static JavaRuntime of(int version) {
        int own = Runtime.version().feature();
        if (version == own) {
            return own();
        }
        var home = Javas.here().home(version);
        return new JavaRuntime(version, Math.min(version, own), home, "", ownJar().toString(), "");
    }

    String java() {
        return home.resolve("bin").resolve("java").toString();
    }

    /** The same Java for a load generator, which needs none of the server libraries. */
    JavaRuntime forLoad() {
        var servers = ownJar().resolveSibling(Path.of("..", "servers")).normalize();
        var jars = Stream.of(classPath.split(Pattern.quote(File.pathSeparator)))
                .filter(jar -> !Path.of(jar).startsWith(servers))
                .collect(Collectors.joining(File.pathSeparator));
        return new JavaRuntime(version, release, home, libraries, jars, "load.aot");
    }

    /** The libraries come first: their AOT cache fits only a class path that begins like the one in its training run. */
    String classPathWith(Path classes) {
        return classPath + File.pathSeparator + classes;
    }

    /**
     * JVM options for the AOT cache. A JVM whose collector or other options do not fit the cache ignores it and only
     * starts more slowly.
     */
    List<String> learnt() {
        var file = ownJar().resolveSibling(Path.of("..", cache)).normalize();
        return !cache.isEmpty() && Files.exists(file)
                ? List.of("-XX:AOTCache=" + file, "-Xlog:aot*=off,cds*=off:stderr")
                : List.of();
    }

    /** Where this library's classes were loaded from: a jar or, in its own tests, a folder. */
    static Path ownJar() {
        try {
            var source = Guard.class.getProtectionDomain().getCodeSource();
            return Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
