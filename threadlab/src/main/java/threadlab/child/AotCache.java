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
 * What a JVM has learnt in one run of a program, for later runs: loaded and linked classes (JEP 483), and which methods
 * are hot, so that they are compiled early (JEP 515). One option creates the cache (JEP 514). Closing it deletes its
 * files.
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
     * Runs a child whose JVM records what it learns and writes it to a cache when it exits.
     *
     * @param child what to run; children that use the cache later need the same garbage collector and program
     * @return the cache
     * @throws InterruptedException if the cell is interrupted; nothing is left behind
     * @throws IllegalStateException if the child created no cache, with the reason
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

    /** The class path of the training run, each folder as a jar: a cache accepts only jars, by path and age. */
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
