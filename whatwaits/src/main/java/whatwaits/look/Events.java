package whatwaits.look;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            var stacks = new DumpReader(connection.owners());
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
            recorder.setRecordingSettings(
                    recording,
                    Map.of(
                            PINNED + "#enabled",
                            "true",
                            PINNED + "#stackTrace",
                            "true",
                            PINNED + "#threshold",
                            SHORTEST.toMillis() + " ms"));
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

    private static Pin pin(RecordedEvent event, DumpReader stacks) {
        return new Pin(
                "ended",
                label(event.getThread()),
                text(event, "blockingOperation"),
                text(event, "pinnedReason"),
                event.hasField("carrierThread") && event.getValue("carrierThread") instanceof RecordedThread carrier
                        ? carrier.getJavaName()
                        : null,
                event.getDuration().toNanos() / 1e6,
                stacks.stack(stack(event)));
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

    private static List<String> stack(RecordedEvent event) {
        return event.getStackTrace() == null
                ? List.of()
                : event.getStackTrace().getFrames().stream()
                        .filter(RecordedFrame::isJavaFrame)
                        .map(frame -> "%s.%s(%s)"
                                .formatted(
                                        frame.getMethod().getType().getName(),
                                        frame.getMethod().getName(),
                                        frame.getLineNumber() < 0
                                                ? "Unknown Source"
                                                : file(frame.getMethod()
                                                                .getType()
                                                                .getName()) + ":" + frame.getLineNumber()))
                        .toList();
    }

    /** The usual source file of a class, which an event does not name. */
    private static String file(String type) {
        var simple = type.substring(type.lastIndexOf('.') + 1);
        int nested = simple.indexOf('$');
        return (nested > 0 ? simple.substring(0, nested) : simple) + ".java";
    }
}
