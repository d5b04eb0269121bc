package whatwaits.look;

import com.google.gson.stream.MalformedJsonException;
import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.EOFException;
import java.io.IOException;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;
import jdk.management.jfr.FlightRecorderMXBean;
import whatwaits.rules.Container;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Pin;
import whatwaits.rules.TextDump;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.ThreadState;
import whatwaits.rules.Thresholds;

/** Takes dumps of a JVM, in the calling thread: {@link Connection#ask} bounds how long it waits. */
final class Dumps {

    /** The Java version whose dumps may catch threads while they mount or unmount. */
    static final int DUMPS_WHAT_MOVES = 25;

    /** The first whose dumps have states, carriers and locks. */
    static final int NAMES_STATES_SINCE = 25;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    /** Long enough that whoever can go on has moved. */
    private static final Duration BETWEEN_DUMPS = Duration.ofMillis(300);

    private static final ObjectName COMMANDS = Connection.name("com.sun.management:type=DiagnosticCommand");

    private Dumps() {}

    /** All threads: virtual and platform from a dump or, before Java 21, platform threads from the bean. */
    static ThreadDump take(Connection connection) throws IOException {
        var bean = connection.bean(ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        var heading = "Process %d (%s, Java %s)".formatted(connection.pid, connection.main, connection.version);
        var reader = new DumpReader(connection.owners);
        if (connection.java() < 21) {
            var threads = PlatformThreads.of(bean.dumpAllThreads(true, false), reader);
            return new ThreadDump(List.of(new Container("<root>", null, threads)), connection.java(), heading);
        }
        var dump = dump(connection, reader);
        var complete = new HashMap<Long, ThreadState>();
        if (connection.java() < NAMES_STATES_SINCE) {
            var infos = bean.getThreadInfo(bean.getAllThreadIds());
            PlatformThreads.complete(dump.threads(), infos).forEach(thread -> complete.put(thread.id(), thread));
        } else {
            owned(bean, dump.threads()).forEach(thread -> complete.put(thread.id(), thread));
        }
        var containers = dump.containers().stream()
                .map(part -> new Container(
                        part.name(),
                        part.parent(),
                        part.threads().stream()
                                .map(thread -> complete.getOrDefault(thread.id(), thread))
                                .toList()))
                .toList();
        return new ThreadDump(containers, connection.java(), heading);
    }

    /**
     * Platform threads and the virtual ones on carriers, as the JVM prints them; nothing where it lacks the command, or
     * prints no virtual threads.
     */
    static List<ThreadDump> onCarriers(Connection connection) throws IOException {
        if (connection.java() < Watch.SCHEDULER_SINCE) {
            return List.of();
        }
        try {
            Object[] none = {new String[0]};
            String[] types = {String[].class.getName()};
            var text = (String) connection.beans.invoke(COMMANDS, "threadPrint", none, types);
            var read = TextDump.read(new StringReader(text), new DumpReader(connection.owners));
            return List.of(read.dump(connection.java(), "what is on carriers"));
        } catch (JMException e) {
            return List.of();
        }
    }

    /** Platform threads with the owners that a dump lacks: those of locks, and of whatever the JVM's own finder finds. */
    private static List<ThreadState> owned(ThreadMXBean bean, List<ThreadState> threads) {
        var lacking = threads.stream().filter(PlatformThreads::lacksOwner).toList();
        if (lacking.isEmpty()) {
            return lacking;
        }
        var infos = new HashMap<Long, ThreadInfo>();
        long[] waiting = lacking.stream().mapToLong(ThreadState::id).toArray();
        // those of the finder last: it stops all threads, so that their owners are of one moment
        for (long[] ids : new long[][] {waiting, bean.findDeadlockedThreads()}) {
            for (ThreadInfo info : ids == null ? new ThreadInfo[0] : bean.getThreadInfo(ids)) {
                if (info != null) {
                    infos.put(info.getThreadId(), info);
                }
            }
        }
        return lacking.stream()
                .map(thread -> PlatformThreads.owned(thread, infos.get(thread.id())))
                .toList();
    }

    /** The dump; where it shows what may be a circle, its circles are those that another one still shows. */
    static ThreadDump confirmed(Connection connection, ThreadDump dump) throws IOException, InterruptedException {
        if (!dump.suspectsCircle()) {
            return dump;
        }
        Thread.sleep(BETWEEN_DUMPS);
        return dump.confirmedBy(take(connection));
    }

    /**
     * Threads that hold a carrier and wait, in a dump and, if there may be any, in a second one a moment later. One that
     * seems to compute waits if its carrier has used no CPU in between.
     */
    static List<Pin> pinned(Connection connection, ThreadDump dump) throws IOException, InterruptedException {
        if (dump.pinned().isEmpty() && dump.computing().isEmpty()) {
            return List.of();
        }
        var still = still(connection, dump);
        var first = dump.withStill(still).pinned();
        return first.isEmpty()
                ? first
                : Pin.of(first, take(connection).withStill(still).pinned());
    }

    /** The carriers that use no CPU for a moment, though their threads seem to compute. */
    private static Set<Long> still(Connection connection, ThreadDump dump) throws IOException, InterruptedException {
        long[] carriers =
                dump.computing().stream().mapToLong(ThreadState::carrier).toArray();
        var threads = connection.bean(ManagementFactory.THREAD_MXBEAN_NAME, com.sun.management.ThreadMXBean.class);
        long[] before = threads.getThreadCpuTime(carriers);
        long start = System.nanoTime();
        Thread.sleep(BETWEEN_LOOKS);
        long[] after = threads.getThreadCpuTime(carriers);
        double most = (System.nanoTime() - start) * Thresholds.still(Double.NaN);
        var still = new HashSet<Long>();
        for (int i = 0; i < carriers.length; i++) {
            if (before[i] >= 0 && after[i] >= 0 && after[i] - before[i] < most) {
                still.add(carriers[i]);
            }
        }
        return still;
    }

    /**
     * Corrects a dump where the scheduler has no bean, which would say whether carriers are mounted all the time: a
     * second dump says whether those that use no CPU still carry the same thread, in the same line.
     */
    static ThreadDump corrected(Connection connection, ThreadDump dump) throws IOException, InterruptedException {
        if (connection.java() >= Watch.SCHEDULER_SINCE || dump.computing().isEmpty()) {
            return dump;
        }
        var still = still(connection, dump);
        if (still.isEmpty()) {
            return dump;
        }
        record Place(long thread, long carrier, String where) {
            static Place of(ThreadState thread) {
                return new Place(thread.id(), thread.carrier(), thread.stack().where());
            }
        }

        var second = take(connection).computing().stream().map(Place::of).collect(Collectors.toSet());
        dump.computing().stream()
                .map(Place::of)
                .filter(place -> !second.contains(place))
                .forEach(place -> still.remove(place.carrier));
        return dump.withStill(still);
    }

    private static ThreadDump dump(Connection connection, DumpReader reader) throws IOException {
        holdStill(connection);
        var folder = Files.createTempDirectory("whatwaits-dump-");
        var file = folder.resolve("threads.json");
        try {
            connection
                    .bean("com.sun.management:type=HotSpotDiagnostic", HotSpotDiagnosticMXBean.class)
                    .dumpThreads(file.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
            return read(file, reader);
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    /**
     * Makes a dump safer. Java 25 dumps virtual threads while they mount and unmount, and reads data that is gone: the
     * whole JVM may end (JDK-8364343, fixed in 26). Most of the threads are held still once anything uses the tool
     * interface (JVM TI), as Flight Recorder does after its first recording is created, even if that is never started.
     */
    private static void holdStill(Connection connection) throws IOException {
        if (connection.java() == DUMPS_WHAT_MOVES) {
            var recorder = connection.bean(Events.RECORDER, FlightRecorderMXBean.class);
            recorder.closeRecording(recorder.newRecording());
        }
    }

    /**
     * The threads of a file.
     *
     * @throws IllegalArgumentException if it is not such a file
     */
    static ThreadDump read(Path file, DumpReader reader) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("there is no file " + file);
        }
        try (var text = Files.newBufferedReader(file)) {
            return reader.read(text);
        } catch (MalformedJsonException | EOFException | IllegalStateException | NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%s is not a thread dump in JSON: write one with jcmd PID Thread.dump_to_file -format=json FILE"
                            .formatted(file),
                    e);
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        }
    }
}
