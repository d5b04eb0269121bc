import io.helidon.webserver.WebServer;
import io.undertow.Undertow;
import io.undertow.server.DefaultByteBufferPool;
import io.undertow.server.HttpHandler;
import io.undertow.server.handlers.RequestLimit;
import io.undertow.server.handlers.RequestLimitingHandler;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.startup.Tomcat;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ThreadLimitHandler;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import threadlab.child.Parent;

/**
 * One handler on four servers, each with a virtual thread for a request: it waits, and answers {@code done}.
 *
 * <p>Arguments: the server (Tomcat, Jetty, Helidon, Undertow, or "Undertow as it comes"), how long a request waits
 * (ms), and the most requests at a time by the server's own limit. It is started without the limit and, at another
 * port, with it. Then {@code "hold"} lets requests wait, however long, until {@code "go"}; these and any other question
 * are answered with what the handler and the JVM held before. It ends when its standard input closes.
 */
class WebServers {

    record Ready(int port, int limited) {}

    /** The requests in the handler, and the JVM's direct buffers. */
    record Holds(int requests, double directKb) {}

    static int ms;
    static final AtomicInteger INSIDE = new AtomicInteger();
    static final CountDownLatch OPEN = new CountDownLatch(0);
    static volatile CountDownLatch gate = OPEN;
    static final byte[] DONE = "done".getBytes();

    /** What a request does, on a virtual thread. */
    static byte[] handle() throws IOException {
        if (!Thread.currentThread().isVirtual()) {
            throw new IOException("this request runs on " + Thread.currentThread());
        }
        INSIDE.incrementAndGet();
        try {
            var shut = gate;
            if (shut == OPEN) {
                Thread.sleep(ms);
            } else {
                shut.await();
            }
            return DONE;
        } catch (InterruptedException e) {
            throw new IOException(e);
        } finally {
            INSIDE.decrementAndGet();
        }
    }

    static Holds answer(String question) {
        double direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        var holds = new Holds(INSIDE.get(), direct / 1e3);
        var before = gate;
        if (question.equals("hold")) {
            gate = new CountDownLatch(1);
        } else if (question.equals("go")) {
            gate = OPEN;
            before.countDown();
        }
        return holds;
    }

    static int tomcat(int limit) throws Exception {
        var server = new Tomcat();
        var folder = Files.createTempDirectory("tomcat"); // it needs one to start, for pages that are compiled
        server.setBaseDir(folder.toString());
        server.setPort(0);
        server.getEngine().setName("limit " + limit); // two in one JVM need two names
        var context = server.addContext("", null);
        Tomcat.addServlet(context, "wait", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                response.getOutputStream().write(handle());
            }
        });
        context.addServletMappingDecoded("/", "wait");
        var connector = server.getConnector();
        connector.setProperty("address", "127.0.0.1");
        connector.setProperty("acceptCount", "1000");
        if (limit > 0) {
            connector.setProperty("maxConnections", String.valueOf(limit));
        }
        connector.getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        return connector.getLocalPort();
    }

    static int jetty(int limit) throws Exception {
        var pool = new QueuedThreadPool(20);
        pool.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(pool);
        var connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setAcceptQueueSize(1_000);
        server.addConnector(connector);
        Handler handler = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) throws Exception {
                response.write(true, ByteBuffer.wrap(WebServers.handle()), callback);
                return true;
            }
        };
        server.setHandler(limit > 0 ? limited(limit, handler) : handler);
        server.start();
        return connector.getLocalPort();
    }

    static Handler limited(int limit, Handler handler) {
        var limiting = new ThreadLimitHandler(); // by the address of a client: all of these have the same
        limiting.setThreadLimit(limit);
        limiting.setHandler(handler);
        return limiting;
    }

    static int helidon(int limit) {
        var server = WebServer.builder().host("127.0.0.1").port(0).backlog(1_000).shutdownHook(false);
        if (limit > 0) {
            server.maxConcurrentRequests(limit);
        }
        return server.routing(routes -> routes.get("/", (request, response) -> response.send(handle())))
                .build().start().port();
    }

    static int undertow(int limit, boolean asItComes) {
        var threads = Executors.newVirtualThreadPerTaskExecutor();
        HttpHandler waits = exchange -> exchange.dispatch(threads, () -> {
            try {
                exchange.startBlocking();
                exchange.getOutputStream().write(handle());
                exchange.endExchange();
            } catch (IOException e) {
                exchange.setStatusCode(500).endExchange();
            }
        });
        var handler = limit > 0 ? new RequestLimitingHandler(new RequestLimit(limit), waits) : waits;
        var builder = Undertow.builder().addHttpListener(0, "127.0.0.1").setHandler(handler);
        if (!asItComes) {
            // as it comes, it keeps buffers for each thread's next request, and a virtual thread has none
            builder.setByteBufferPool(new DefaultByteBufferPool(true, 16_384, 1_000, 0));
        }
        var server = builder.build();
        server.start();
        return ((InetSocketAddress) server.getListenerInfo().getFirst().getAddress()).getPort();
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        Logger.getLogger("").setLevel(Level.WARNING);
        ms = Integer.parseInt(arguments[1]);
        int limit = Integer.parseInt(arguments[2]);
        var name = arguments[0];
        Parent.answer(new Ready(start(name, 0), start(name, limit)));
        Parent.answerQuestions(String.class, WebServers::answer);
        System.exit(0);
    }

    static int start(String name, int limit) throws Exception {
        return switch (name) {
            case "Tomcat" -> tomcat(limit);
            case "Jetty" -> jetty(limit);
            case "Helidon" -> helidon(limit);
            case "Undertow" -> undertow(limit, false);
            case "Undertow as it comes" -> undertow(limit, true);
            default -> throw new IllegalArgumentException("no server " + name);
        };
    }
}
