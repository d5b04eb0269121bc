package threadlab.support;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Files in which Linux describes a process and its limits: see proc(5). */
public final class Proc {

    private Proc() {}

    /**
     * Reads a file.
     *
     * @param file such as {@code /proc/loadavg}
     * @return its lines; none on another system, for a process that has ended, or if the file may not be read
     */
    public static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1);
        } catch (IOException | SecurityException e) {
            return List.of();
        }
    }

    /**
     * Reads a value from a file.
     *
     * @param file such as {@code /proc/self/status}
     * @param key how its line begins, such as {@code Threads:}
     * @return the word after the key; none if there is no such line
     */
    public static List<String> field(Path file, String key) {
        return lines(file).stream()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(key.length()).strip().split("\\s+")[0])
                .toList();
    }

    /**
     * Reads which CPUs a process may run on.
     *
     * @param status its file {@code status}
     * @return their numbers; none where the system does not report them
     */
    public static IntStream cpus(Path status) {
        return field(status, "Cpus_allowed_list:").stream()
                .flatMap(list -> Stream.of(list.split(",")))
                .map(range -> range.split("-"))
                .flatMapToInt(range ->
                        IntStream.rangeClosed(Integer.parseInt(range[0]), Integer.parseInt(range[range.length - 1])));
    }
}
