package whatwaits.command;

import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import whatwaits.look.Report;
import whatwaits.rules.Group;
import whatwaits.rules.Sample;
import whatwaits.rules.WaitReason;

/** A report as one page that needs nothing else: the verdict, charts, and all sections. */
final class Page {

    private static final int WIDTH = 640;
    private static final int HEIGHT = 150;
    private static final int LEFT = 44;
    private static final int BARS = 8;

    private static final String STYLE = """
        :root { color-scheme: light dark; --line: light-dark(#0a5fb4, #7ab8ff); --soft: light-dark(#d5d9de, #3a3f46) }
        body { font: 16px/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem }
        h1 { font-size: 1.3rem } h2 { font-size: 1.05rem; margin: 1.6rem 0 .3rem }
        ul { padding-left: 1.2rem; margin: 0 } li { overflow-wrap: anywhere }
        .verdict { border-left: .3rem solid var(--line); padding: .1rem 1rem }
        svg { width: 100%; height: auto } svg text { font-size: 11px; fill: currentColor }
        polyline { fill: none; stroke: var(--line); stroke-width: 2 } .axis { stroke: var(--soft) } rect { fill: var(--line) }
        """;

    private Page() {}

    static String of(List<Report> reports) {
        var page = new StringBuilder("<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
                + "<meta name=\"viewport\" content=\"width=device-width\"><title>whatwaits: "
                + escaped(Screen.heading(reports.getFirst())) + "</title>\n<style>\n" + STYLE + "</style>\n");
        reports.forEach(report -> add(report, page));
        return page.append("</html>\n").toString();
    }

    private static void add(Report report, StringBuilder page) {
        page.append("<h1>" + escaped(Screen.heading(report)) + "</h1>\n");
        for (Screen.Section section : Screen.of(report)) {
            boolean first = section.title().equals("Verdict");
            if (section.title().equals(Screen.GROUPED)) {
                // a chart shows them
                continue;
            }
            page.append("<section%s><h2>%s</h2>\n<ul>\n"
                    .formatted(first ? " class=\"verdict\"" : "", escaped(section.title())));
            section.lines().forEach(line -> page.append("<li>" + escaped(line) + "</li>\n"));
            page.append("</ul></section>\n");
            if (first) {
                page.append(charts(report));
            }
        }
    }

    private static String charts(Report report) {
        var samples = report.evidence().samples();
        var charts = new StringBuilder();
        if (samples.size() > 1) {
            charts.append(lines("CPUs busy with this program, over time in seconds", samples, Sample::cpus));
            charts.append(lines("Virtual threads on carriers", samples, Sample::mounted));
            charts.append(lines("Virtual threads that wait for a carrier", samples, Sample::queued));
        }
        if (report.verdict() != null) {
            charts.append(bars(report.verdict().dump().groups().stream()
                    .filter(group -> group.waits() != WaitReason.TASK)
                    .limit(BARS)
                    .toList()));
        }
        return charts.toString();
    }

    private static String lines(String title, List<Sample> samples, ToDoubleFunction<Sample> figure) {
        var known = samples.stream()
                .filter(sample -> !Double.isNaN(figure.applyAsDouble(sample)))
                .toList();
        if (known.size() < 2) {
            return "";
        }
        double most =
                Math.max(1, Math.ceil(known.stream().mapToDouble(figure).max().orElse(1)));
        double last = known.getLast().seconds();
        var points = known.stream()
                .map(sample -> "%.1f,%.1f"
                        .formatted(
                                LEFT + (WIDTH - LEFT - 10) * sample.seconds() / last,
                                (HEIGHT - 20) * (1 - figure.applyAsDouble(sample) / most) + 5))
                .collect(Collectors.joining(" "));
        return figure(
                title,
                HEIGHT,
                "<line class=\"axis\" x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\"/>"
                                .formatted(LEFT, HEIGHT - 15, WIDTH - 10, HEIGHT - 15)
                        + "<text x=\"%d\" y=\"14\" text-anchor=\"end\">%.0f</text>".formatted(LEFT - 6, most)
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text>".formatted(LEFT - 6, HEIGHT - 12)
                        + "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.1f s</text>"
                                .formatted(WIDTH - 10, HEIGHT - 2, last)
                        + "<polyline points=\"" + points + "\"/>");
    }

    private static String bars(List<Group> groups) {
        if (groups.isEmpty()) {
            return "";
        }
        double most = groups.stream().mapToInt(Group::size).max().orElse(1);
        var bars = new StringBuilder();
        for (int i = 0; i < groups.size(); i++) {
            var group = groups.get(i);
            bars.append("<text x=\"0\" y=\"%d\">%s</text>".formatted(12 + 34 * i, escaped(Screen.line(group))));
            bars.append("<rect x=\"0\" y=\"%d\" width=\"%.1f\" height=\"10\"/>"
                    .formatted(17 + 34 * i, Math.max(2, (WIDTH - 10) * group.size() / most)));
        }
        return figure(Screen.GROUPED, 34 * groups.size() + 6, bars.toString());
    }

    private static String figure(String title, int height, String content) {
        return "<figure><figcaption>%s</figcaption><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%s</svg></figure>\n"
                .formatted(escaped(title), WIDTH, height, escaped(title), content);
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
