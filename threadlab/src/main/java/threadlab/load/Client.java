package threadlab.load;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.ClassicHttpResponse;
import org.apache.hc.core5.http.ConnectionClosedException;
import org.apache.hc.core5.http.HttpException;
import org.apache.hc.core5.http.NoHttpResponseException;
import org.apache.hc.core5.http.config.Http1Config;
import org.apache.hc.core5.http.impl.io.DefaultBHttpClientConnection;
import org.apache.hc.core5.http.impl.io.HttpRequestExecutor;
import org.apache.hc.core5.http.io.entity.EntityUtils;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.apache.hc.core5.http.protocol.HttpCoreContext;
import org.apache.hc.core5.io.CloseMode;

/**
 * One client with one connection, which it keeps open, and reopens when the server has closed it. Only one thread at a
 * time may use it.
 *
 * <p>It uses Apache HttpCore's blocking connection, because a generator's own CPU time distorts what it measures. CPU
 * time per request at 2,000 requests per second, 100 clients, on 2 CPUs, in JVMs with the options of {@link Load}: the
 * JDK's HttpClient 150 µs, Apache HttpClient 90 µs, HttpCore 63 µs; a reader of a few lines that handles no chunks,
 * interim answers or closed connections still takes 45 µs, so writing our own would gain little.
 */
final class Client implements Requester, AutoCloseable {

    /** Small, since there may be thousands; a longer body is read in several steps. */
    private static final Http1Config CONFIG =
            Http1Config.custom().setBufferSize(2_048).build();

    private static final HttpRequestExecutor HTTP = new HttpRequestExecutor();

    private final InetSocketAddress server;
    private final ClassicHttpRequest request;
    private final HttpCoreContext context = HttpCoreContext.create();
    private DeadlineSocket socket;
    private DefaultBHttpClientConnection connection;
    private boolean reused;
    private int resent;

    Client(Endpoint target) {
        server = target.socketAddress();
        request = new BasicClassicHttpRequest("GET", target.path());
        request.addHeader("Host", target.authority());
        request.addHeader("User-Agent", "threadlab");
        request.addHeader("Accept", "*/*");
    }

    /** Opens the connection if it is not open; gives up at a deadline on the clock of {@link System#nanoTime}. */
    void open(long deadline) throws IOException {
        if (connection != null && connection.isOpen()) {
            return;
        }
        socket = new DeadlineSocket();
        try {
            socket.deadline = deadline;
            socket.setTcpNoDelay(true);
            socket.connect(server, socket.millisLeft());
            connection = new DefaultBHttpClientConnection(CONFIG);
            connection.bind(socket);
            reused = false;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * {@inheritDoc}
     *
     * <p>A server may close a kept connection at any time, without notice. The client finds out when a request gets not
     * even one byte in answer. It counts that request and sends it again on a new connection, as every client does and
     * RFC 9112, 9.3.1, allows for a request that changes nothing.
     */
    @Override
    public int get(long deadline) throws IOException, HttpException {
        open(deadline);
        try {
            return exchange(deadline);
        } catch (NoHttpResponseException | SocketException e) {
            if (!reused || socket.answered) {
                throw e;
            }
            try {
                open(deadline);
                resent++;
                return exchange(deadline);
            } catch (SocketTimeoutException late) {
                throw late;
            } catch (IOException again) {
                // the first failure is what happened to the client's request
                throw e;
            }
        }
    }

    @Override
    public int takeResent() {
        int taken = resent;
        resent = 0;
        return taken;
    }

    private int exchange(long deadline) throws IOException, HttpException {
        socket.deadline = deadline;
        socket.answered = false;
        boolean keep = false;
        try (ClassicHttpResponse response = HTTP.execute(request, connection, context)) {
            var body = response.getEntity();
            // HttpCore accepts a truncated head as a whole one
            boolean whole = !socket.ended;
            EntityUtils.consume(body);
            // only a body without a stated length may end with the connection
            whole &= !socket.ended || body != null && !body.isChunked();
            if (!whole) {
                throw new ConnectionClosedException("the connection was closed in the middle of the answer");
            }
            keep = HTTP.keepAlive(request, response, connection, context);
            return response.getCode();
        } catch (HttpException e) {
            if (socket.ended) {
                throw new ConnectionClosedException("the connection was closed in the middle of the answer", e);
            }
            throw e;
        } finally {
            reused |= keep;
            if (!keep) {
                close();
            }
        }
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close(CloseMode.GRACEFUL);
        }
    }

    /** A socket whose reads end at a deadline, however slowly the answer trickles in. It never uses a proxy. */
    private static final class DeadlineSocket extends Socket {
        private long deadline;
        private boolean answered;
        private boolean ended;

        DeadlineSocket() {
            super(Proxy.NO_PROXY);
        }

        private int millisLeft() throws SocketTimeoutException {
            long nanos = deadline - System.nanoTime();
            if (nanos <= 0) {
                throw new SocketTimeoutException("time-out");
            }
            return (int) (1 + nanos / 1_000_000);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    setSoTimeout(millisLeft());
                    int n = super.read(bytes, from, length);
                    answered |= n > 0;
                    ended |= n < 0;
                    return n;
                }
            };
        }
    }
}
