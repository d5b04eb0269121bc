package whatwaits.look;

import java.io.IOException;
import java.time.Duration;

/** A recording of Flight Recorder in a JVM: runs from here to {@link #close}, which leaves none there. */
final class Recorder implements AutoCloseable {

    private static final String FILE = "events.jfr";

    /** What the JVM would write when nobody has stopped the recording. */
    private static final String UNREAD = "unread.jfr";

    /** After twice the time of a look, on a machine on which everything takes long. */
    private static final Duration LATE = Duration.ofSeconds(60);

    private final Reach reach;
    private final Folder folder;
    private final Notes notes;
    private final String name = Reach.newName();

    /** Whether somebody else records there, too. */
    private boolean others;

    /** Whether it may run there. */
    private boolean asked;

    private boolean runs;

    Recorder(Reach reach, Folder folder, Notes notes) {
        this.reach = reach;
        this.folder = folder;
        this.notes = notes;
    }

    /**
     * Starts it; where that is not possible, this is noted. If this command is killed, it ends by itself some time later.
     *
     * @param time how long the look takes
     */
    void start(Duration time) throws InterruptedException {
        long began = System.nanoTime();
        try {
            // beside a recording on disk, one in memory stays empty
            others = reach.commands.send(Reach.SOON, "JFR.check").contains("(running)");
            var end = time.multipliedBy(2).plus(LATE).toSeconds();
            var where = " disk=%s duration=%ds filename=%s ".formatted(others, end, folder.file(UNREAD));
            // a command that is not answered in time may start one all the same
            asked = true;
            var answer = reach.commands.send(Reach.SOON, "JFR.start name=" + name + where + Recording.SETTINGS);
            if (!answer.contains("Started recording")) {
                throw new IOException(Commands.line(answer));
            }
            runs = true;
            notes.took("starting Flight Recorder", began);
            notes.left()
                    .add(
                            others
                                    ? "the folder that Flight Recorder has among its temporary files beside another recording"
                                    : "Flight Recorder's threads");
        } catch (IOException e) {
            notes.missed("pins, files and pauses: it has no Flight Recorder (%s)", e.getMessage());
        }
    }

    boolean runs() {
        return runs;
    }

    /** {@return what it has recorded; null if that cannot be read, which is noted} Ends it. */
    byte[] stop() throws IOException, InterruptedException {
        long began = System.nanoTime();
        reach.commands.send(Reach.SOON, "JFR.stop name=%s filename=%s".formatted(name, folder.file(FILE)));
        asked = false;
        try {
            var all = folder.read(FILE);
            var own = others ? Recording.ownEvents(all) : all;
            notes.took("reading the recording", began);
            return own;
        } catch (IOException e) {
            notes.missed("pins, files and pauses: %s", e.getMessage());
            return null;
        }
    }

    @Override
    public void close() {
        if (asked) {
            try {
                reach.commands.send(Reach.SOON, "JFR.stop name=" + name);
            } catch (IOException e) {
                // ended with the JVM
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
