package threadlab.child;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Moves what a process writes to its two streams, line by line, to the one thread that takes the lines. When no
 * lines are taken, a queue fills up and the process waits.
 */
final class OutputPump {

    /** A longer line is split. */
    private static final int LONGEST_LINE = 8_000;

    private static final int LINES = 1_000;

    /** A line without its line ending; {@code standard} if from standard output, not from standard error. */
    record Line(String text, boolean standard) {}

    private final BlockingQueue<Line> lines = new ArrayBlockingQueue<>(LINES);
    private final AtomicInteger openStreams = new AtomicInteger(2);
    private volatile boolean stopped;

    OutputPump(Process process, String name) {
        start(process.inputReader(StandardCharsets.UTF_8), name, true);
        start(new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8), name, false);
    }

    /** {@return the next line; null if none arrived in that time} */
    Line take(Duration most) throws InterruptedException {
        return lines.poll(most.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Whether both streams have ended and all their lines have been taken. */
    boolean ended() {
        return openStreams.get() == 0 && lines.isEmpty();
    }

    /** Discards what the process writes after this; waiting lines can still be taken. */
    void stop() {
        stopped = true;
    }

    private void start(Reader reader, String name, boolean standard) {
        Thread.ofPlatform().daemon().name("output of " + name).start(() -> {
            try (reader) {
                pump(reader, standard);
            } catch (IOException e) {
                // the process was killed
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                openStreams.decrementAndGet();
            }
        });
    }

    private void pump(Reader reader, boolean standard) throws IOException, InterruptedException {
        var buffer = new char[8_192];
        var line = new StringBuilder();
        for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
            for (int i = 0; i < n; i++) {
                if (buffer[i] == '\n' || line.length() >= LONGEST_LINE && line.indexOf(Parent.ANSWER) < 0) {
                    put(new Line(line.toString(), standard));
                    line.setLength(0);
                }
                if (buffer[i] != '\n' && buffer[i] != '\r') {
                    line.append(buffer[i]);
                }
            }
        }
        if (!line.isEmpty()) {
            put(new Line(line.toString(), standard));
        }
    }

    private void put(Line line) throws InterruptedException {
        while (!stopped && !lines.offer(line, 100, TimeUnit.MILLISECONDS)) {
            // the consumer is busy; check again whether it has stopped
        }
    }
}
