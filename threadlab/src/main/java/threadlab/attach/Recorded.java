package threadlab.attach;

import java.nio.file.Path;
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
        return new Recorded(jfr, dump == null ? null : DumpFile.read(dump));
    }

    /**
     * What the recording tells over time.
     *
     * @return columns {@code seconds} (since the recording's first event), {@code platform threads}, {@code CPUs},
     *     {@code GC (ms)}; missing where the recording lacks the events
     * @throws IllegalStateException if there is no recording
     */
    public Table watch() {
        throw new UnsupportedOperationException("soon");
    }

    /**
     * The pins in the recording, and those that the dump shows.
     *
     * @return the columns of {@link Jvm#pinned}
     */
    public Table pinned() {
        throw new UnsupportedOperationException("soon");
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
}
