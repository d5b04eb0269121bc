package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client makes of answers, good and bad, of a server on plain sockets. */
@Timeout(120)
@Tag("deep")
class ClientTest {

    private static final String LARGE = "x".repeat(100_000);
    private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

    /** Does anything with a connection; returns when the connection should be closed. */
    private interface Raw {
        void serve(Socket connection) throws Exception;
    }

    private final AtomicInteger connections = new AtomicInteger();
    private final List<String> requests = new ArrayList<>();
    private final CountDownLatch end = new CountDownLatch(1);
    private ServerSocket listening;
    private Client client;

    @AfterEach
    void close() throws IOException {
        end.countDown();
        client.close();
        listening.close();
    }

    private void serve(Raw raw) throws IOException {
        listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        client = new Client(Endpoint.of("http://127.0.0.1:" + listening.getLocalPort() + "/orders"));
        Thread.startVirtualThread(() -> {
            while (!listening.isClosed()) {
                try (var connection = listening.accept()) {
                    connections.incrementAndGet();
                    connection.setTcpNoDelay(true);
                    raw.serve(connection);
                } catch (Exception e) {
                    // the client has closed, or the test is over
                }
            }
        });
    }

    /** Reads a request to its empty line; false if the client has closed. */
    private boolean request(Socket connection) throws IOException {
        var text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            int next = connection.getInputStream().read();
            if (next < 0) {
                return false;
            }
            text.append((char) next);
        }
        requests.add(text.toString());
        return true;
    }

    private static void write(Socket connection, String text) throws IOException {
        connection.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Answers each request of a connection with this text. */
    private void serve(String text) throws IOException {
        serve(connection -> {
            while (request(connection)) {
                write(connection, text);
            }
        });
    }

    private int get() throws Exception {
        return get(Duration.ofSeconds(60));
    }

    private int get(Duration timeOut) throws Exception {
        return client.get(System.nanoTime() + timeOut.toNanos());
    }

    private Failure failure(Duration timeOut) {
        return Failure.of(assertThrows(Exception.class, () -> get(timeOut)));
    }

    private static List<String> whole() {
        return List.of(
                "HTTP/1.1 200 OK\r\ncontent-length:   5  \r\n\r\nhello",
                "HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + LARGE,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\nA\r\n0123456789\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n186A0\r\n" + LARGE
                        + "\r\n0\r\nTrailer: t\r\n\r\n",
                "HTTP/1.1 100 Continue\r\n\r\n" + OK,
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + OK);
    }

    @ParameterizedTest
    @MethodSource("whole")
    void a_whole_answer_is_read_to_its_end(String answer) throws Exception {
        serve(answer);
        assertEquals(List.of(200, 200, 200), List.of(get(), get(), get()));
        assertEquals(1, connections.get(), "an answer was not read to its end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.0 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"})
    void an_answer_that_ends_with_its_connection_is_whole(String head) throws Exception {
        serve(connection -> {
            request(connection);
            write(connection, head + "hello");
        });
        assertEquals(List.of(200, 200), List.of(get(), get()));
        assertEquals(2, connections.get());
        assertEquals(0, client.takeResent());
    }

    @Test
    void a_kept_connection_that_the_server_has_closed_is_no_failure_but_is_told() throws Exception {
        serve(connection -> {
            for (int i = 0; i < 10 && request(connection); i++) {
                write(connection, OK);
            }
        });
        for (int i = 0; i < 100; i++) {
            assertEquals(200, get());
        }
        assertEquals(9, client.takeResent());
        assertEquals(0, client.takeResent());
    }

    @Test
    void the_request_has_its_path_its_query_and_its_host() throws Exception {
        serve(OK);
        var host = "localhost:" + listening.getLocalPort();
        client = new Client(Endpoint.of("http://" + host + "/ä%20b?q=1&r=%2F#part"));
        assertEquals(200, get());
        assertTrue(requests.getFirst().startsWith("GET /%C3%A4%20b?q=1&r=%2F HTTP/1.1\r\n"), requests::toString);
        assertTrue(requests.getFirst().contains("\r\nHost: " + host + "\r\n"), requests::toString);
    }

    @ParameterizedTest
    @ValueSource(strings = {"500 Internal Server Error", "404 Not Found", "204 No Content", "302 Found"})
    void any_other_status_is_told_and_a_redirect_is_not_followed(String status) throws Exception {
        serve("HTTP/1.1 " + status + "\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n");
        assertEquals(Integer.parseInt(status.substring(0, 3)), get());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "HTTP/1.1 20",
                "HTTP/1.1 200 OK\r\n",
                "HTTP/1.1 200 OK\r\nContent-Le",
                "HTTP/1.1 200 OK\r\nServer: s\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n"
            })
    void a_connection_that_is_closed_without_or_within_an_answer_is_a_reset(String part) throws Exception {
        serve(connection -> {
            request(connection);
            write(connection, part);
        });
        assertEquals(Failure.RESET, failure(Duration.ofSeconds(60)));
    }

    @Test
    void a_connection_that_is_reset_is_a_reset() throws Exception {
        serve(connection -> {
            request(connection);
            connection.setSoLinger(true, 0);
        });
        assertEquals(Failure.RESET, failure(Duration.ofSeconds(60)));
    }

    @Test
    void where_nobody_listens_it_is_refused() throws Exception {
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = new Client(Endpoint.of("http://127.0.0.1:" + listening.getLocalPort()));
        listening.close();
        assertEquals(Failure.REFUSED, failure(Duration.ofSeconds(60)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n"})
    void no_answer_in_time_is_a_time_out_also_if_it_trickles_in(String head) throws Exception {
        serve(connection -> {
            request(connection);
            write(connection, head);
            while (!head.isEmpty()) {
                write(connection, "x");
                Thread.sleep(20);
            }
            end.await();
        });
        assertEquals(Failure.TIME_OUT, failure(Duration.ofMillis(300)));
    }

    @Test
    void a_full_queue_of_connections_is_a_time_out() throws Exception {
        // no thread accepts, and the system queues only a few connections
        listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = new Client(Endpoint.of("http://127.0.0.1:" + listening.getLocalPort()));
        var others = new ArrayList<Client>();
        try {
            assertThrows(SocketTimeoutException.class, () -> {
                for (int i = 0; i < 10; i++) {
                    others.add(new Client(Endpoint.of("http://127.0.0.1:" + listening.getLocalPort())));
                    others.getLast()
                            .open(System.nanoTime() + Duration.ofMillis(300).toNanos());
                }
            });
            assertEquals(Failure.TIME_OUT, failure(Duration.ofMillis(300)));
        } finally {
            others.forEach(Client::close);
        }
    }

    @Test
    void what_is_no_http_is_another_failure() throws Exception {
        serve(connection -> {
            write(connection, "SSH-2.0-OpenSSH_9.6\r\n".repeat(2_000));
            request(connection);
            end.await();
        });
        assertEquals(Failure.OTHER, failure(Duration.ofSeconds(60)));
    }
}
