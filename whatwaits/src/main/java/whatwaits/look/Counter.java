package whatwaits.look;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import whatwaits.rules.Requests;

/** Counts the requests of a service on this machine, by its access log or by its metrics, for some time. */
public final class Counter implements Callable<Requests>, AutoCloseable {

    private final String source;
    private final Duration time;
    private AccessLog log;
    private Metrics metrics;
    private Metrics.Reading before;
    private long start;
    private String silent;

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

    /**
     * Begins to count.
     *
     * @throws IllegalArgumentException if there is something else at that address
     */
    void begin() throws InterruptedException {
        start = System.nanoTime();
        if (!isUrl()) {
            log = new AccessLog(Path.of(source));
            return;
        }
        metrics = new Metrics(source);
        try {
            before = metrics.read();
        } catch (Metrics.Silent e) {
            silent = e.getMessage();
        }
    }

    /** What was counted since it began. */
    Requests end() throws InterruptedException {
        if (log != null) {
            return log.requests();
        }
        if (before != null) {
            try {
                return metrics.between(before, metrics.read(), (System.nanoTime() - start) / 1e9);
            } catch (Metrics.Silent e) {
                silent = e.getMessage();
            }
        }
        // what the JVM shows counts all the same: a saturated service has no answer to spare
        return Requests.unknown(silent);
    }

    @Override
    public Requests call() throws InterruptedException {
        try (this) {
            begin();
            Thread.sleep(time);
            return end();
        }
    }

    @Override
    public void close() {
        if (log != null) {
            log.close();
        }
        if (metrics != null) {
            metrics.close();
        }
    }
}
