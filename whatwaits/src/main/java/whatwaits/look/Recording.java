package whatwaits.look;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Pin;

/** The events of Flight Recorder that say what held carriers and what stopped all threads. */
final class Recording {

    /** What is recorded; of the rest nothing, no environment, no properties. */
    static final String SETTINGS = "settings=none +jdk.VirtualThreadPinned#enabled=true"
            + " +jdk.VirtualThreadPinned#threshold=1ms +jdk.FileRead#enabled=true +jdk.FileRead#threshold=1ms"
            + " +jdk.FileWrite#enabled=true +jdk.FileWrite#threshold=1ms +jdk.GCPhasePause#enabled=true";

    final List<Pin> pins = new ArrayList<>();

    /** Milliseconds of virtual threads in reads and writes of files, by line. */
    final Map<String, Double> files = new HashMap<>();

    /** Pauses of the collector, in milliseconds. */
    final List<Double> pauses = new ArrayList<>();

    /** The last {@code Thread.print} in it, with the release that it names; null if there is none. */
    String print;

    double first = Double.NaN;
    double last = Double.NaN;
    double machine = Double.NaN;
    double process = Double.NaN;
    int cpus;
    private int loads;

    /** Reads the events of a recording, up to where it is cut off; says if it is. */
    static Recording read(byte[] bytes, DumpReader stacks, List<String> missing) {
        var recording = new Recording();
        try {
            var file = Files.createTempFile("whatwaits-", ".jfr");
            try {
                Files.write(file, bytes);
                recording.read(file, stacks);
            } finally {
                Files.delete(file);
            }
        } catch (IOException | RuntimeException e) {
            missing.add("the recording is cut off or damaged: its events after %s are missing"
                    .formatted(Double.isNaN(recording.last) ? "its beginning" : "the first chunks"));
        }
        return recording;
    }

    private void read(Path file, DumpReader stacks) throws IOException {
        try (var events = new RecordingFile(file)) {
            while (events.hasMoreEvents()) {
                var event = events.readEvent();
                double at = event.getEndTime().toEpochMilli() / 1e3;
                first = Double.isNaN(first) ? at : Math.min(first, at);
                last = Double.isNaN(last) ? at : Math.max(last, at);
                take(event, stacks);
            }
        }
    }

    private void take(RecordedEvent event, DumpReader stacks) {
        double millis = event.getDuration().toNanos() / 1e6;
        switch (event.getEventType().getName()) {
            case Events.PINNED -> pins.add(Events.pin(event, stacks));
            case "jdk.FileRead", "jdk.FileWrite" -> {
                if (event.getThread() != null && event.getThread().isVirtual() && event.getStackTrace() != null) {
                    var frames = event.getStackTrace().getFrames().stream()
                            .filter(RecordedFrame::isJavaFrame)
                            .map(Events::line);
                    files.merge(stacks.stack(frames.toList()).where(), millis, Double::sum);
                }
            }
            case "jdk.GCPhasePause" -> pauses.add(millis);
            case "jdk.ThreadDump" -> print = event.getString("result");
            case "jdk.CPULoad" -> {
                // the mean of what is reported once a second
                machine = mean(machine, event.getFloat("machineTotal"));
                process = mean(process, event.getFloat("jvmUser") + event.getFloat("jvmSystem"));
                loads++;
            }
            case "jdk.CPUInformation" -> cpus = event.getInt("hwThreads");
            default -> {}
        }
    }

    private double mean(double before, double next) {
        return loads == 0 ? next : before + (next - before) / (loads + 1);
    }
}
