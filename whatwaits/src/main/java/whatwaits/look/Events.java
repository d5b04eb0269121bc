package whatwaits.look;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingFile;
import jdk.management.jfr.FlightRecorderMXBean;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Pin;

/** Flight Recorder's events about pinned threads, from a running JVM or a file. */
final class Events {

    static final String RECORDER = "jdk.management.jfr:type=FlightRecorder";
    static final String PINNED = "jdk.VirtualThreadPinned";
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private Events() {}

    /**
     * The pins that end within a given time. The JVM writes them to a file: a stream would stay open there, with a file
     * and a timer thread, because {@code RemoteRecordingStream} does not close what it opens (the JDK's
     * {@code StreamManager} does, after two periods of 200 minutes).
     */
    static List<Pin> pinned(Connection connection, Duration time) throws IOException, InterruptedException {
        var recorder = connection.bean(RECORDER, FlightRecorderMXBean.class);
        var folder = Files.createTempDirectory("whatwaits-pins-");
        var file = folder.resolve("pins.jfr");
        try {
            var begin = record(recorder, time, file);
            var pins = new ArrayList<Pin>();
            var stacks = new DumpReader(connection.owners);
            try (var recorded = new RecordingFile(file)) {
                while (recorded.hasMoreEvents()) {
                    var event = recorded.readEvent();
                    // another recording in that JVM may ask for shorter ones
                    if (event.getEventType().getName().equals(PINNED)
                            && event.getDuration().compareTo(SHORTEST) >= 0
                            && event.getEndTime().isAfter(begin)) {
                        pins.add(pin(event, stacks));
                    }
                }
            }
            return pins;
        } finally {
            Files.deleteIfExists(file);
            Files.delete(folder);
        }
    }

    private static Instant record(FlightRecorderMXBean recorder, Duration time, Path file)
            throws IOException, InterruptedException {
        long recording = recorder.newRecording();
        try {
            var settings = new HashMap<String, String>();
            settings.put(PINNED + "#enabled", "true");
            settings.put(PINNED + "#stackTrace", "true");
            settings.put(PINNED + "#threshold", SHORTEST.toMillis() + " ms");
            recorder.setRecordingSettings(recording, settings);
            var begin = Instant.now();
            recorder.startRecording(recording);
            Thread.sleep(time);
            recorder.stopRecording(recording);
            recorder.copyTo(recording, file.toString());
            return begin;
        } finally {
            recorder.closeRecording(recording);
        }
    }

    static Pin pin(RecordedEvent event, DumpReader stacks) {
        var carrier = event.hasField("carrierThread") ? event.getThread("carrierThread") : null;
        var trace = event.getStackTrace();
        var all = trace == null ? Stream.<RecordedFrame>empty() : trace.getFrames().stream();
        var frames = all.filter(RecordedFrame::isJavaFrame).map(Events::line);
        return new Pin(
                "ended",
                label(event.getThread()),
                text(event, "blockingOperation"),
                reason(text(event, "pinnedReason")),
                carrier == null ? null : carrier.getJavaName(),
                event.getDuration().toNanos() / 1e6,
                stacks.stack(frames.toList()));
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

    /** A frame as a dump shows it, in the usual source file of its class, which an event does not name. */
    static String line(RecordedFrame frame) {
        var type = frame.getMethod().getType().getName();
        var file = type.replaceFirst(".*\\.", "").replaceFirst("(?<=.)\\$.*", "") + ".java:" + frame.getLineNumber();
        var place = frame.getLineNumber() < 0 ? "Unknown Source" : file;
        return type + "." + frame.getMethod().getName() + "(" + place + ")";
    }
}
