package whatwaits.command;

import com.google.gson.GsonBuilder;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import whatwaits.look.Report;
import whatwaits.rules.Circle;
import whatwaits.rules.Limit;
import whatwaits.rules.ThreadState;

/** A report for programs. Figures that are not known are left out. */
final class Json {

    private Json() {}

    static String of(Report report) {
        var about = report.evidence().about();
        var all = new LinkedHashMap<String, Object>();
        all.put("source", about.source());
        all.put("pid", about.pid());
        all.put("main", about.main());
        all.put("java", about.java());
        all.put("begun", about.begun());
        put(all, "seconds", about.seconds());
        all.put(
                "named",
                report.named().stream()
                        .map(named -> named.name().toLowerCase(Locale.ROOT))
                        .sorted()
                        .toList());
        var verdict = report.verdict();
        if (verdict != null) {
            all.put("verdict", verdict.sentence());
            put(all, "requestsPerSecond", verdict.throughput());
            put(all, "latencySeconds", verdict.seconds());
            put(all, "inside", verdict.inside());
            all.put(
                    "limits",
                    verdict.limits().stream()
                            .map(limit -> limit(limit, verdict.met().contains(limit)))
                            .toList());
            all.put(
                    "circles",
                    verdict.dump().circles().stream().map(Json::circle).toList());
            all.put(
                    "groups",
                    verdict.dump().groups().stream()
                            .map(group -> {
                                var one = new LinkedHashMap<String, Object>();
                                one.put("threads", group.size());
                                one.put("virtual", group.virtual());
                                one.put("waitsFor", group.waits().name().toLowerCase(Locale.ROOT));
                                one.put("what", group.what());
                                one.put("onCarriers", group.mounted());
                                one.put("heldBy", group.holder());
                                one.put("at", group.where());
                                return one;
                            })
                            .toList());
            all.put("virtualThreads", verdict.dump().virtualThreads());
            all.put("onCarriers", verdict.dump().mounted());
        }
        put(all, "pinnedShare", report.pinned());
        put(all, "fileShare", report.filed());
        all.put("filesMillis", report.files());
        all.put("pausesMillis", report.pauses());
        all.put("defects", report.defects());
        all.put("sections", Screen.of(report));
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(all);
    }

    private static Map<String, Object> circle(Circle circle) {
        var one = new LinkedHashMap<String, Object>();
        one.put("proven", circle.proven());
        one.put("behind", circle.behind());
        one.put(
                "threads",
                circle.members().stream()
                        .map(member -> {
                            var thread = new LinkedHashMap<String, Object>();
                            thread.put("name", member.thread().label());
                            thread.put("waitsFor", member.what());
                            thread.put(
                                    "heldBy",
                                    member.holders().stream()
                                            .map(ThreadState::label)
                                            .toList());
                            thread.put("at", member.where());
                            return thread;
                        })
                        .toList());
        return one;
    }

    private static Map<String, Object> limit(Limit limit, boolean met) {
        var one = new LinkedHashMap<String, Object>();
        one.put("name", limit.name());
        one.put("kind", limit.kind().name().toLowerCase(Locale.ROOT));
        put(one, "inUse", limit.inUse());
        put(one, "of", limit.of());
        put(one, "waiting", limit.waiting());
        one.put("met", met);
        return one;
    }

    private static void put(Map<String, Object> into, String name, double value) {
        if (!Double.isNaN(value) && !Double.isInfinite(value)) {
            into.put(name, value);
        }
    }
}
