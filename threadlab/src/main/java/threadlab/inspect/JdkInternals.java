package threadlab.inspect;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import jdk.management.jfr.FlightRecorderMXBean;

/**
 * All that this package does to a JVM beyond what the JDK documents. Without it, everything works, but it costs more,
 * and dumps are less safe on Java 25.
 */
final class JdkInternals {

    /** The Java version whose dumps may catch threads while they mount or unmount. */
    static final int DUMPS_WHAT_MOVES = 25;

    /** The protocol's version, the command and its three arguments, each terminated by a zero byte. */
    private static final byte[] QUESTION =
            "1\0jcmd\0Thread.vthread_scheduler\0\0\0".getBytes(StandardCharsets.US_ASCII);

    /** What {@code ForkJoinPool.toString} prints; the bean reports the same figures. */
    private static final Pattern ANSWER = Pattern.compile(
            "parallelism = (\\d+), size = (\\d+), active = (\\d+), .*tasks = (\\d+), submissions = (\\d+)");

    private final Connection connection;
    private final Path socket;
    private volatile boolean answers;
    private volatile boolean held;

    /** @param self whether the JVM watches itself, and so has no socket */
    JdkInternals(Connection connection, boolean self) {
        this.connection = connection;
        var pid = String.valueOf(connection.pid());
        // the system shows it only on Linux
        socket = Path.of("/proc", pid, "root", "tmp", ".java_pid" + pid);
        answers = !self && Files.exists(socket);
    }

    /**
     * The scheduler's figures, read ten times a second. Its management bean costs the watched JVM five times as much
     * CPU time as jcmd's command, sent through the socket that attaching opened. Tested with Java 24 to 27.
     *
     * @return in the order of {@link Scheduler#COLUMNS}; null if there is no socket, or it gives a different answer
     */
    double[] scheduler() {
        if (!answers) {
            return null;
        }
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            channel.write(ByteBuffer.wrap(QUESTION));
            var answer = ANSWER.matcher(
                    new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII));
            if (answer.find()) {
                var n = IntStream.rangeClosed(1, 5)
                        .mapToDouble(i -> Double.parseDouble(answer.group(i)))
                        .toArray();
                return new double[] {n[2], n[3] + n[4], n[0], n[1]};
            }
        } catch (IOException e) {
            // if the JVM has ended, its bean says so
        }
        answers = false;
        return null;
    }

    /**
     * Makes a dump safer. Java 25 dumps virtual threads while they mount and unmount, and reads data that is gone: the
     * whole JVM may end (JDK-8364343, fixed in 26). Most of the threads are held still once anything uses the tool
     * interface (JVM TI), as Flight Recorder does after its first recording is created, even if that is never started.
     */
    void holdStill() throws IOException {
        if (connection.java() == DUMPS_WHAT_MOVES && !held) {
            var recorder = connection.bean(Events.RECORDER, FlightRecorderMXBean.class);
            recorder.closeRecording(recorder.newRecording());
            held = true;
        }
    }
}
