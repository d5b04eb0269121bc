package foreign;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.RequestLimit;
import io.undertow.server.handlers.RequestLimitingHandler;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** Where is my parcel? A carrier knows, and is asked by Apache's client with five connections, as it comes, or more. */
public class Parcels {
    private static final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private static final ReentrantLock book = new ReentrantLock();
    private static CloseableHttpClient client;
    private static String partner;
    private static int booked;

    interface Work {
        String answer() throws Exception;
    }

    private static String track() throws Exception {
        return client.execute(new HttpGet(partner), answer -> EntityUtils.toString(answer.getEntity()));
    }

    private static String book() throws Exception {
        book.lock();
        try {
            track();
            return "parcel " + ++booked;
        } finally {
            book.unlock();
        }
    }

    private static HttpHandler on(Work work) {
        return request -> request.dispatch(threads, () -> run(request, work));
    }

    private static void run(HttpServerExchange request, Work work) {
        request.startBlocking();
        try {
            request.getResponseSender().send(work.answer());
        } catch (Exception failed) {
            request.setStatusCode(502).endExchange();
        }
    }

    public static void main(String[] arguments) {
        partner = arguments[1];
        int connections = Integer.getInteger("connections", 5);
        var pool = PoolingHttpClientConnectionManagerBuilder.create();
        client = HttpClients.custom()
                .setConnectionManager(pool.setMaxConnTotal(connections).setMaxConnPerRoute(connections).build())
                .build();
        var limit = new RequestLimit(Integer.getInteger("limit", 1_000), 10_000);
        Undertow.builder()
                .addHttpListener(Integer.parseInt(arguments[0]), "127.0.0.1")
                .setHandler(Handlers.routing()
                        .get("/", request -> request.getResponseSender().send("ok"))
                        .get("/track", new RequestLimitingHandler(limit, on(Parcels::track)))
                        .get("/book", on(Parcels::book)))
                .build()
                .start();
    }
}
