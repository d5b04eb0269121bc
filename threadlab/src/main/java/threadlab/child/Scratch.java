package threadlab.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;

/**
 * The folder of one child's classes, in the system's folder for temporary files.
 *
 * @param folder its name contains the process id of this JVM
 */
record Scratch(Path folder) {

    static Scratch make() throws IOException {
        return new Scratch(Files.createTempDirectory(
                "threadlab-%s-".formatted(ProcessHandle.current().pid())));
    }

    /** Writes class files, by the names of their classes. */
    void put(Map<String, byte[]> classes) throws IOException {
        for (var one : classes.entrySet()) {
            var file = folder.resolve(one.getKey().replace('.', '/') + ".class");
            Files.createDirectories(file.getParent());
            Files.write(file, one.getValue());
        }
    }

    /** Removes it with its contents, as far as possible. */
    void delete() {
        if (!Files.exists(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            // the system cleans up its folder for temporary files
        }
    }
}
