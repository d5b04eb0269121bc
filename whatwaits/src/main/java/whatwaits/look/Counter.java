package whatwaits.look;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import whatwaits.rules.Requests;

/** Counts the requests of a service on this machine, by its access log or by its metrics, for some time. */
public final class Counter implements Callable<Requests> {

    private final String source;
    private final Duration time;

    /**
     * Plans to count.
     *
     * @param source the file of a Tomcat access log, or the URL of metrics on this machine, as {@link Jvm#endpoint} takes
     *     them
     * @param time how long
     * @throws IllegalArgumentException if it is neither
     */
    public Counter(String source, Duration time) {
        this.source = source;
        this.time = time;
        if (isUrl()) {
            Metrics.onThisMachine(source, "http://127.0.0.1:8080/actuator/prometheus");
        } else if (!Files.isRegularFile(Path.of(source))) {
            throw new IllegalArgumentException(source
                    + " is neither a file nor a URL: name an access log of Tomcat, or"
                    + " http://127.0.0.1:8080/actuator/prometheus");
        }
    }

    private boolean isUrl() {
        return source.matches("(?i)https?://.*");
    }

    @Override
    public Requests call() throws InterruptedException {
        if (!isUrl()) {
            try (var log = new AccessLog(Path.of(source))) {
                Thread.sleep(time);
                return log.requests();
            }
        }
        try (var metrics = new Metrics(source)) {
            var before = metrics.read();
            long start = System.nanoTime();
            Thread.sleep(time);
            return metrics.between(before, metrics.read(), (System.nanoTime() - start) / 1e9);
        } catch (Metrics.Silent e) {
            // what the JVM shows counts all the same: a saturated service has no answer to spare
            return Requests.unknown(e.getMessage());
        }
    }
}
