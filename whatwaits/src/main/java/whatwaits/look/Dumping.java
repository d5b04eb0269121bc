package whatwaits.look;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import whatwaits.rules.Thresholds;

/**
 * Dumps of all threads of a JVM. Through a pipe, where there is one: nothing is written to a disk, and one that turns out
 * too large ends where this end of the pipe is closed.
 */
final class Dumping {

    private static final Duration LONG = Duration.ofMinutes(2);

    /** Needed for a dump that does not go through a pipe: one of a million threads took 1.8 GB. */
    private static final long ROOM = 2L << 30;

    private final Reach reach;
    private final Folder folder;
    private final Notes notes;
    private boolean taken;

    Dumping(Reach reach, Folder folder, Notes notes) {
        this.reach = reach;
        this.folder = folder;
        this.notes = notes;
    }

    /**
     * {@return all threads in JSON; null if they cannot be had, which is noted}
     *
     * @param large whether to dump more than {@link Thresholds#THREADS} threads
     * @param which it is, in words
     */
    byte[] take(boolean large, String which) throws IOException, InterruptedException {
        long began = System.nanoTime();
        var name = "threads.json";
        var pipe = folder instanceof Exchange exchange && exchange.hasPipe() ? exchange : null;
        var file = pipe == null ? folder.file(name) : pipe.pipe();
        if (pipe == null && folder.room() < ROOM) {
            notes.missed(
                    "all threads: a dump of unknown size needs %d GB free in its folder for temporary files, or mkfifo here",
                    ROOM >> 30);
            return null;
        }
        var overwrite = pipe == null ? "" : "-overwrite ";
        var asks = new FutureTask<>(
                () -> reach.commands.send(LONG, "Thread.dump_to_file -format=json " + overwrite + file));
        var text = new ByteArrayOutputStream();
        boolean whole = true;
        if (pipe == null) {
            asks.run();
        } else {
            whole = throughPipe(pipe, asks, text, large ? Integer.MAX_VALUE : Thresholds.THREADS);
        }
        boolean done = !whole || isTaken(asks, which);
        if (done && pipe == null) {
            text.write(folder.read(name));
        }
        notes.took(which, began);
        if (!whole && !taken) {
            notes.missed("the threads after the first %,d: --many-threads takes them, too", Thresholds.THREADS);
        }
        taken |= done;
        return done ? text.toByteArray() : null;
    }

    /** Reads the dump while the JVM writes it; returns whether it has no more than so many threads. */
    private boolean throughPipe(Exchange pipe, FutureTask<String> asks, ByteArrayOutputStream text, int most)
            throws IOException, InterruptedException {
        int threads = 0;
        var keeper = pipe.openPipe(true);
        var end = pipe.openPipe(false);
        var read = new CountDownLatch(1);
        var asking = Thread.ofPlatform().daemon().name("asks for a dump").start(() -> {
            asks.run();
            // if the JVM has not opened it, nobody has: the reading ends
            close(keeper);
            // unless another program of its user has: that may keep it open for ever
            if (!awaited(read)) {
                close(end);
            }
        });
        try (var from = Channels.newInputStream(end)) {
            var buffer = new byte[1 << 16];
            // before Java 25 the JVM does not notice that nobody reads, and writes on: more slowly than to a reader
            for (int n = from.read(buffer); n >= 0 && (threads <= most || reach.java < 25); n = from.read(buffer)) {
                close(keeper);
                if (threads <= most) {
                    text.write(buffer, 0, n);
                    threads += count(buffer, n);
                }
            }
        } catch (AsynchronousCloseException e) {
            // what the JVM has written has been read
        } finally {
            read.countDown();
            close(keeper);
        }
        asking.join();
        return threads <= most;
    }

    private static boolean awaited(CountDownLatch read) {
        try {
            return read.await(Reach.SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static void close(Channel pipe) {
        try {
            pipe.close();
        } catch (IOException e) {
            // nothing is kept
        }
    }

    /** How many threads begin in some bytes of a dump. */
    private static int count(byte[] bytes, int length) {
        int threads = 0;
        for (int i = 4; i < length; i++) {
            if (bytes[i] == '"'
                    && bytes[i - 1] == 'd'
                    && bytes[i - 2] == 'i'
                    && bytes[i - 3] == 't'
                    && bytes[i - 4] == '"') {
                threads++;
            }
        }
        return threads;
    }

    /** Whether a dump was taken; otherwise says why not. */
    private boolean isTaken(FutureTask<String> asks, String which) throws IOException, InterruptedException {
        String why;
        try {
            why = Commands.line(asks.get());
            if (why.startsWith("Created")) {
                return true;
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof InterruptedException interrupted) {
                throw interrupted;
            }
            if (reach.hasEnded()) {
                throw new IOException("it has ended while it was dumped");
            }
            why = e.getCause().getMessage();
        }
        notes.missed("%s%s failed (%s)", taken ? "" : "all threads: ", which, why);
        return false;
    }
}
