package threadlab.child;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;

/**
 * What a JVM has learnt in one run of a program, for its next runs: classes that are loaded and linked already (JEP 483),
 * and which methods are hot, so that they are compiled early (JEP 515). One option makes it (JEP 514). Close it, and its
 * files are gone.
 *
 * <pre>{@code
 * try (var cache = AotCache.trainedBy(ChildJvm.of("Sleepers.java").arguments("virtual", 10_000, 1))) {
 *     ChildJvm.of("Sleepers.java").arguments("virtual", 100_000, 1).aotCache(cache).run();
 * }
 * }</pre>
 */
public final class AotCache implements AutoCloseable {

    private final Scratch scratch;

    private AotCache(Scratch scratch) {
        this.scratch = scratch;
    }

    /**
     * Runs a child whose JVM records what it learns and writes it into a cache when it exits.
     *
     * @param child what to run; those that use the cache later need the same collector and the same program
     * @return the cache
     * @throws InterruptedException if the cell is interrupted; nothing is left then
     * @throws IllegalStateException if the child made no cache, with the reason
     */
    public static AotCache trainedBy(ChildJvm child) throws InterruptedException {
        try {
            var cache = new AotCache(Scratch.make());
            try {
                var run = child.aotCache(cache).run();
                if (!cache.isThere()) {
                    throw new IllegalStateException("the training run created no AOT cache: " + run.explanation());
                }
                return cache;
            } catch (InterruptedException | RuntimeException e) {
                cache.close();
                throw e;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("no folder for an AOT cache could be created", e);
        }
    }

    private Path file() {
        return scratch.folder().resolve("program.aot");
    }

    private boolean isThere() {
        return Files.exists(file());
    }

    /** The JVM option that creates the cache, or uses it once it exists. */
    String option() {
        return (isThere() ? "-XX:AOTCache=" : "-XX:AOTCacheOutput=") + file();
    }

    /** The class path as the training had it, each folder as a jar: a cache knows jars only, by their place and age. */
    String jarsOf(String classPath) {
        var places = classPath.split(Pattern.quote(File.pathSeparator));
        for (int i = 0; i < places.length; i++) {
            if (Files.isDirectory(Path.of(places[i]))) {
                places[i] = jarOf(places[i], "place-%d.jar".formatted(i)).toString();
            }
        }
        return String.join(File.pathSeparator, places);
    }

    private Path jarOf(String classes, String name) {
        var jar = scratch.folder().resolve(name);
        if (!Files.exists(jar)) {
            var messages = new StringWriter();
            var writer = new PrintWriter(messages);
            int exit = ToolProvider.findFirst("jar")
                    .orElseThrow(
                            () -> new IllegalStateException("this Java has no jar tool: the kernel must run on a JDK"))
                    .run(writer, writer, "--create", "--file", jar.toString(), "-C", classes, ".");
            if (exit != 0) {
                throw new IllegalStateException("the program's classes cannot be packed: " + messages);
            }
        }
        return jar;
    }

    /** Removes the cache. */
    @Override
    public void close() {
        scratch.delete();
    }
}
