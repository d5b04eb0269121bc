package threadlab.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Map;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * What the set-up runs once so that a server in a separate JVM starts in half the time: an application on each kind of
 * thread, and a reactive one. Each gets a few requests while the JVM records which classes they need and how these are
 * linked (JEP 483).
 */
final class Rehearsal {

    private static final int REQUESTS = 20;

    private Rehearsal() {}

    /** Answers as the notebooks' controllers do: with a list, as JSON. */
    @RestController
    static final class Resource {

        @GetMapping("/")
        List<Map<String, Integer>> all() {
            return List.of(Map.of("id", 1));
        }
    }

    /**
     * Starts each application, sends it requests and closes it.
     *
     * @param args none
     * @throws Exception if one does not start or does not answer
     */
    public static void main(String[] args) throws Exception {
        // no database listens there, and none is needed until a connection is requested
        ask(LocalServer.of("with a data source", Resource.class)
                .set("spring.datasource.url", "jdbc:postgresql://127.0.0.1:1/none"));
        ask(LocalServer.of("virtual", Resource.class).set("spring.threads.virtual.enabled", true));
        ask(LocalServer.of("reactive", Resource.class).set("spring.main.web-application-type", "reactive"));
    }

    private static void ask(LocalServer.Builder application) throws IOException, InterruptedException {
        try (var client = HttpClient.newHttpClient();
                var server = application.start()) {
            var request = HttpRequest.newBuilder(URI.create(server.url("/"))).build();
            for (int i = 0; i < REQUESTS; i++) {
                client.send(request, BodyHandlers.discarding());
            }
        }
    }
}
