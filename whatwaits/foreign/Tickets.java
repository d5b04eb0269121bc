package foreign;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import okhttp3.Call;
import okhttp3.Callback;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Tickets for shows: a partner knows the seats, and is asked by OkHttp. */
public class Tickets {
    private static final OkHttpClient client = new OkHttpClient();
    private static final ConcurrentHashMap<String, Show> shows = new ConcurrentHashMap<>();
    private static Request partner;

    static class Show {
        int sold;
    }

    private static String seats() throws IOException {
        try (var answer = client.newCall(partner).execute()) {
            return answer.body().string();
        }
    }

    private static String later() throws Exception {
        var seats = new CompletableFuture<String>();
        client.newCall(partner).enqueue(new Callback() {
            @Override
            public void onFailure(Call call, IOException failure) {
                seats.completeExceptionally(failure);
            }

            @Override
            public void onResponse(Call call, Response answer) throws IOException {
                try (answer) {
                    seats.complete(answer.body().string());
                }
            }
        });
        return seats.get();
    }

    private static String buy(String name) throws IOException {
        var show = shows.computeIfAbsent(name, it -> new Show());
        synchronized (show) {
            seats();
            return "ticket " + ++show.sold;
        }
    }

    private static String answer(String path) throws Exception {
        return switch (path) {
            case "/seats" -> seats();
            case "/later" -> later();
            case "/" -> "ok";
            default -> buy(path);
        };
    }

    public static void main(String[] arguments) throws Exception {
        partner = new Request.Builder().url(arguments[1]).build();
        var threads = new QueuedThreadPool();
        threads.setVirtualThreadsExecutor(Executors.newVirtualThreadPerTaskExecutor());
        var server = new Server(threads);
        var connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.setPort(Integer.parseInt(arguments[0]));
        server.addConnector(connector);
        server.setHandler(new Handler.Abstract() {
            @Override
            public boolean handle(
                    org.eclipse.jetty.server.Request request,
                    org.eclipse.jetty.server.Response response,
                    org.eclipse.jetty.util.Callback callback)
                    throws Exception {
                String text = answer(request.getHttpURI().getPath());
                Content.Sink.write(response, true, text, callback);
                return true;
            }
        });
        server.start();
    }
}
