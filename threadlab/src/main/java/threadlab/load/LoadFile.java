package threadlab.load;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Trials;

/** What other load generators have written, as a row in the table of {@link Load}. */
final class LoadFile {

    private static final String UNKNOWN =
            "%s is no log of HdrHistogram and no JSON of k6 (--summary-export, handleSummary or --out json)";

    /** What a file tells; NaN where it does not. */
    private record Told(
            double n, double seconds, double requests, double failed, Map<Latency, Double> latencies, String nIs) {}

    private LoadFile() {}

    static Table read(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new IllegalArgumentException("there is no file " + file);
        }
        try (var lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            var first = Optional.ofNullable(lines.readLine()).orElse("").strip();
            if (first.startsWith("#") || first.startsWith("\"StartTimestamp\"")) {
                return row(file, histogramLog(file));
            }
            if (first.startsWith("{\"type\":") || first.startsWith("{\"metric\":")) {
                return row(file, points(file));
            }
            if (first.startsWith("{")) {
                return row(
                        file,
                        summary(JsonParser.parseString(Files.readString(file)).getAsJsonObject()));
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, e.getMessage()));
        } catch (JsonParseException
                | IllegalStateException
                | NullPointerException
                | NumberFormatException
                | UnsupportedOperationException
                | ArrayIndexOutOfBoundsException e) {
            throw new IllegalArgumentException(UNKNOWN.formatted(file), e);
        }
        throw new IllegalArgumentException(UNKNOWN.formatted(file));
    }

    private static Told histogramLog(Path file) throws IOException {
        double perMilli = perMilli(file);
        Histogram all = null;
        double first = Double.NaN;
        double last = Double.NaN;
        try (var log = new HistogramLogReader(file.toFile())) {
            while (log.hasNext()) {
                EncodableHistogram interval = log.nextIntervalHistogram();
                if (!(interval instanceof Histogram histogram)) {
                    continue;
                }
                if (all == null) {
                    all = new Histogram(3);
                    all.setAutoResize(true);
                    first = histogram.getStartTimeStamp();
                }
                all.add(histogram);
                last = histogram.getEndTimeStamp();
            }
        }
        if (all == null || all.getTotalCount() == 0) {
            throw new IllegalStateException();
        }
        var latencies = new EnumMap<Latency, Double>(Latency.class);
        Latency.all(all).forEach((latency, value) -> latencies.put(latency, value * 1e6 / perMilli));
        return new Told(
                Double.NaN, (last - first) / 1e3, all.getTotalCount(), Double.NaN, latencies, "recorded requests");
    }

    /** How many of the values' units make a millisecond: the writer divides each line's largest value to get ms. */
    private static double perMilli(Path file) throws IOException {
        try (var lines = Files.lines(file, StandardCharsets.UTF_8);
                var log = new HistogramLogReader(file.toFile())) {
            var columns = lines.filter(line -> !line.startsWith("#") && !line.startsWith("\""))
                    .map(line -> line.replaceFirst("^Tag=[^,]*,", "").split(","))
                    .iterator();
            while (columns.hasNext() && log.hasNext()) {
                double printed = Double.parseDouble(columns.next()[2]);
                if (log.nextIntervalHistogram() instanceof Histogram histogram && printed > 0) {
                    return Math.pow(10, Math.round(Math.log10(histogram.getMaxValue() / printed)));
                }
            }
        }
        throw new IllegalStateException();
    }

    /** The lines of {@code --out json}: each point of a metric by itself. */
    private static Told points(Path file) throws IOException {
        var good = new Histogram(3);
        good.setAutoResize(true);
        long failed = 0;
        double users = 0;
        OffsetDateTime first = null;
        OffsetDateTime last = null;
        try (var lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                if (!line.contains("\"Point\"")) {
                    continue;
                }
                var point = JsonParser.parseString(line).getAsJsonObject();
                var data = point.getAsJsonObject("data");
                double value = data.get("value").getAsDouble();
                switch (point.get("metric").getAsString()) {
                    case "http_req_duration" -> {
                        var at = OffsetDateTime.parse(data.get("time").getAsString());
                        // a point is written when its request has ended
                        var began = at.minus(Duration.ofNanos((long) (value * 1e6)));
                        first = first == null || began.isBefore(first) ? began : first;
                        last = last == null || at.isAfter(last) ? at : last;
                        if ("false".equals(tag(data, "expected_response"))) {
                            failed++;
                        } else {
                            good.recordValue(Math.round(value * 1e6));
                        }
                    }
                    case "vus" -> users = Math.max(users, value);
                    default -> {
                        // another metric
                    }
                }
            }
        }
        if (first == null) {
            throw new IllegalStateException();
        }
        return new Told(
                users == 0 ? Double.NaN : users,
                Duration.between(first, last).toNanos() / 1e9,
                good.getTotalCount() + failed,
                failed,
                Latency.all(good),
                "n clients");
    }

    private static String tag(JsonObject data, String name) {
        var tags = data.getAsJsonObject("tags");
        return tags == null || !tags.has(name) ? "" : tags.get(name).getAsString();
    }

    /** The metrics of {@code --summary-export}, or of {@code handleSummary}, which has them one level deeper. */
    private static Told summary(JsonObject summary) {
        var metrics = summary.getAsJsonObject("metrics");
        var all = values(metrics, "http_req_duration");
        // of the good answers, where k6 tells them apart
        var good = metrics.has("http_req_duration{expected_response:true}")
                ? values(metrics, "http_req_duration{expected_response:true}")
                : all;
        var requests = values(metrics, "http_reqs");
        double count = number(requests, "count");
        var failures = metrics.has("http_req_failed") ? values(metrics, "http_req_failed") : new JsonObject();
        // of a rate, passes are those for which it is true that they failed
        double failed = failures.has("passes") ? number(failures, "passes") : Double.NaN;
        double seconds = summary.has("state")
                ? summary.getAsJsonObject("state").get("testRunDurationMs").getAsDouble() / 1e3
                : count / number(requests, "rate");
        var latencies = new EnumMap<Latency, Double>(Map.of(
                Latency.MIN, number(good, "min"),
                Latency.MEAN, number(good, "avg"),
                Latency.P50, number(good, "med"),
                Latency.P95, number(good, "p(95)"),
                Latency.P99, number(good, "p(99)"),
                Latency.MAX, number(good, "max")));
        return new Told(
                metrics.has("vus_max") ? number(values(metrics, "vus_max"), "max") : Double.NaN,
                seconds,
                count,
                failed,
                latencies,
                "n clients");
    }

    private static JsonObject values(JsonObject metrics, String name) {
        var metric = metrics.getAsJsonObject(name);
        return metric.has("values") ? metric.getAsJsonObject("values") : metric;
    }

    private static double number(JsonObject values, String name) {
        return Optional.ofNullable(values.get(name))
                .filter(JsonElement::isJsonPrimitive)
                .map(JsonElement::getAsDouble)
                .orElse(Double.NaN);
    }

    private static Table row(Path file, Told told) {
        var name = file.getFileName().toString().replaceFirst("\\.[^.]+$", "");
        double failed = Double.isNaN(told.failed) ? 0 : told.failed;
        var row = Row.none(told.nIs);
        row.appendRow();
        row.stringColumn("contender").set(0, name);
        row.stringColumn("kind").set(0, Kind.OTHER.toString());
        row.intColumn("trial").set(0, 1);
        if (!Double.isNaN(told.n)) {
            row.intColumn("n").set(0, (int) told.n);
        }
        row.doubleColumn("seconds").set(0, told.seconds);
        row.doubleColumn("requests/s").set(0, (told.requests - failed) / told.seconds);
        told.latencies.forEach(
                (latency, ms) -> row.doubleColumn(latency.column()).set(0, ms));
        row.intColumn("requests").set(0, (int) told.requests);
        row.stringColumn("outcome")
                .set(0, failed == 0 ? Trials.OK : "%,.0f of %,.0f requests failed".formatted(failed, told.requests));
        return row;
    }
}
