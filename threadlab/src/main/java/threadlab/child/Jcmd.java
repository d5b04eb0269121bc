package threadlab.child;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

/** Sends a command to a JVM with the JDK's {@code jcmd}. */
final class Jcmd {

    private Jcmd() {}

    /** See {@link RunningChild#jcmd}. */
    static String ask(String name, long pid, Duration most, String... command) throws InterruptedException {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var words = Stream.concat(Stream.of(jcmd, String.valueOf(pid)), Stream.of(command))
                .toList();
        try {
            // into a file: a read from a pipe cannot be interrupted and has no time limit
            var answer = Files.createTempFile("threadlab-jcmd-", ".txt");
            var builder = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(answer.toFile());
            try {
                var asked = builder.start();
                boolean ended;
                try {
                    ended = asked.waitFor(most);
                } finally {
                    asked.destroyForcibly();
                }
                var text = ended ? Files.readString(answer).strip() : "no answer within " + most.toSeconds() + " s";
                if (!ended || asked.exitValue() != 0) {
                    throw new IllegalStateException(
                            "%s (process %d) did not answer jcmd: %s".formatted(name, pid, text));
                }
                return text;
            } finally {
                Files.delete(answer);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("jcmd could not be started", e);
        }
    }
}
