package threadlab.load;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.stream.IntStream;

/**
 * Warms up the generator on a server of its own. A JVM's first requests take a hundred times as long as later ones, and
 * that time is not the measured server's.
 */
final class Practice {

    private static final int REQUESTS = 1_000;
    private static final int CLIENTS = 8;
    private static final Duration LONGEST = Duration.ofSeconds(5);
    private static final Duration REHEARSAL = Duration.ofMillis(300);

    private static final byte[] ANSWER = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nok"
            .getBytes(StandardCharsets.US_ASCII);

    private Practice() {}

    static void run() throws IOException, InterruptedException {
        try (var server = serve()) {
            var clients = IntStream.range(0, CLIENTS)
                    .mapToObj(i -> new Client(target(server)))
                    .toList();
            ClosedLoop.run(Plan.closed(target(server), CLIENTS, REQUESTS, LONGEST), clients, new Tally(0));
            clients.forEach(Client::close);
        }
    }

    /**
     * What the set-up runs once so that later load generators start faster: a load of each kind, while the JVM records
     * which classes it needs and how these are linked (JEP 483).
     *
     * @param args none
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        try (var server = serve()) {
            run();
            Generator.run(Plan.closed(target(server), 1, 0, REHEARSAL));
            Generator.run(Plan.open(target(server), 10, 1, 0, REHEARSAL));
        }
    }

    /** A server that answers until it is closed. */
    private static ServerSocket serve() throws IOException {
        var server = new ServerSocket(0, CLIENTS, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(() -> accept(server));
        return server;
    }

    private static Endpoint target(ServerSocket server) {
        return new Endpoint(server.getInetAddress().getHostAddress(), server.getLocalPort(), "practice", "/");
    }

    private static void accept(ServerSocket server) {
        try {
            while (true) {
                var connection = server.accept();
                Thread.startVirtualThread(() -> answer(connection));
            }
        } catch (IOException e) {
            // the end of the practice closes the server
        }
    }

    /** Answers requests that have no body, until the client closes. */
    private static void answer(Socket connection) {
        try (connection) {
            connection.setTcpNoDelay(true);
            var in = connection.getInputStream();
            var bytes = new byte[4_096];
            int length = 0;
            for (int n = in.read(bytes); n > 0; n = in.read(bytes, length, bytes.length - length)) {
                length += n;
                if (new String(bytes, 0, length, StandardCharsets.US_ASCII).endsWith("\r\n\r\n")) {
                    connection.getOutputStream().write(ANSWER);
                    length = 0;
                }
            }
        } catch (IOException e) {
            // the client has gone
        }
    }
}
