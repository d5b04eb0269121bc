package whatwaits.look;

import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import whatwaits.rules.Requests;

/**
 * A load on a service of this machine: so many requests a second, whether or not earlier ones have ended, and never more
 * than {@link #INSIDE} at the same time. Counts those that end while it lasts.
 */
public final class BoundedLoad implements Callable<Requests> {

    /** At most this many requests a second. */
    public static final int FASTEST = 2_000;

    /** At most this many requests at the same time. */
    public static final int INSIDE = 1_000;

    private final URI url;
    private final int perSecond;
    private final Duration time;
    private final DoubleSummaryStatistics latency = new DoubleSummaryStatistics();
    private final AtomicInteger inside = new AtomicInteger();
    private int failed;
    private int left;
    private boolean over;

    /**
     * Plans a load.
     *
     * @param address on the loopback interface
     * @param perSecond from 1 to {@link #FASTEST}
     * @param time how long
     * @throws IllegalArgumentException if the address is another one, or the rate outside these bounds
     */
    public BoundedLoad(String address, int perSecond, Duration time) {
        url = Metrics.onThisMachine(address, "http://127.0.0.1:8080/");
        if (perSecond < 1 || perSecond > FASTEST) {
            throw new IllegalArgumentException(
                    "--rate=%d is not from 1 to %,d requests a second".formatted(perSecond, FASTEST));
        }
        this.perSecond = perSecond;
        this.time = time;
    }

    @Override
    public Requests call() throws InterruptedException {
        try (var client = HttpClient.newBuilder()
                .proxy(ProxySelector.of(null))
                .version(HttpClient.Version.HTTP_1_1)
                .build()) {
            long start = System.nanoTime();
            for (long i = 0; System.nanoTime() - start < time.toNanos(); i++) {
                Thread.sleep(Duration.ofNanos(Math.max(0, start + i * 1_000_000_000L / perSecond - System.nanoTime())));
                if (inside.get() >= INSIDE) {
                    left++;
                } else {
                    inside.incrementAndGet();
                    Thread.ofVirtual().start(() -> send(client));
                }
            }
            var ended = ended(start);
            client.shutdownNow();
            return ended;
        }
    }

    private synchronized Requests ended(long start) {
        over = true;
        double seconds = (System.nanoTime() - start) / 1e9;
        var source = "the load of %d a second on %s".formatted(perSecond, url)
                + (failed > 0 ? "; %,d requests failed".formatted(failed) : "")
                + (left > 0 ? "; %,d were not sent, because %,d were inside".formatted(left, INSIDE) : "");
        double mean = latency.getCount() == 0 ? Double.NaN : latency.getAverage();
        return new Requests(latency.getCount(), seconds, mean, source, List.of());
    }

    private void send(HttpClient client) {
        long sent = System.nanoTime();
        try {
            var answer = client.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.discarding());
            ended(sent, answer.statusCode() < 400);
        } catch (IOException e) {
            ended(sent, false);
        } catch (InterruptedException e) {
            // the load has ended
        } finally {
            inside.decrementAndGet();
        }
    }

    private synchronized void ended(long sent, boolean served) {
        if (over) {
            // broken off by this load's end
            return;
        }
        if (!served) {
            failed++;
        } else {
            latency.accept((System.nanoTime() - sent) / 1e9);
        }
    }
}
