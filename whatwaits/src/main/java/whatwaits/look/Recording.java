package whatwaits.look;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Pin;
import whatwaits.rules.ThreadState;

/** The events of Flight Recorder that say what held carriers and what stopped all threads. */
final class Recording {

    /** What is recorded; of the rest nothing, no environment, no properties. */
    static final String SETTINGS = "settings=none +jdk.VirtualThreadPinned#enabled=true"
            + " +jdk.VirtualThreadPinned#threshold=1ms +jdk.VirtualThreadPinned#stackTrace=true"
            + " +jdk.FileRead#enabled=true +jdk.FileRead#threshold=1ms +jdk.FileRead#stackTrace=true"
            + " +jdk.FileWrite#enabled=true +jdk.FileWrite#threshold=1ms +jdk.FileWrite#stackTrace=true"
            + " +jdk.GCPhasePause#enabled=true"
            + " +jdk.GarbageCollection#enabled=true";

    private static final String PINNED = "jdk.VirtualThreadPinned";

    /** {@code 25.0.3+9-LTS} of {@code OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for …}. */
    private static final Pattern RELEASE = Pattern.compile("\\((\\d[^)]*)\\) for ");

    private static final Set<String> OWN =
            Set.of(PINNED, "jdk.FileRead", "jdk.FileWrite", "jdk.GCPhasePause", "jdk.GarbageCollection");

    /** All events that are read of a recording. */
    static final String NEEDED = String.join(",", new TreeSet<>(OWN))
            + ",jdk.ThreadPark,jdk.JavaMonitorEnter,jdk.ThreadDump,jdk.CPULoad,jdk.JVMInformation,jdk.CPUInformation";

    final List<Pin> pins = new ArrayList<>();

    /** Milliseconds of virtual threads in reads and writes of files, by line. */
    final Map<String, Double> files = new HashMap<>();

    /** Names of collections of the whole heap, while all threads stand still. */
    private static final Pattern FULL = Pattern.compile("SerialOld|ParallelOld|G1Full");

    /** Pauses of these, in milliseconds. */
    double full;

    /** Pauses of the collector, in milliseconds. */
    final List<Double> pauses = new ArrayList<>();

    private final List<Wait> waits = new ArrayList<>();

    /** A thread that waited, and from when to when, in seconds. */
    private record Wait(double from, double to, ThreadState thread) {}

    /** Each {@code Thread.print} in it. */
    final List<String> prints = new ArrayList<>();

    /** The release of Java that it names; null if it names none. */
    String version;

    double first = Double.NaN;
    double last = Double.NaN;
    double machine = Double.NaN;
    double process = Double.NaN;
    int cpus;
    private int loads;

    /**
     * The events of a recording that were asked for. Where other recordings run in the JVM, it also has theirs: environment,
     * properties, messages of exceptions.
     */
    static byte[] ownEvents(byte[] bytes) throws IOException {
        var file = temporary(bytes);
        try {
            var own = temporary(new byte[0]);
            try (var all = new RecordingFile(file)) {
                all.write(own, event -> OWN.contains(event.getEventType().getName()));
                return Files.readAllBytes(own);
            } finally {
                Files.delete(own);
            }
        } finally {
            Files.delete(file);
        }
    }

    /** The JDK reads recordings from files only. */
    private static Path temporary(byte[] bytes) throws IOException {
        var file = Files.createTempFile("whatwaits-", ".jfr");
        try {
            return Files.write(file, bytes);
        } catch (IOException e) {
            Files.delete(file);
            throw e;
        }
    }

    /** Reads the events of a recording, up to where it is cut off; says if it is. */
    static Recording read(byte[] bytes, DumpReader stacks, List<String> missing) {
        var recording = new Recording();
        int whole = whole(bytes);
        Path file = null;
        try {
            file = whole == 0 ? null : temporary(whole == bytes.length ? bytes : Arrays.copyOf(bytes, whole));
        } catch (IOException e) {
            missing.add(
                    "the recording: %d bytes cannot be written to %s (%s): free space there, or start this command with -Djava.io.tmpdir=FOLDER"
                            .formatted(whole, System.getProperty("java.io.tmpdir"), Whole.why(e)));
            return recording;
        }
        try {
            if (file != null) {
                try {
                    recording.inTime(file, stacks, whole);
                } finally {
                    Files.delete(file);
                }
            }
        } catch (IOException | RuntimeException e) {
            whole = 0;
        }
        if (whole < bytes.length) {
            missing.add(
                    Double.isNaN(recording.last)
                            ? "the recording: it is cut off, damaged or not finished, and none of its events can be read"
                            : "the end of the recording: it is cut off, damaged or not finished");
        }
        return recording;
    }

    private static final int HEADER = 68;

    /**
     * How many bytes whole chunks have: of one that is not finished the JDK's reader waits for the rest, forever. A chunk
     * begins with FLR, its version, its size, and where in it the constants and the metadata are.
     */
    private static int whole(byte[] bytes) {
        var in = ByteBuffer.wrap(bytes);
        int at = 0;
        while (at + HEADER <= bytes.length && in.getInt(at) == 0x464c5200) {
            long size = in.getLong(at + 8);
            boolean finished = isWithin(in.getLong(at + 16), size) && isWithin(in.getLong(at + 24), size);
            if (!finished || size > bytes.length - at) {
                break;
            }
            at += (int) size;
        }
        return at;
    }

    private static boolean isWithin(long offset, long size) {
        return offset >= HEADER && offset < size;
    }

    /** Without an event for this time, and some more for a large file, the reader does not come back. */
    private static final long PATIENCE = 1_500;

    private static final int BYTES_A_MILLI = 20_000;

    /** Reads in a thread of its own, because a damaged file may keep the JDK's reader forever. */
    private void inTime(Path file, DumpReader stacks, int bytes) throws IOException {
        var failure = new AtomicReference<Exception>();
        var reader = Thread.ofPlatform().daemon().name("whatwaits reads").unstarted(() -> {
            try {
                read(file, stacks);
            } catch (IOException | RuntimeException e) {
                failure.set(e);
            }
        });
        reader.start();
        try {
            for (int seen = -1; reader.isAlive() && seen != taken(); ) {
                seen = taken();
                reader.join(PATIENCE + bytes / BYTES_A_MILLI);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            given = reader.isAlive();
        }
        if (given || failure.get() != null) {
            throw new IOException("not read to its end");
        }
    }

    private int taken;
    private boolean given;

    private synchronized int taken() {
        return taken;
    }

    private void read(Path file, DumpReader stacks) throws IOException {
        try (var events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                var event = events.readEvent();
                synchronized (this) {
                    if (given) {
                        return;
                    }
                    taken++;
                    double at = event.getEndTime().toEpochMilli() / 1e3;
                    first = Double.isNaN(first) ? at : Math.min(first, at);
                    last = Double.isNaN(last) ? at : Math.max(last, at);
                    take(event, stacks);
                }
            }
        }
    }

    private void take(RecordedEvent event, DumpReader stacks) {
        double millis = event.getDuration().toNanos() / 1e6;
        switch (event.getEventType().getName()) {
            case PINNED -> pins.add(pin(event, stacks));
            case "jdk.FileRead", "jdk.FileWrite" -> {
                if (event.getThread() != null && event.getThread().isVirtual() && event.getStackTrace() != null) {
                    files.merge(stacks.stack(lines(event)).where(), millis, Double::sum);
                }
            }
            case "jdk.ThreadPark" -> waits(event, stacks, "parkedClass", "WAITING");
            case "jdk.JavaMonitorEnter" -> waits(event, stacks, "monitorClass", "BLOCKED");
            case "jdk.GCPhasePause" -> pauses.add(millis);
            case "jdk.GarbageCollection" -> {
                if (FULL.matcher(event.getString("name")).matches()) {
                    full += event.getDuration("sumOfPauses").toNanos() / 1e6;
                }
            }
            case "jdk.ThreadDump" -> prints.add(event.getString("result"));
            case "jdk.CPULoad" -> {
                // the mean of what is reported once a second
                machine = mean(machine, event.getFloat("machineTotal"));
                process = mean(process, event.getFloat("jvmUser") + event.getFloat("jvmSystem"));
                loads++;
            }
            case "jdk.JVMInformation" -> {
                var release = RELEASE.matcher(event.getString("jvmVersion"));
                version = release.find() ? release.group(1) : null;
            }
            case "jdk.CPUInformation" -> cpus = event.getInt("hwThreads");
            default -> {}
        }
    }

    /**
     * The threads that waited at the moment when most did, as far as their waits were recorded: those that ended, and
     * took some time.
     */
    List<ThreadState> waiting() {
        var ends = new TreeMap<Double, Integer>();
        for (Wait wait : waits) {
            ends.merge(wait.from, 1, Integer::sum);
            ends.merge(wait.to, -1, Integer::sum);
        }
        int now = 0;
        int most = 0;
        double when = Double.NaN;
        for (var change : ends.entrySet()) {
            now += change.getValue();
            if (now > most) {
                most = now;
                when = change.getKey();
            }
        }
        double moment = when;
        return waits.stream()
                .filter(wait -> wait.from <= moment && moment < wait.to)
                .map(Wait::thread)
                .toList();
    }

    private void waits(RecordedEvent event, DumpReader stacks, String type, String state) {
        var thread = event.getThread();
        if (thread != null && event.getStackTrace() != null) {
            var awaited = event.getClass(type);
            var blocker = awaited == null ? null : awaited.getName() + "@" + Long.toHexString(event.getLong("address"));
            var name = thread.getJavaName() == null ? "" : thread.getJavaName();
            double end = event.getEndTime().toEpochMilli() / 1e3;
            waits.add(new Wait(
                    end - event.getDuration().toNanos() / 1e9,
                    end,
                    new ThreadState(
                            thread.getJavaThreadId(),
                            name,
                            thread.isVirtual(),
                            state,
                            0,
                            blocker,
                            0,
                            List.of(),
                            stacks.stack(lines(event)))));
        }
    }

    private double mean(double before, double next) {
        return loads == 0 ? next : before + (next - before) / (loads + 1);
    }

    private static Pin pin(RecordedEvent event, DumpReader stacks) {
        var carrier = event.hasField("carrierThread") ? event.getThread("carrierThread") : null;
        return new Pin(
                "ended",
                label(event.getThread()),
                text(event, "blockingOperation"),
                reason(text(event, "pinnedReason")),
                carrier == null ? null : carrier.getJavaName(),
                event.getDuration().toNanos() / 1e6,
                stacks.stack(lines(event)));
    }

    /** In words what the JVM says by the number that its {@code Continuation} has for it. */
    private static String reason(String said) {
        return said == null
                ? null
                : said.replace("Freeze or preempt failed (2)", "inside the JDK, where it must not leave its carrier")
                        .replace("Freeze or preempt failed (3)", "a native frame on the stack");
    }

    private static String label(RecordedThread thread) {
        if (thread == null) {
            return "";
        }
        var name = thread.getJavaName();
        return name == null || name.isBlank() ? "virtual thread #" + thread.getJavaThreadId() : name;
    }

    private static String text(RecordedEvent event, String field) {
        return event.hasField(field) ? event.getString(field) : null;
    }

    /** The frames of an event, without those of lambdas' own classes, which a dump hides. */
    private static List<String> lines(RecordedEvent event) {
        var trace = event.getStackTrace();
        return trace == null
                ? List.of()
                : trace.getFrames().stream()
                        .filter(frame -> frame.isJavaFrame()
                                && !frame.getMethod().getType().getName().contains("$$Lambda"))
                        .map(Recording::line)
                        .toList();
    }

    /** A frame as a dump shows it, in the usual source file of its class, which an event does not name. */
    private static String line(RecordedFrame frame) {
        var type = frame.getMethod().getType().getName();
        var file = type.replaceFirst(".*\\.", "").replaceFirst("(?<=.)\\$.*", "") + ".java:" + frame.getLineNumber();
        var place = frame.getLineNumber() < 0 ? "Unknown Source" : file;
        return type + "." + frame.getMethod().getName() + "(" + place + ")";
    }
}
