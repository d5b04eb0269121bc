package threadlab.load;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Base64;

/**
 * What the notebook's JVM and the generator's send each other: a whole record, serialized, as one line of text. Both
 * run the same classes, so a change to a record takes effect on both sides.
 */
sealed interface Message extends Serializable permits Plan, LoadProgressUpdate, Moments, LoadResult {

    /** How a line that is a message begins. */
    String BEGIN = "load:";

    /** This message as a line. */
    default String line() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return BEGIN + Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * Reads a line.
     *
     * @return the message; null if the line is other printed output
     */
    static Message of(String line) {
        if (!line.startsWith(BEGIN)) {
            return null;
        }
        var bytes = Base64.getDecoder().decode(line.substring(BEGIN.length()));
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (Message) in.readObject();
        } catch (IOException | ClassNotFoundException e) {
            throw new IllegalStateException("a message of the load generator cannot be read", e);
        }
    }
}
