package whatwaits.look;

import java.io.IOException;

/** Where a JVM writes files that are read here; closing it leaves none there. */
interface Folder extends AutoCloseable {

    /** A file that the JVM can write, as it names it. */
    String file(String name);

    /**
     * {@return what the JVM wrote} The file is removed.
     *
     * @throws IOException if it cannot be read, or must not be
     */
    byte[] read(String name) throws IOException, InterruptedException;

    /** How many bytes are free there. */
    long room() throws IOException;

    @Override
    void close();
}
