package foreign;

import io.helidon.config.Config;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.locks.ReentrantLock;

/** Prices, which a partner knows: asked each time, or kept for a second. */
public class Prices {
    private static final HttpClient client = HttpClient.newHttpClient();
    private static final ReentrantLock lock = new ReentrantLock();
    private static URI partner;
    private static String kept = "";
    private static long since;

    private static String ask() throws Exception {
        return client.send(HttpRequest.newBuilder(partner).build(), BodyHandlers.ofString())
                .body();
    }

    private static void fresh(ServerRequest request, ServerResponse response) throws Exception {
        response.send(ask());
    }

    private static void kept(ServerRequest request, ServerResponse response) throws Exception {
        lock.lock();
        try {
            if (System.nanoTime() - since > 1_000_000_000L) {
                kept = ask();
                since = System.nanoTime();
            }
            response.send(kept);
        } finally {
            lock.unlock();
        }
    }

    public static void main(String[] arguments) {
        partner = URI.create(arguments[0]);
        WebServer.builder()
                .config(Config.create().get("server"))
                .routing(routes -> routes.get("/", (request, response) -> response.send("ok"))
                        .get("/fresh", Prices::fresh)
                        .get("/kept", Prices::kept))
                .build()
                .start();
    }
}
