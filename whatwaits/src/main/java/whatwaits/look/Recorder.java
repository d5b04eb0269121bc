package whatwaits.look;

import java.io.IOException;

/** A recording of Flight Recorder in a JVM: runs from here to {@link #close}, which leaves none there. */
final class Recorder implements AutoCloseable {

    private static final String FILE = "events.jfr";

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

    /** Starts it; where that is not possible, this is noted. */
    void start() throws InterruptedException {
        long began = System.nanoTime();
        try {
            // beside a recording on disk, one in memory stays empty
            others = reach.commands.send(Reach.SOON, "JFR.check").contains("(running)");
            var where = " disk=" + others + " ";
            // a command that is not answered in time may start one all the same
            asked = true;
            var answer = reach.commands.send(Reach.SOON, "JFR.start name=" + name + where + Recording.SETTINGS);
            if (!answer.contains("Started recording")) {
                throw new IOException(Commands.line(answer));
            }
            runs = true;
            notes.took("starting Flight Recorder", began);
            if (!others) {
                notes.left().add("Flight Recorder's threads");
            }
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
