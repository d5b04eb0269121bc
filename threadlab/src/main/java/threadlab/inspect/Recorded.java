package threadlab.inspect;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Table;

/** What was recorded of a JVM elsewhere: a Flight Recorder file, a dump of its threads, or both. */
public final class Recorded {

    private final Path jfr;
    private final ThreadDump dump;

    private Recorded(Path jfr, ThreadDump dump) {
        this.jfr = jfr;
        this.dump = dump;
    }

    static Recorded of(Path jfr, Path dump) {
        if (jfr == null && dump == null) {
            throw new IllegalArgumentException("there is nothing to read: name a recording, a dump, or both");
        }
        if (jfr != null) {
            if (!Files.isRegularFile(jfr)) {
                throw new IllegalArgumentException("there is no file " + jfr);
            }
            try (var file = new RecordingFile(jfr)) {
                file.hasMoreEvents();
            } catch (IOException e) {
                throw new IllegalArgumentException(
                        "%s is no recording of Flight Recorder: write one with jcmd PID JFR.start, and JFR.dump filename=FILE"
                                .formatted(jfr));
            }
        }
        return new Recorded(jfr, dump == null ? null : DumpFile.read(dump));
    }

    /**
     * What the recording tells over time.
     *
     * @return a row for each time at which the CPU load was recorded: {@code seconds} (since the first of them),
     *     {@code platform threads} (as last recorded), {@code CPUs} (busy with this process), {@code GC (ms)} (pauses since
     *     the row before)
     * @throws IllegalStateException if there is no recording, or it has no CPU load
     */
    public Table watch() {
        var loads = new ArrayList<RecordedEvent>();
        var counts = new ArrayList<RecordedEvent>();
        var collections = new ArrayList<RecordedEvent>();
        var cpus = new double[] {Double.NaN};
        read(event -> {
            switch (event.getEventType().getName()) {
                case "jdk.CPULoad" -> loads.add(event);
                case "jdk.JavaThreadStatistics" -> counts.add(event);
                case "jdk.GarbageCollection" -> collections.add(event);
                case "jdk.CPUInformation" -> cpus[0] = event.getInt("hwThreads");
                default -> {
                    // tells nothing here
                }
            }
        });
        if (loads.isEmpty()) {
            throw new IllegalStateException(jfr + " has no CPU load: record it with the settings default or profile");
        }
        List.of(loads, counts, collections).forEach(list -> list.sort(Comparator.comparing(RecordedEvent::getEndTime)));
        var table = Table.create(
                "recorded over time",
                DoubleColumn.create("seconds"),
                DoubleColumn.create("platform threads"),
                DoubleColumn.create("CPUs"),
                DoubleColumn.create("GC (ms)"));
        var first = loads.getFirst().getEndTime();
        var before = Instant.MIN;
        for (RecordedEvent load : loads) {
            var now = load.getEndTime();
            var from = before;
            table.doubleColumn("seconds").append(Duration.between(first, now).toNanos() / 1e9);
            counts.stream()
                    .filter(count -> !count.getEndTime().isAfter(now))
                    .reduce((one, other) -> other)
                    .ifPresentOrElse(
                            count -> table.doubleColumn("platform threads").append(count.getLong("activeCount")),
                            () -> table.doubleColumn("platform threads").appendMissing());
            table.doubleColumn("CPUs").append(cpus[0] * (load.getFloat("jvmUser") + load.getFloat("jvmSystem")));
            table.doubleColumn("GC (ms)")
                    .append(collections.stream()
                            .filter(gc -> gc.getEndTime().isAfter(from)
                                    && !gc.getEndTime().isAfter(now))
                            .mapToDouble(gc -> gc.getDuration("sumOfPauses").toNanos() / 1e6)
                            .sum());
            before = now;
        }
        return table;
    }

    /**
     * The pins in the recording, and those that the dump shows.
     *
     * @return the columns of {@link Jvm#pinned}
     */
    public Table pinned() {
        var table = Pins.none();
        if (jfr != null) {
            read(event -> {
                if (event.getEventType().getName().equals(Events.PINNED)) {
                    Events.add(table, event);
                }
            });
        }
        return dump == null ? table : table.append(dump.pinned());
    }

    /**
     * The threads of the dump.
     *
     * @return their groups
     * @throws IllegalStateException if there is no dump
     */
    public ThreadDump dump() {
        if (dump == null) {
            throw new IllegalStateException("there is no dump: name its file, Jvm.read(jfr, dump)");
        }
        return dump;
    }

    private void read(Consumer<RecordedEvent> take) {
        if (jfr == null) {
            throw new IllegalStateException("there is no recording: name its file, Jvm.read(jfr, dump)");
        }
        try (var file = new RecordingFile(jfr)) {
            while (file.hasMoreEvents()) {
                take.accept(file.readEvent());
            }
        } catch (IOException e) {
            throw new IllegalStateException("%s cannot be read to its end: %s".formatted(jfr, e.getMessage()));
        }
    }

    /** What there is. */
    @Override
    public String toString() {
        return (jfr == null ? "" : "The recording " + jfr.getFileName() + ": watch() and pinned() read it.\n")
                + (dump == null ? "" : dump);
    }
}
