package whatwaits.look;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A JVM elsewhere, reached by whatever runs a command there: {@code kubectl exec POD --}, {@code docker exec C},
 * {@code ssh HOST}. Only {@code jcmd} and, for files, {@code mktemp}, {@code cat} and {@code rm} run there. Files lie in
 * a folder that only the user of the prefix can enter, so that nobody else can lay a link into it.
 */
final class Prefix implements Commands {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final List<String> prefix;
    private long pid;

    /** The JVMs that {@code jcmd} lists. */
    private record Listed(long pid, String main) {}

    /**
     * Finds a JVM.
     *
     * @param words the prefix
     * @param which its process ID there, or part of its main class or jar; null if there is only one
     * @throws IllegalArgumentException with one sentence that says what is missing
     */
    Prefix(String words, String which) throws InterruptedException {
        prefix = List.of(words.strip().split("\\s+"));
        if (which != null && which.matches("\\d{1,18}")) {
            pid = Long.parseLong(which);
            return;
        }
        List<Listed> found;
        try {
            found = listed().stream()
                    .filter(jvm -> which == null || jvm.main.contains(which))
                    .toList();
        } catch (IOException e) {
            throw refusal(e);
        }
        if (found.size() != 1) {
            var them = found.stream().map(jvm -> "%d (%s)".formatted(jvm.pid, jvm.main));
            throw new IllegalArgumentException("jcmd there, by %s, lists %s, so give a process ID%s"
                    .formatted(
                            this,
                            found.isEmpty() ? "no such JVM" : found.size() + " JVMs",
                            found.isEmpty() ? "" : ": " + them.collect(Collectors.joining(", "))));
        }
        pid = found.getFirst().pid;
    }

    private List<Listed> listed() throws IOException, InterruptedException {
        var text = new String(run(SOON, List.of("jcmd", "-l")), StandardCharsets.UTF_8);
        return text.lines()
                .map(line -> line.strip().split("\\s+"))
                .filter(words -> words[0].matches("\\d+"))
                .filter(words -> words.length < 2 || !words[1].contains("sun.tools.jcmd"))
                .map(words -> new Listed(Long.parseLong(words[0]), words.length < 2 ? "(unknown)" : words[1]))
                .toList();
    }

    IllegalArgumentException refusal(IOException why) {
        return new IllegalArgumentException("%s jcmd cannot be used (%s): it needs a JDK there, as the user of that JVM"
                .formatted(this, why.getMessage()));
    }

    long pid() {
        return pid;
    }

    @Override
    public String send(Duration most, String command) throws IOException, InterruptedException {
        var words = Stream.concat(Stream.of("jcmd", String.valueOf(pid)), Stream.of(command.split(" ")));
        var text = new String(run(most.plus(SOON), words.toList()), StandardCharsets.UTF_8);
        // its first line repeats the process ID
        return text.replaceFirst("\\A\\d+:\\R", "");
    }

    /** What a command there writes. */
    private byte[] run(Duration most, List<String> command) throws IOException, InterruptedException {
        var whole = new ArrayList<>(prefix);
        whole.addAll(command);
        var process = new ProcessBuilder(whole).start();
        try {
            process.getOutputStream().close();
            var said = read(process.getInputStream());
            var errors = read(process.getErrorStream());
            if (!process.waitFor(most.toMillis(), TimeUnit.MILLISECONDS)) {
                throw Commands.late(most);
            }
            var bytes = said.get(most.toMillis(), TimeUnit.MILLISECONDS);
            if (process.exitValue() != 0) {
                var why = new String(errors.get(1, TimeUnit.SECONDS), StandardCharsets.UTF_8);
                var text = new String(bytes, StandardCharsets.UTF_8).replaceFirst("\\A\\d+:\\R", "");
                throw new IOException(Commands.line(why.isBlank() ? text : why));
            }
            if (bytes.length > MOST) {
                throw new IOException("its answer has more than %d MB".formatted(MOST >> 20));
            }
            return bytes;
        } catch (TimeoutException e) {
            throw Commands.late(most);
        } catch (ExecutionException e) {
            throw new IOException(Commands.line(e.getCause().getMessage()), e);
        } finally {
            process.destroyForcibly();
        }
    }

    private static FutureTask<byte[]> read(InputStream stream) {
        var reading = new FutureTask<>(() -> stream.readNBytes(MOST + 1));
        Thread.ofPlatform().daemon().name("reads what a prefix says").start(reading);
        return reading;
    }

    /** A folder there. */
    Folder folder() throws IOException, InterruptedException {
        var made = run(SOON, List.of("mktemp", "-d", "/tmp/whatwaits-%d-XXXXXXXX".formatted(pid)));
        var path = new String(made, StandardCharsets.UTF_8).strip();
        return new Folder() {

            @Override
            public String file(String name) {
                return path + "/" + name;
            }

            @Override
            public byte[] read(String name) throws IOException, InterruptedException {
                var bytes = run(SOON, List.of("cat", file(name)));
                run(SOON, List.of("rm", "-f", file(name)));
                return bytes;
            }

            @Override
            public long room() {
                return Long.MAX_VALUE; // nobody is asked: a full disk says so itself
            }

            @Override
            public void close() {
                try {
                    run(SOON, List.of("rm", "-rf", path));
                } catch (IOException e) {
                    // gone with the place
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
    }

    /** As it is typed. */
    @Override
    public String toString() {
        return String.join(" ", prefix);
    }
}
