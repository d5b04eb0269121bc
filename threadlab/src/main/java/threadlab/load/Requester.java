package threadlab.load;

import java.io.IOException;
import org.apache.hc.core5.http.HttpException;

/** Sends one request after the other and waits for each answer. Only one thread at a time may use it. */
interface Requester {

    /**
     * {@return the status code of the whole answer to a request that it sends}
     *
     * @param deadline when to give up, on the clock of {@link System#nanoTime}
     * @throws IOException if there is no whole answer
     * @throws HttpException if the answer is not HTTP
     */
    int get(long deadline) throws IOException, HttpException;

    /** How many requests were sent again since the last call; none by one that never does so. */
    default int takeResent() {
        return 0;
    }
}
