import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.startup.Tomcat;
import threadlab.child.Parent;

/**
 * A Tomcat on virtual threads, to be started with a tracing agent and without.
 *
 * <p>Arguments: how long a request to {@code /wait} waits (ms). It answers with its port, and with the CPU time that it
 * needed until then. {@code /seen} answers with the header {@code traceparent} of the request; {@code /call?from=…} calls
 * it, on a thread of some kind, and passes on what was seen; {@code /turns?n=…} lets two virtual threads wait for each
 * other, n times each, and answers with the bytes that the JVM allocates for a wait.
 */
class Traced {

    record Ready(int port, double cpuSeconds) {}

    static int ms;
    static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static String handle(HttpServletRequest request) throws Exception {
        return switch (request.getPathInfo()) {
            case "/wait" -> {
                Thread.sleep(ms);
                yield "done";
            }
            case "/seen" -> String.valueOf(request.getHeader("traceparent"));
            case "/call" -> {
                var seen = URI.create("http://127.0.0.1:" + request.getLocalPort() + "/seen");
                var ask = HttpRequest.newBuilder(seen).build();
                yield from(
                        request.getParameter("from"),
                        () -> CLIENT.send(ask, HttpResponse.BodyHandlers.ofString()).body());
            }
            case "/turns" -> String.valueOf(turns(Integer.parseInt(request.getParameter("n"))));
            default -> throw new IllegalArgumentException(request.getPathInfo());
        };
    }

    /** Makes a call on a thread of some kind. */
    static String from(String kind, Callable<String> call) throws Exception {
        var task = new FutureTask<>(call);
        switch (kind) {
            case "handler" -> task.run();
            case "executor" -> {
                try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                    threads.submit(task);
                }
            }
            case "async" -> {
                return CompletableFuture.supplyAsync(() -> {
                            try {
                                return call.call();
                            } catch (Exception e) {
                                throw new CompletionException(e);
                            }
                        })
                        .get();
            }
            case "fork" -> { // by reflection, since it is a preview, which this file is compiled without
                var type = Class.forName("java.util.concurrent.StructuredTaskScope");
                try (var scope = (AutoCloseable) type.getMethod("open").invoke(null)) {
                    type.getMethod("fork", Runnable.class).invoke(scope, task);
                    type.getMethod("join").invoke(scope);
                }
            }
            case "start" -> Thread.startVirtualThread(task);
            case "platform" -> Thread.ofPlatform().start(task);
            default -> throw new IllegalArgumentException(kind);
        }
        return task.get();
    }

    /** The bytes that the JVM allocates for a wait of one of two virtual threads for the other, with its wake-up. */
    static double turns(int n) throws InterruptedException {
        var jvm = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var there = new Semaphore(0);
        var back = new Semaphore(0);
        long bytes = jvm.getTotalThreadAllocatedBytes();
        var other = Thread.startVirtualThread(() -> {
            for (int i = 0; i < n; i++) {
                there.acquireUninterruptibly();
                back.release();
            }
        });
        for (int i = 0; i < n; i++) {
            there.release();
            back.acquireUninterruptibly();
        }
        other.join();
        return (jvm.getTotalThreadAllocatedBytes() - bytes) / 2.0 / n;
    }

    static int start() throws Exception {
        var server = new Tomcat();
        var folder = Files.createTempDirectory("tomcat"); // it needs one to start, for pages that are compiled
        server.setBaseDir(folder.toString());
        server.setPort(0);
        var context = server.addContext("", null);
        Tomcat.addServlet(context, "all", new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                try {
                    response.getOutputStream().write(handle(request).getBytes());
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        });
        context.addServletMappingDecoded("/*", "all");
        var connector = server.getConnector();
        connector.setProperty("address", "127.0.0.1");
        connector.getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.start();
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        return connector.getLocalPort();
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        Logger.getLogger("").setLevel(Level.WARNING);
        ms = Integer.parseInt(arguments[0]);
        int port = start();
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        Parent.answer(new Ready(port, system.getProcessCpuTime() / 1e9));
        Thread.sleep(Long.MAX_VALUE); // until the notebook ends it
    }
}
