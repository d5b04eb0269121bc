package threadlab.inspect;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/**
 * The figures of a JVM's scheduler of virtual threads. They are asked for as jcmd does it, by the socket that attaching has
 * opened: that costs the watched JVM a fifth of what its management bean does. Where there is no such socket, or it answers
 * something else, the bean is asked.
 */
final class Scheduler {

    /** In the order of the figures. */
    static final List<String> COLUMNS = List.of("mounted", "queued", "parallelism", "pool size");

    /** The first Java whose scheduler tells. */
    static final int SINCE = 24;

    private static final ObjectName BEAN = Connection.name("jdk.management:type=VirtualThreadScheduler");
    private static final String[] ATTRIBUTES = {
        "MountedVirtualThreadCount", "QueuedVirtualThreadCount", "Parallelism", "PoolSize"
    };

    /** The protocol's version, the command and its three arguments, each ended by a zero. */
    private static final byte[] QUESTION =
            "1\0jcmd\0Thread.vthread_scheduler\0\0\0".getBytes(StandardCharsets.US_ASCII);

    /** What {@code ForkJoinPool.toString} says; the bean counts the same. */
    private static final Pattern ANSWER = Pattern.compile(
            "parallelism = (\\d+), size = (\\d+), active = (\\d+), .*tasks = (\\d+), submissions = (\\d+)");

    private final MBeanServerConnection beans;
    private final Path door;
    private volatile boolean answers;

    /** @param pid the process, or 0 for this one, which is asked directly */
    Scheduler(MBeanServerConnection beans, long pid) {
        this.beans = beans;
        door = door(pid);
        answers = pid != 0 && Files.exists(door);
    }

    /** The socket that a JVM opens for those who attach, where the system shows it: on Linux. */
    static Path door(long pid) {
        return Path.of("/proc", String.valueOf(pid), "root", "tmp", ".java_pid" + pid);
    }

    /** The figures of now. */
    double[] read() throws IOException, JMException {
        if (answers) {
            try {
                var told = ANSWER.matcher(answer());
                if (told.find()) {
                    var n = IntStream.rangeClosed(1, 5)
                            .mapToDouble(i -> Double.parseDouble(told.group(i)))
                            .toArray();
                    return new double[] {n[2], n[3] + n[4], n[0], n[1]};
                }
            } catch (IOException e) {
                // if the JVM has ended, its bean says so
            }
            answers = false;
        }
        return beans.getAttributes(BEAN, ATTRIBUTES).asList().stream()
                .mapToDouble(Scheduler::value)
                .toArray();
    }

    private static double value(Attribute attribute) {
        return ((Number) attribute.getValue()).doubleValue();
    }

    private String answer() throws IOException {
        try (var channel = SocketChannel.open(UnixDomainSocketAddress.of(door))) {
            channel.write(ByteBuffer.wrap(QUESTION));
            return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.US_ASCII);
        }
    }
}
