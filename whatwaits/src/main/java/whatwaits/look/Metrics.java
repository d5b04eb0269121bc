package whatwaits.look;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import whatwaits.rules.Gauge;
import whatwaits.rules.Requests;

/** Counters of a running service on this machine, from Prometheus text or Spring Boot's Actuator. */
final class Metrics implements AutoCloseable {

    static final String COUNT = "requests";
    static final String SUM = "seconds";

    /** A wanted figure: our word for it, its name in Prometheus text (a pattern), its name in an Actuator. */
    private record Wanted(String word, String prometheus, String actuator) {}

    private static final List<Wanted> WANTED = List.of(
            new Wanted(COUNT, "http_server_requests?(_duration)?_seconds_count", "http.server.requests"),
            new Wanted(SUM, "http_server_requests?(_duration)?_seconds_sum", "http.server.requests"),
            new Wanted(Gauge.CONNECTIONS_IN_USE.name(), "hikaricp_connections_active", "hikaricp.connections.active"),
            new Wanted(Gauge.CONNECTIONS.name(), "hikaricp_connections_max", "hikaricp.connections.max"),
            new Wanted(
                    Gauge.CONNECTIONS_WAITING.name(), "hikaricp_connections_pending", "hikaricp.connections.pending"),
            new Wanted(
                    Gauge.TOMCAT_THREADS.name(), "tomcat_threads_config_max(_threads)?", "tomcat.threads.config.max"));

    private static final Pattern SAMPLE = Pattern.compile("^([a-zA-Z_:][\\w:]*)(\\{.*\\})?\\s+(\\S+)(\\s+-?\\d+)?$");
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final URI url;
    private final HttpClient client = HttpClient.newBuilder()
            .connectTimeout(PATIENCE)
            .proxy(ProxySelector.of(null))
            .build();

    Metrics(String address) {
        url = URI.create(address);
        var problem = " names an unknown host";
        try {
            var addresses = Stream.of(InetAddress.getAllByName(url.getHost()));
            if (url.getHost() != null && addresses.allMatch(InetAddress::isLoopbackAddress)) {
                return;
            }
            problem = " is not on this machine's loopback interface";
        } catch (UnknownHostException e) {
            // the sentence says so
        }
        throw new IllegalArgumentException(address + problem
                + ": name a service of this machine, such as http://127.0.0.1:8080/actuator/prometheus");
    }

    /** What was served between two readings. */
    Requests between(Map<String, Double> before, Map<String, Double> after, double seconds) {
        double count = Math.max(0, after.get(COUNT) - before.get(COUNT));
        double mean = count == 0 ? Double.NaN : (after.get(SUM) - before.get(SUM)) / count;
        var gauges = new EnumMap<Gauge, Double>(Gauge.class);
        for (Gauge gauge : Gauge.values()) {
            if (after.containsKey(gauge.name())) {
                gauges.put(gauge, after.get(gauge.name()));
            }
        }
        return new Requests(count, seconds, mean, "the metrics at " + url.getPath(), gauges);
    }

    /** One reading. */
    Map<String, Double> read() throws InterruptedException {
        var answer = get(url);
        if (answer.statusCode() != 200) {
            throw new IllegalArgumentException(
                    "%s answered %d: let this machine in if that is 401 or 403; otherwise expose the metrics with management.endpoints.web.exposure.include=prometheus,metrics"
                            .formatted(url, answer.statusCode()));
        }
        var body = answer.body();
        var values = body.stripLeading().startsWith("{") ? actuator(body) : prometheus(body);
        if (!values.containsKey(COUNT) || !values.containsKey(SUM)) {
            throw new IllegalArgumentException(
                    "%s is neither Prometheus text nor an Actuator that has counted a request: send one, or expose its metrics with management.endpoints.web.exposure.include=prometheus,metrics"
                            .formatted(url));
        }
        return values;
    }

    private static Map<String, Double> prometheus(String body) {
        var values = new HashMap<String, Double>();
        body.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            var sample = SAMPLE.matcher(line.strip());
            // these readings do not count as requests to the service
            if (sample.matches() && !String.valueOf(sample.group(2)).contains("uri=\"/actuator")) {
                for (Wanted wanted : WANTED) {
                    if (sample.group(1).matches(wanted.prometheus)) {
                        values.merge(wanted.word, number(sample.group(3)), Double::sum);
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

    private Map<String, Double> actuator(String body) throws InterruptedException {
        var base = url.toString().replaceFirst("/metrics(/.*)?$", "").replaceFirst("/$", "") + "/metrics/";
        var values = new HashMap<String, Double>();
        try {
            for (Wanted wanted : WANTED) {
                add(base + wanted.actuator, wanted, 1, values);
            }
            // these readings do not count as requests to the service; a pattern stands for the metric's name
            for (var path : List.of("", "/%7BrequiredMetricName%7D")) {
                for (Wanted wanted : WANTED.subList(0, 2)) {
                    add(base + wanted.actuator + "?tag=uri:/actuator/metrics" + path, wanted, -1, values);
                }
            }
        } catch (JsonParseException | IllegalStateException | NullPointerException e) {
            // not an Actuator's answer: the caller reports what is missing
            values.remove(COUNT);
        }
        return values;
    }

    /** Adds the figure of a metric, or takes it off, if the service has this metric. */
    private void add(String address, Wanted wanted, int sign, Map<String, Double> values) throws InterruptedException {
        var answer = get(URI.create(address));
        if (answer.statusCode() != 200) {
            return;
        }
        var statistic = wanted.word.equals(COUNT) ? "COUNT" : wanted.word.equals(SUM) ? "TOTAL_TIME" : "VALUE";
        var metric = JsonParser.parseString(answer.body()).getAsJsonObject();
        for (JsonElement each : metric.getAsJsonArray("measurements")) {
            var measured = each.getAsJsonObject();
            if (measured.get("statistic").getAsString().equals(statistic)) {
                values.merge(wanted.word, sign * measured.get("value").getAsDouble(), Double::sum);
            }
        }
    }

    private HttpResponse<String> get(URI what) throws InterruptedException {
        try {
            return client.send(
                    HttpRequest.newBuilder(what).timeout(PATIENCE).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalArgumentException("%s does not answer (%s): check that this is the service's address"
                    .formatted(what, e.getClass().getSimpleName()));
        }
    }

    @Override
    public void close() {
        client.shutdownNow();
        client.close();
    }
}
