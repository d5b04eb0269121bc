package foreign;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;

/** Fares of trips, which need fares of legs: asked of the same server over HTTP/2; these a partner knows. */
public class Fares {
    private static final HttpClient inner = HttpClient.newHttpClient();
    private static final HttpClient outer =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final ReentrantReadWriteLock table = new ReentrantReadWriteLock();
    private static URI legs, partner;
    private static String fares = "none";

    interface Work {
        String answer() throws IOException, InterruptedException;
    }

    private static String ask(HttpClient client, URI where) throws IOException, InterruptedException {
        return client.send(HttpRequest.newBuilder(where).build(), BodyHandlers.ofString())
                .body();
    }

    private static String leg() throws IOException, InterruptedException {
        return ask(outer, partner);
    }

    private static String trip() throws IOException, InterruptedException {
        return "trip of " + ask(inner, legs);
    }

    private static String update() throws IOException, InterruptedException {
        table.writeLock().lock();
        try {
            return fares = leg();
        } finally {
            table.writeLock().unlock();
        }
    }

    private static String table() {
        table.readLock().lock();
        try {
            return fares;
        } finally {
            table.readLock().unlock();
        }
    }

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0]);
        legs = URI.create("http://127.0.0.1:" + port + "/leg");
        partner = URI.create(arguments[1]);
        var server = new Tomcat();
        server.setBaseDir(arguments[2]);
        server.setPort(port);
        var connector = server.getConnector();
        connector.setProperty("address", "127.0.0.1");
        connector.addUpgradeProtocol(new Http2Protocol());
        connector.getProtocolHandler().setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var context = server.addContext("", null);
        add(context, "/", () -> "ok");
        add(context, "/leg", Fares::leg);
        add(context, "/trip", Fares::trip);
        add(context, "/update", Fares::update);
        add(context, "/table", Fares::table);
        server.start();
    }

    private static void add(org.apache.catalina.Context context, String path, Work work) {
        Tomcat.addServlet(context, path, new HttpServlet() {
            @Override
            protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
                try {
                    response.getWriter().print(work.answer());
                } catch (InterruptedException e) {
                    response.setStatus(503);
                }
            }
        });
        context.addServletMappingDecoded(path, path);
    }
}
