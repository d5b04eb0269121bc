package threadlab.load;

import java.io.IOException;
import org.apache.hc.core5.http.HttpException;

/** Sends one request after the other and waits for each answer. Only one thread at a time may use it. */
interface Requester {

    /**
     * Sends the request and reads the whole answer.
     *
     * @param deadline when to give up, on the clock of {@link System#nanoTime}
     * @return the status code
     * @throws IOException if there is no whole answer
     * @throws HttpException if the answer is not HTTP
     */
    int get(long deadline) throws IOException, HttpException;

    /** How many requests were sent again since the last call; none by one that never does so. */
    default int takeResent() {
        return 0;
    }
}
