package foreign;

import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.util.concurrent.Semaphore;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.CloseableHttpClient;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** Rooms of hotels, which a partner knows; of one that says no, only the status is read. */
public class Rooms {
    private static final CloseableHttpClient client = HttpClients.createDefault();
    private static final Semaphore calls = new Semaphore(Integer.getInteger("calls", 100), true);
    private static HttpGet partner;

    private static void rooms(ServerRequest request, ServerResponse response) throws Exception {
        String rooms = client.execute(partner, answer -> EntityUtils.toString(answer.getEntity()));
        response.send(rooms);
    }

    private static void free(ServerRequest request, ServerResponse response) throws Exception {
        var answer = client.executeOpen(null, partner, null);
        response.send(answer.getCode() == 200 ? "yes" : "no");
    }

    private static void freeAndClosed(ServerRequest request, ServerResponse response) throws Exception {
        try (var answer = client.executeOpen(null, partner, null)) {
            response.send(answer.getCode() == 200 ? "yes" : "no");
        }
    }

    private static void few(ServerRequest request, ServerResponse response) throws Exception {
        calls.acquire();
        try {
            rooms(request, response);
        } finally {
            calls.release();
        }
    }

    public static void main(String[] arguments) {
        partner = new HttpGet(arguments[1]);
        WebServer.builder()
                .host("127.0.0.1")
                .port(Integer.parseInt(arguments[0]))
                .routing(routes -> routes.get("/", (request, response) -> response.send("ok"))
                        .get("/rooms", Rooms::rooms)
                        .get("/free", Rooms::free)
                        .get("/closed", Rooms::freeAndClosed)
                        .get("/few", Rooms::few))
                .build()
                .start();
    }
}
