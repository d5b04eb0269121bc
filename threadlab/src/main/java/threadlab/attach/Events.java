package threadlab.attach;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import jdk.jfr.consumer.EventStream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingStream;
import jdk.management.jfr.RemoteRecordingStream;
import tech.tablesaw.api.Table;

/** Events of Flight Recorder about pinned threads, of a JVM that runs or in a file. */
final class Events {

    static final String PINNED = "jdk.VirtualThreadPinned";
    private static final Duration SHORTEST = Duration.ofMillis(1);

    private Events() {}

    /** The pins that end within a time. No recording is left. */
    static Table pinned(Connection connection, Duration time, boolean own) throws IOException, InterruptedException {
        var table = Pins.none();
        try (EventStream events = own ? new RecordingStream() : new RemoteRecordingStream(connection.beans())) {
            if (events instanceof RecordingStream local) {
                local.enable(PINNED).withThreshold(SHORTEST).withStackTrace();
            } else if (events instanceof RemoteRecordingStream remote) {
                remote.enable(PINNED).withThreshold(SHORTEST).withStackTrace();
            }
            events.onEvent(PINNED, event -> add(table, event));
            events.startAsync();
            Thread.sleep(time);
            // what was written until now is handed out before it returns
            if (events instanceof RecordingStream local) {
                local.stop();
            } else if (events instanceof RemoteRecordingStream remote) {
                remote.stop();
            }
        }
        return table;
    }

    static void add(Table table, RecordedEvent event) {
        Pins.add(
                table,
                "ended",
                label(event.getThread()),
                text(event, "blockingOperation"),
                text(event, "pinnedReason"),
                event.hasField("carrierThread") && event.getValue("carrierThread") instanceof RecordedThread carrier
                        ? carrier.getJavaName()
                        : null,
                event.getDuration().toNanos() / 1e6,
                stack(event));
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

    /** The file in which a class usually is: an event does not tell. */
    private static String file(String type) {
        var simple = type.substring(type.lastIndexOf('.') + 1);
        int nested = simple.indexOf('$');
        return (nested > 0 ? simple.substring(0, nested) : simple) + ".java";
    }
}
