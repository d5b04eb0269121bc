package whatwaits.look;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Writes a file as a whole or not at all: one that is there stays until the new one is complete. */
public final class Whole {

    private Whole() {}

    /**
     * Writes a file.
     *
     * @param file that is written, or replaced; what is no file, such as {@code /dev/stdout}, is written to
     * @param content all of it
     * @throws IllegalArgumentException with one sentence, if it cannot be written
     */
    public static void write(Path file, byte[] content) {
        try {
            if (Files.exists(file) && !Files.isRegularFile(file)) {
                Files.write(file, content);
                return;
            }
            var real = Files.exists(file) ? file.toRealPath() : file; // a link stays one
            var fresh = real.resolveSibling(real.getFileName() + ".new");
            try {
                Files.write(fresh, content);
                Files.move(fresh, real, StandardCopyOption.REPLACE_EXISTING);
            } finally {
                Files.deleteIfExists(fresh);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    "%s cannot be written (%s): free space there, or name a file elsewhere".formatted(file, why(e)));
        }
    }

    /** {@return the reason that the system gives, without the file's name} */
    static String why(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> "access denied";
            case NoSuchFileException missing -> "there is no such folder";
            case FileSystemException known when known.getReason() != null -> known.getReason();
            default -> String.valueOf(e.getMessage());
        };
    }
}
