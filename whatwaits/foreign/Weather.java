package foreign;

import io.vertx.core.*;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Callable;
import org.apache.hc.client5.http.classic.methods.HttpGet;
import org.apache.hc.client5.http.impl.classic.*;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.apache.hc.core5.http.io.entity.EntityUtils;

/** A partner knows the weather; it is asked on Vert.x's workers, by an older route on the event loop. */
public class Weather extends VerticleBase {
    private static CloseableHttpClient client;
    private static int port;
    private static String partner;

    private static String ask() throws Exception {
        return client.execute(new HttpGet(partner), answer -> EntityUtils.toString(answer.getEntity()));
    }

    private static String mean() {
        long sum = 0;
        for (int i = 0; i < Integer.getInteger("days", 10_000); i++) {
            sum += Integer.toString(i).hashCode();
        }
        return "mean " + sum;
    }

    private void onWorker(RoutingContext request, Callable<String> work) {
        vertx.executeBlocking(work, false).onSuccess(request::end).onFailure(request::fail);
    }

    @Override
    public Future<?> start() {
        var router = Router.router(vertx);
        router.get("/").handler(request -> request.end("ok"));
        router.get("/today").handler(request -> onWorker(request, Weather::ask));
        router.get("/mean").handler(request -> onWorker(request, Weather::mean));
        router.get("/old").handler(request -> {
            try {
                request.end(ask());
            } catch (Exception e) {
                request.fail(e);
            }
        });
        return vertx.createHttpServer().requestHandler(router).listen(port, "127.0.0.1");
    }

    public static void main(String[] arguments) {
        port = Integer.parseInt(arguments[0]);
        partner = arguments[1];
        int connections = Integer.getInteger("connections", 50);
        var pool = PoolingHttpClientConnectionManagerBuilder.create();
        client = HttpClients.custom()
                .setConnectionManager(pool.setMaxConnTotal(connections).setMaxConnPerRoute(connections).build())
                .build();
        int loops = Integer.getInteger("loops", 2);
        var options = new VertxOptions().setEventLoopPoolSize(loops).setWorkerPoolSize(Integer.getInteger("workers", 20));
        Vertx.vertx(options).deployVerticle(Weather.class, new DeploymentOptions().setInstances(loops));
    }
}
