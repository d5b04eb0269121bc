package whatwaits.look;

import java.io.IOException;
import java.time.Duration;

/** The way to one JVM: sends it the diagnostic commands of {@code jcmd}, and gets their texts. */
interface Commands {

    /** The largest text or file that is read. */
    int MOST = 256 << 20;

    /**
     * {@return what the JVM answers}
     *
     * @param most how long that may take
     * @param command with its arguments, such as {@code Thread.print -e}
     * @throws IOException if the JVM refuses the command, does not answer in time, or has ended; with one line
     * @throws InterruptedException if this thread is interrupted
     */
    String send(Duration most, String command) throws IOException, InterruptedException;

    /** The first line of a text. */
    static String line(String text) {
        return String.valueOf(text).strip().replaceFirst("(?s)\\R.*", "");
    }

    /** What was not answered in time. */
    static IOException late(Duration most) {
        return new IOException("it did not answer within %.1f s".formatted(most.toMillis() / 1e3));
    }
}
