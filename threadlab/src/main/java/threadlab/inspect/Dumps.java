package threadlab.inspect;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import tech.tablesaw.api.Table;

/** Takes dumps of a JVM, in the calling thread: {@link Connection#ask} bounds how long it waits. */
final class Dumps {

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    private Dumps() {}

    /** All threads: virtual and platform from a dump or, before Java 21, platform threads from the bean. */
    static ThreadDump take(Connection connection) throws IOException {
        var bean = connection.bean(ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        var heading = "Process %d (%s, Java %s)".formatted(connection.pid(), connection.main(), connection.version());
        if (connection.java() < 21) {
            return new ThreadDump(
                    PlatformThreads.of(bean.dumpAllThreads(true, false)),
                    connection.version(),
                    heading,
                    connection.frames());
        }
        var threads = all(connection);
        return new ThreadDump(
                connection.java() < 25
                        ? PlatformThreads.complete(threads, bean.getThreadInfo(bean.getAllThreadIds()))
                        : threads,
                connection.version(),
                heading,
                connection.frames());
    }

    /**
     * Pinned threads in a dump and, if there are any, in a second one a moment later. A thread in both is pinned; one
     * in only one of them may hold its carrier just briefly.
     */
    static Table pinned(Connection connection, ThreadDump dump) throws IOException, InterruptedException {
        var first = dump.pinned();
        if (first.isEmpty()) {
            return first;
        }
        Thread.sleep(BETWEEN_LOOKS);
        return Pins.twoLooks(first, take(connection).pinned());
    }

    private static List<ThreadState> all(Connection connection) throws IOException {
        connection.internals().holdStill();
        var folder = Files.createTempDirectory("threadlab-dump-");
        var file = folder.resolve("threads.json");
        try {
            connection
                    .bean("com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
            return DumpFile.read(file).threads();
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }
}
