package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
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

    @Test
    void the_threads_of_the_channels_lead_to_the_connection_and_to_their_pollers() throws Exception {
        Logger.getLogger("org.dflib.jjava").setLevel(Level.WARNING);
        var connection = new JupyterConnection(
                new KernelConnectionProperties("test", 1, 2, 3, 4, 5, "inproc", "hmac-sha256", "key"));
        connection.connect();
        try {
            var cells = assertTimeoutPreemptively(
                    LIMIT, JJavaInternals::cells, "JJava has no Loop any more whose thread is called Shell-0");
            var control = assertTimeoutPreemptively(
                    LIMIT, JJavaInternals::control, "JJava has no Loop any more whose thread is called Shell-1");
            var found = new CompletableFuture<JupyterConnection>();
            JJavaInternals.withConnection(cells, (of, _) -> found.complete(of));
            assertSame(
                    connection,
                    assertTimeoutPreemptively(LIMIT, () -> found.get()),
                    "the body of JJava's loop does not hold its channel, or that does not hold its connection");
            for (var channel : new Channel[] {cells, control}) {
                int waiting = assertTimeoutPreemptively(LIMIT, () -> poll(channel));
                assertEquals(0, waiting, "the poller in JJava's loop does not count the requests that wait");
            }
        } finally {
            connection.close();
        }
    }
}
