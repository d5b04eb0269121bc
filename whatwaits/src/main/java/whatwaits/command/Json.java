package whatwaits.command;

import com.google.gson.GsonBuilder;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import whatwaits.look.Report;
import whatwaits.rules.Data;

/** A report for programs, as {@code report.schema.json} describes it. What is not known is left out. */
final class Json {

    private Json() {}

    /** Of several JVMs, the first one's has the others'. */
    static String of(List<Report> reports) {
        var all = values(reports.getFirst());
        if (reports.size() > 1) {
            all.put("others", reports.stream().skip(1).map(Json::values).toList());
        }
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(all);
    }

    private static Map<String, Object> values(Report report) {
        var about = report.evidence().about();
        var all = new LinkedHashMap<String, Object>();
        all.put("format", Data.FORMAT);
        all.put("source", about.source());
        put(all, "pid", about.pid());
        put(all, "main", about.main());
        put(all, "java", about.java());
        put(all, "begun", about.begun());
        put(all, "seconds", about.seconds());
        all.put("findings", report.findings().stream().map(Data::of).toList());
        if (report.verdict() != null) {
            all.putAll(Data.of(report.verdict()));
        }
        if (report.series() != null && report.series().moments().size() > 1) {
            all.put("series", Data.of(report.series()));
        }
        put(all, "pinnedShare", report.carriers().pinned());
        put(all, "fileShare", report.carriers().filed());
        put(
                all,
                "filesMillis",
                Double.isNaN(report.carriers().filed())
                        ? null
                        : report.carriers().files());
        put(all, "pausesMillis", report.pauses());
        all.put("defects", report.defects());
        all.put("sections", Screen.of(report));
        return all;
    }

    private static void put(Map<String, Object> into, String name, Object value) {
        boolean unknown = value == null || value instanceof Double number && !Double.isFinite(number);
        if (!unknown) {
            into.put(name, value);
        }
    }
}
