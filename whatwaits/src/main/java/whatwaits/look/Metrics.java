package whatwaits.look;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import whatwaits.rules.Limit.Kind;
import whatwaits.rules.PoolFigures;
import whatwaits.rules.Requests;

/** Counters of a running service on this machine, from Prometheus text or Spring Boot's Actuator. */
final class Metrics implements AutoCloseable {

    /** What is read: figures of requests, and of pools. */
    private enum Figure {
        COUNT(null, "http_server_requests?(_duration)?_seconds_count", "http.server.requests", "COUNT"),
        SUM(null, "http_server_requests?(_duration)?_seconds_sum", "http.server.requests", "TOTAL_TIME"),
        CONNECTIONS_IN_USE(Kind.CONNECTIONS, "hikaricp_connections_active", "hikaricp.connections.active", "VALUE"),
        CONNECTIONS(Kind.CONNECTIONS, "hikaricp_connections_max", "hikaricp.connections.max", "VALUE"),
        CONNECTIONS_WAITING(Kind.CONNECTIONS, "hikaricp_connections_pending", "hikaricp.connections.pending", "VALUE"),
        THREADS_IN_USE(Kind.THREADS, "tomcat_threads_busy(_threads)?", "tomcat.threads.busy", "VALUE"),
        THREADS(Kind.THREADS, "tomcat_threads_config_max(_threads)?", "tomcat.threads.config.max", "VALUE");

        private final Kind kind;
        private final Pattern prometheus;
        private final String actuator;
        private final String statistic;

        Figure(Kind kind, String prometheus, String actuator, String statistic) {
            this.kind = kind;
            this.prometheus = Pattern.compile(prometheus);
            this.actuator = actuator;
            this.statistic = statistic;
        }
    }

    /** One reading: figures by the pool that they are of; those of requests belong to none. */
    static final class Reading {
        private final Map<String, Map<Figure, Double>> pools = new TreeMap<>();

        private void add(Figure figure, String pool, double value) {
            pools.computeIfAbsent(figure.kind == null ? "" : pool, none -> new EnumMap<>(Figure.class))
                    .merge(figure, value, Double::sum);
        }

        private double of(String pool, Figure figure) {
            return pools.getOrDefault(pool, Map.of()).getOrDefault(figure, Double.NaN);
        }

        private boolean hasRequests() {
            return !Double.isNaN(of("", Figure.COUNT)) && !Double.isNaN(of("", Figure.SUM));
        }

        private List<PoolFigures> pools() {
            var all = new ArrayList<PoolFigures>();
            for (String pool : pools.keySet()) {
                double most = of(pool, Figure.CONNECTIONS);
                double threads = of(pool, Figure.THREADS);
                if (!Double.isNaN(most)) {
                    double inUse = of(pool, Figure.CONNECTIONS_IN_USE);
                    double waiting = of(pool, Figure.CONNECTIONS_WAITING);
                    all.add(new PoolFigures(Kind.CONNECTIONS, pool, inUse, most, waiting));
                }
                if (threads >= 0) {
                    double busy = of(pool, Figure.THREADS_IN_USE);
                    all.add(new PoolFigures(Kind.THREADS, pool, busy, threads, Double.NaN));
                }
            }
            return all;
        }
    }

    /** The service gave no answer, or that of a service which cannot answer now. */
    static final class Silent extends Exception {
        private static final long serialVersionUID = 1;

        Silent(String why) {
            super(why);
        }
    }

    private static final Pattern LABEL = Pattern.compile("(?:^|[{,])\\s*(?:pool|name)=\"([^\"]*)\"");
    private static final Pattern SAMPLE = Pattern.compile("^([a-zA-Z_:][\\w:]*)(\\{.*\\})?\\s+(\\S+)(\\s+-?\\d+)?$");
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final URI url;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(PATIENCE)
            .proxy(ProxySelector.of(null))
            .build();

    Metrics(String address) {
        url = onThisMachine(address, "http://127.0.0.1:8080/actuator/prometheus");
    }

    /**
     * An address on the loopback interface.
     *
     * @throws IllegalArgumentException if it is another one, with an example
     */
    static URI onThisMachine(String address, String example) {
        var problem = " names an unknown host";
        try {
            var url = URI.create(address);
            var addresses = url.getHost() == null ? null : InetAddress.getAllByName(url.getHost());
            if (addresses != null && Stream.of(addresses).allMatch(InetAddress::isLoopbackAddress)) {
                return url;
            }
            problem = " is not on this machine's loopback interface";
        } catch (UnknownHostException e) {
            // the sentence says so
        }
        throw new IllegalArgumentException(address + problem + ": name a service of this machine, such as " + example);
    }

    /** What was served between two readings. */
    Requests between(Reading before, Reading after, double seconds) {
        double count = after.of("", Figure.COUNT) - before.of("", Figure.COUNT);
        if (count < 0) {
            return Requests.unknown(source() + " began anew meanwhile");
        }
        double mean = count == 0 ? Double.NaN : (after.of("", Figure.SUM) - before.of("", Figure.SUM)) / count;
        return new Requests(count, seconds, mean, source(), after.pools());
    }

    private String source() {
        return "the metrics at " + url.getPath();
    }

    /**
     * One reading.
     *
     * @throws Silent if the service does not answer now, as a saturated one
     * @throws IllegalArgumentException if it answers something else: the address is wrong
     */
    Reading read() throws Silent, InterruptedException {
        var answer = get(url);
        if (answer.statusCode() >= 500) {
            throw new Silent("%s answered %d".formatted(source(), answer.statusCode()));
        }
        if (answer.statusCode() != 200) {
            throw new IllegalArgumentException(
                    "%s answered %d: let this machine in if that is 401 or 403; otherwise expose the metrics with management.endpoints.web.exposure.include=prometheus,metrics"
                            .formatted(url, answer.statusCode()));
        }
        var body = answer.body();
        var values = body.stripLeading().startsWith("{") ? actuator(body) : prometheus(body);
        if (!values.hasRequests()) {
            throw new IllegalArgumentException(
                    "%s is neither Prometheus text nor an Actuator that has counted a request: send one, or expose its metrics with management.endpoints.web.exposure.include=prometheus,metrics"
                            .formatted(url));
        }
        return values;
    }

    private static Reading prometheus(String body) {
        var values = new Reading();
        body.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var sample = SAMPLE.matcher(line.strip());
            // these readings do not count as requests to the service
            if (sample.matches() && !String.valueOf(sample.group(2)).contains("uri=\"/actuator")) {
                for (Figure figure : Figure.values()) {
                    if (figure.prometheus.matcher(sample.group(1)).matches()) {
                        var label = LABEL.matcher(String.valueOf(sample.group(2)));
                        values.add(figure, label.find() ? label.group(1) : "", number(sample.group(3)));
                    }
                }
            }
        });
        return values;
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private Reading actuator(String body) throws Silent, InterruptedException {
        var base = url.toString().replaceFirst("/metrics(/.*)?$", "").replaceFirst("/$", "") + "/metrics/";
        var values = new Reading();
        try {
            for (Figure figure : Figure.values()) {
                var metric = metric(base + figure.actuator);
                var pools = metric == null ? List.<String>of() : pools(metric);
                if (pools.isEmpty()) {
                    add(metric, figure, "", 1, values);
                } else {
                    // what is asked without a pool is the sum over all of them
                    var tag = figure.kind == Kind.THREADS ? "?tag=name:" : "?tag=pool:";
                    for (String pool : pools) {
                        var asked = base + figure.actuator + tag + URLEncoder.encode(pool, StandardCharsets.UTF_8);
                        add(pools.size() == 1 ? metric : metric(asked), figure, pool, 1, values);
                    }
                }
            }
            // these readings do not count as requests to the service; a pattern stands for the metric's name
            for (var path : List.of("", "/%7BrequiredMetricName%7D")) {
                for (Figure figure : List.of(Figure.COUNT, Figure.SUM)) {
                    add(metric(base + figure.actuator + "?tag=uri:/actuator/metrics" + path), figure, "", -1, values);
                }
            }
        } catch (JsonParseException | IllegalStateException | NullPointerException e) {
            // not an Actuator's answer: the caller reports what is missing
            return new Reading();
        }
        return values;
    }

    /** An Actuator's metric; null if the service does not have it. */
    private JsonObject metric(String address) throws Silent, InterruptedException {
        var answer = get(URI.create(address));
        if (answer.statusCode() >= 500) {
            throw new Silent("%s answered %d".formatted(source(), answer.statusCode()));
        }
        return answer.statusCode() == 200
                ? JsonParser.parseString(answer.body()).getAsJsonObject()
                : null;
    }

    /** The pools that a metric has figures of. */
    private static List<String> pools(JsonObject metric) {
        var pools = new ArrayList<String>();
        if (metric.has("availableTags")) {
            for (JsonElement tag : metric.getAsJsonArray("availableTags")) {
                var name = tag.getAsJsonObject().get("tag").getAsString();
                if (name.equals("pool") || name.equals("name")) {
                    tag.getAsJsonObject().getAsJsonArray("values").forEach(value -> pools.add(value.getAsString()));
                }
            }
        }
        return pools;
    }

    /** Adds the figure of a metric, or takes it off. */
    private static void add(JsonObject metric, Figure figure, String pool, int sign, Reading values) {
        if (metric != null) {
            for (JsonElement each : metric.getAsJsonArray("measurements")) {
                var measured = each.getAsJsonObject();
                if (measured.get("statistic").getAsString().equals(figure.statistic)) {
                    values.add(figure, pool, sign * measured.get("value").getAsDouble());
                }
            }
        }
    }

    private HttpResponse<String> get(URI what) throws Silent, InterruptedException {
        try {
            return client.send(
                    HttpRequest.newBuilder(what).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
        } catch (HttpTimeoutException e) {
            throw new Silent("%s did not answer within %d s".formatted(source(), PATIENCE.toSeconds()));
        } catch (ConnectException e) {
            throw new Silent("nobody listens at %s: check that this is the service's address".formatted(url));
        } catch (IOException e) {
            throw new Silent("%s broke off the answer (%s)".formatted(source(), e.getMessage()));
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
