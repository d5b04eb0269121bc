package whatwaits.command;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import whatwaits.look.KnownDefects;
import whatwaits.look.Report;
import whatwaits.rules.Advice;
import whatwaits.rules.Circle;
import whatwaits.rules.Finding;
import whatwaits.rules.Group;
import whatwaits.rules.Limit;
import whatwaits.rules.Pin;
import whatwaits.rules.Sample;
import whatwaits.rules.Thresholds;
import whatwaits.rules.WaitReason;

/** A report in sections of lines: the verdict first. */
final class Screen {

    /** A title, and what is said below it. */
    record Section(String title, List<String> lines) {}

    static final String GROUPED = "Threads, by what they wait for";
    private static final String INDENT = "    ";
    private static final int GROUPS = 8;
    private static final int LINES = 3;
    private static final int LATEST = 3;

    private final Report report;
    private final List<Section> sections = new ArrayList<>();

    private Screen(Report report) {
        this.report = report;
        verdict();
        if (report.series() != null) {
            add("The dumps together", report.series().lines());
        }
        if (report.verdict() != null) {
            add(
                    "Limits",
                    report.verdict().limits().stream()
                            .map(report.verdict()::use)
                            .toList());
            groups();
            virtual();
        }
        carriers();
        pauses();
        defects();
        rest();
    }

    static List<Section> of(Report report) {
        return new Screen(report).sections;
    }

    /** As one text. */
    static String text(Report report) {
        var text = new StringBuilder(heading(report)).append("\n");
        for (Section section : of(report)) {
            text.append("\n").append(section.title.toUpperCase(Locale.ROOT)).append("\n");
            section.lines.forEach(line -> text.append("  ").append(line).append("\n"));
        }
        return text.toString();
    }

    /** The same text, in which no line but one without a space is longer than a terminal is wide. */
    static String wrapped(String text, int width) {
        var wrapped = new StringBuilder();
        for (String line : text.split("\n", -1)) {
            var rest = line;
            int at = rest.lastIndexOf(' ', width);
            while (rest.length() > width && at > INDENT.length()) {
                wrapped.append(rest, 0, at).append("\n");
                rest = INDENT + rest.substring(at + 1);
                at = rest.lastIndexOf(' ', width);
            }
            wrapped.append(rest).append("\n");
        }
        return wrapped.substring(0, wrapped.length() - 1);
    }

    static String heading(Report report) {
        var about = report.evidence().about();
        return about.source()
                + (about.main() == null ? "" : ", " + about.main())
                + (about.java() == null ? "" : ", Java " + about.java())
                + (about.begun() == null
                        ? ""
                        : ", %.1f s from %s"
                                .formatted(
                                        about.seconds(),
                                        about.begun().replace("T", " ").replace("Z", " UTC")));
    }

    private void add(String title, List<String> lines) {
        if (!lines.isEmpty()) {
            sections.add(new Section(title, lines));
        }
    }

    private void verdict() {
        var lines = new ArrayList<String>();
        var verdict = report.verdict();
        if (verdict == null) {
            add("Verdict", List.of("No threads were seen, so no limit can be named."));
            return;
        }
        for (Circle circle : verdict.dump().circles()) {
            circle.toString().lines().forEach(lines::add);
            advise(lines, Advice.on(circle));
        }
        lines.add(verdict.sentence());
        if (verdict.met().isEmpty()) {
            verdict.most().ifPresent(most -> lines.add("Look at where most threads are: " + line(most)));
        } else {
            verdict.waiting().stream().limit(LINES).map(Screen::line).forEach(lines::add);
            advise(lines, Advice.on(verdict.met().getFirst()));
        }
        if (report.named().contains(Finding.What.PINNED)
                && verdict.met().stream().noneMatch(limit -> limit.kind() == Limit.Kind.CARRIERS)) {
            lines.add("Carriers are held by threads that wait: %s.".formatted(held(report)));
            advise(lines, Advice.onPinned());
        }
        double paused = paused(report) / 1e3 / report.evidence().about().seconds();
        if (paused >= Thresholds.PAUSED) {
            lines.add("The collector stopped all threads for %.0f %% of the time.".formatted(1e2 * paused));
            lines.add("Do: Give it more heap, or make less garbage for each request.");
        }
        verdict.arithmetic().lines().forEach(lines::add);
        add("Verdict", lines);
    }

    private static void advise(List<String> lines, Advice advice) {
        lines.add("Do: " + advice.todo());
    }

    static String held(Report report) {
        var now = report.carriers().pins().stream().filter(Pin::isNow).toList();
        var said = new ArrayList<String>();
        if (!now.isEmpty()) {
            double carriers = mean(report.evidence().samples(), 2);
            said.add("%d%s in two looks, such as %s at %s"
                    .formatted(
                            now.size(),
                            Double.isNaN(carriers) ? "" : " of %.0f".formatted(carriers),
                            now.getFirst().thread(),
                            now.getFirst().stack().where()));
        }
        if (report.carriers().pinned() >= Thresholds.LITTLE) {
            said.add("%.0f %% of their time".formatted(1e2 * report.carriers().pinned()));
        }
        return String.join("; ", said);
    }

    static String line(Group group) {
        return group.sentence() + group.at();
    }

    private void groups() {
        var waiting = report.verdict().dump().groups().stream()
                .filter(group -> group.waits() != WaitReason.TASK)
                .toList();
        var lines =
                new ArrayList<>(waiting.stream().limit(GROUPS).map(Screen::line).toList());
        if (waiting.size() > GROUPS) {
            int rest = waiting.stream().skip(GROUPS).mapToInt(Group::size).sum();
            lines.add("and %,d threads in %d smaller groups".formatted(rest, waiting.size() - GROUPS));
        }
        add(GROUPED, lines);
    }

    private void virtual() {
        var dump = report.verdict().dump();
        if (dump.virtualThreads() > 0) {
            var only = !report.all() ? " (only those on a carrier were seen)" : "";
            add(
                    "Virtual threads",
                    List.of("%,d alive: %,d on a carrier, %,d waiting for one, %,d parked%s"
                            .formatted(
                                    dump.virtualThreads(),
                                    dump.mounted(),
                                    dump.count(WaitReason.CARRIER),
                                    dump.parked(),
                                    only)));
        }
    }

    private void carriers() {
        var lines = new ArrayList<String>();
        var samples = report.evidence().samples();
        if (samples.stream().anyMatch(sample -> sample.parallelism() > 0)) {
            lines.add("%.1f of %.0f in use on average, %.1f virtual threads queued"
                    .formatted(mean(samples, 0), mean(samples, 2), mean(samples, 1)));
        }
        if (!Double.isNaN(report.carriers().pinned())) {
            lines.add("pinned by waits that have ended: %.1f %% of their time"
                    .formatted(1e2 * report.carriers().pinned()));
            lines.add("reads and writes of files: %.1f %% of their time"
                    .formatted(1e2 * report.carriers().filed()));
        }
        report.carriers().pins().stream()
                .filter(pin -> pin.isNow()
                        || pin.milliseconds() > 0 && report.carriers().pinned() >= Thresholds.LITTLE)
                .limit(LINES)
                .map(Screen::pin)
                .forEach(lines::add);
        report.carriers().files().entrySet().stream()
                .limit(LINES)
                .map(file -> "%.0f ms in files at %s".formatted(file.getValue(), file.getKey()))
                .forEach(lines::add);
        add("Carriers", lines);
    }

    private static String pin(Pin pin) {
        var what = pin.isNow() ? "held now" : "held %.0f ms".formatted(pin.milliseconds());
        return "%s by %s%s, at %s"
                .formatted(
                        what,
                        pin.thread().isEmpty() ? "a thread" : pin.thread(),
                        pin.reason() == null ? "" : " (" + pin.reason() + ")",
                        pin.stack().where());
    }

    private static double mean(List<Sample> samples, int which) {
        return samples.stream()
                .mapToDouble(
                        sample -> which == 0 ? sample.mounted() : which == 1 ? sample.queued() : sample.parallelism())
                .filter(value -> !Double.isNaN(value))
                .average()
                .orElse(Double.NaN);
    }

    private void pauses() {
        var pauses = report.pauses();
        if (pauses != null) {
            double sum = pauses.stream().mapToDouble(Double::doubleValue).sum();
            double most = pauses.stream().mapToDouble(Double::doubleValue).max().orElse(0);
            add(
                    "Pauses of the collector",
                    List.of(
                            pauses.isEmpty()
                                    ? "none"
                                    : "%d, together %.1f ms, the longest %.1f ms".formatted(pauses.size(), sum, most)));
        }
    }

    private void defects() {
        var lines = new ArrayList<String>();
        for (KnownDefects.Found defect : report.defects()) {
            lines.add(defect.in() + " has " + defect.number() + ": " + defect.happens());
        }
        add("Known defects", lines);
    }

    private void rest() {
        var about = report.evidence().about();
        add("Not seen", report.missing());
        var cost = new ArrayList<>(about.costs());
        if (!about.left().isEmpty()) {
            cost.add("left in that JVM until it ends: " + String.join(", ", about.left()));
        }
        add("What looking cost", cost);
        if (!about.options().isEmpty()) {
            add("Options of the JVM", List.of(String.join(" ", about.options())));
        }
    }

    /** What changed between two reports: one line each. */
    static List<String> changes(Report before, Report after) {
        var lines = new ArrayList<String>();
        lines.add("limit met: %s -> %s".formatted(met(before), met(after)));
        if (circles(before) + circles(after) > 0) {
            lines.add("circles of threads: %d -> %d".formatted(circles(before), circles(after)));
        }
        var figures = new LinkedHashMap<String, double[]>();
        figures.put("requests a second", new double[] {x(before), x(after)});
        figures.put("latency in ms", new double[] {w(before), w(after)});
        figures.put("CPUs busy", new double[] {cpus(before), cpus(after)});
        figures.put("virtual threads", new double[] {virtual(before), virtual(after)});
        figures.put("platform threads", new double[] {platform(before), platform(after)});
        figures.put(
                "carriers' time pinned in %",
                new double[] {
                    1e2 * before.carriers().pinned(), 1e2 * after.carriers().pinned()
                });
        figures.put(
                "carriers' time in files in %",
                new double[] {
                    1e2 * before.carriers().filed(), 1e2 * after.carriers().filed()
                });
        figures.put("pauses in ms", new double[] {paused(before), paused(after)});
        figures.forEach((name, pair) -> {
            if (!Double.isNaN(pair[0]) || !Double.isNaN(pair[1])) {
                lines.add("%s: %s -> %s".formatted(name, number(pair[0]), number(pair[1])));
            }
        });
        for (String what : waits(before, after).keySet()) {
            var pair = waits(before, after).get(what);
            lines.add("threads that wait for %s: %d -> %d".formatted(what, pair[0], pair[1]));
        }
        return lines;
    }

    private static Map<String, int[]> waits(Report before, Report after) {
        var all = new LinkedHashMap<String, int[]>();
        for (WaitReason reason : WaitReason.values()) {
            int one = before.verdict() == null ? 0 : before.verdict().dump().count(reason);
            int other = after.verdict() == null ? 0 : after.verdict().dump().count(reason);
            if (one != other && Math.max(one, other) >= LATEST && reason != WaitReason.NOTHING) {
                all.put(reason.toString(), new int[] {one, other});
            }
        }
        return all;
    }

    private static String met(Report report) {
        return report.verdict() == null || report.verdict().met().isEmpty()
                ? "none"
                : Finding.Thing.stable(report.verdict().met().getFirst().name());
    }

    private static int circles(Report report) {
        return report.verdict() == null ? 0 : report.verdict().dump().circles().size();
    }

    private static double x(Report report) {
        return report.evidence().about().requests().perSecond();
    }

    private static double w(Report report) {
        return 1e3 * report.evidence().about().requests().mean();
    }

    private static double cpus(Report report) {
        return report.evidence().samples().stream()
                .mapToDouble(Sample::cpus)
                .average()
                .orElse(Double.NaN);
    }

    private static double virtual(Report report) {
        return report.verdict() == null ? Double.NaN : report.verdict().dump().virtualThreads();
    }

    private static double platform(Report report) {
        return report.verdict() == null
                ? Double.NaN
                : report.verdict().dump().threads().size() - virtual(report);
    }

    private static double paused(Report report) {
        return report.pauses() == null
                ? Double.NaN
                : report.pauses().stream().mapToDouble(Double::doubleValue).sum();
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "unknown" : String.format(Locale.ROOT, "%.1f", value);
    }
}
