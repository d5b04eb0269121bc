package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.kernel.KernelConnectionProperties;
import org.junit.jupiter.api.Test;
import threadlab.kernel.JJavaInternals.Channel;

/** What {@link JJavaInternals} takes from JJava exists. */
class JJavaInternalsTest {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Polls in the channel's own thread, because a socket belongs to one thread. */
    private static int poll(Channel channel) throws Exception {
        var requests = new CompletableFuture<Integer>();
        channel.loop().doNext(() -> requests.complete(channel.poll(0)));
        return requests.get();
    }

    /** A connection with its channels for cells and for interrupts. */
    private static final class Connection extends JupyterConnection {

        Connection() throws Exception {
            super(new KernelConnectionProperties("test", 1, 2, 3, 4, 5, "inproc", "hmac-sha256", "key"));
        }

        List<Channel> channels() {
            return List.of(JJavaInternals.channel(shell), JJavaInternals.channel(control));
        }
    }

    @Test
    void the_channels_of_a_connection_lead_to_their_pollers() throws Exception {
        Logger.getLogger("org.dflib.jjava").setLevel(Level.WARNING);
        var connection = new Connection();
        connection.connect();
        try {
            assertDoesNotThrow(
                    () -> JJavaInternals.keepMessagesGoing(connection.getIOPub()),
                    "a socket does not lead to the loop of the thread that sends its messages any more");
            for (var channel : assertDoesNotThrow(
                    connection::channels, "a channel has no loop, or its loop no poller and body, any more")) {
                int waiting = assertTimeoutPreemptively(LIMIT, () -> poll(channel));
                assertEquals(0, waiting, "the poller in JJava's loop does not count the requests that wait");
            }
        } finally {
            connection.close();
        }
    }
}
