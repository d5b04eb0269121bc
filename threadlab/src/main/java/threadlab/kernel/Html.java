package threadlab.kernel;

import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.knowm.xchart.internal.chartpart.Chart;
import tech.tablesaw.api.ColumnType;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.Table;
import tech.tablesaw.columns.Column;
import threadlab.cells.Javadoc;
import threadlab.cells.ValueText;
import threadlab.claim.Check;
import threadlab.claim.Claim;
import threadlab.plot.ChartImage;
import threadlab.plot.Theme;
import threadlab.support.Numbers;
import threadlab.support.Progress;
import threadlab.trace.Traces;

/** Writes tables, traces, claims and progress as HTML that uses the colours of the page, light or dark. */
final class Html {

    /** The most rows of a table that is shown whole, like the claims of a notebook. */
    private static final int WHOLE = 30;

    /** The rows shown of each end of a longer table. */
    private static final int ENDS = 10;

    /** Significant digits of a number with a fraction. */
    private static final int DIGITS = 5;

    private static final Set<ColumnType> WHOLES = Set.of(ColumnType.INTEGER, ColumnType.LONG, ColumnType.SHORT);

    /** Numbers that are written without separators: 47110 is a process, 2025 a year. */
    private static final Set<String> IDENTIFIERS =
            Set.of("id", "key", "line", "no", "number", "pid", "port", "seed", "tid", "timestamp", "year", "zip");

    private Html() {}

    static String of(Table table) {
        int rows = table.rowCount();
        boolean whole = rows <= WHOLE;
        var gap = "<tr><td colspan=\"%d\" style=\"text-align:center\">… %,d more rows …</td></tr>"
                .formatted(table.columnCount(), rows - 2 * ENDS);
        var cells = table.columns().stream().map(Html::cells).toList();
        IntFunction<String> row = r -> IntStream.range(0, table.columnCount())
                .mapToObj(c -> cell("td", table.column(c), cells.get(c).apply(r)))
                .collect(Collectors.joining("", "<tr>", whole || r != ENDS - 1 ? "</tr>" : "</tr>" + gap));
        var header = table.columns().stream().map(column -> cell("th", column, Javadoc.escape(column.name())));
        var shown = IntStream.range(0, rows).filter(r -> whole || r < ENDS || r >= rows - ENDS);
        var body = shown.mapToObj(row).collect(Collectors.joining());
        return "<table><thead><tr>%s</tr></thead><tbody>%s</tbody></table>"
                .formatted(header.collect(Collectors.joining()), body);
    }

    private static String cell(String tag, Column<?> column, String text) {
        var side = column instanceof NumericColumn<?> ? "right" : "left";
        return "<%s style=\"text-align:%s\">%s</%s>".formatted(tag, side, text, tag);
    }

    /** Formats the cells of one column alike, so that their decimal points line up. */
    private static IntFunction<String> cells(Column<?> column) {
        IntFunction<String> known = r -> Javadoc.escape(ValueText.of(column.getString(r)));
        var separated = isIdentifier(column.name()) ? "%" : "%,";
        if (WHOLES.contains(column.type())) {
            known = r -> (separated + "d").formatted(column.get(r));
        } else if (column instanceof NumericColumn<?> numbers) {
            boolean none = column.countMissing() == column.size();
            double largest = none ? 0 : Math.max(Math.abs(numbers.max()), Math.abs(numbers.min()));
            var format = separated + "." + decimals(largest) + "f";
            // where values differ widely, each has its own decimals: 1.926 must not become 2 beside 24,198
            var sizes = DoubleStream.of(numbers.asDoubleArray()).map(Math::abs);
            double smallest = sizes.filter(value -> value > 0).min().orElse(0);
            boolean far = smallest * 1_000 < largest;
            known = r -> far ? Numbers.rounded(numbers.getDouble(r), DIGITS) : format.formatted(numbers.getDouble(r));
        }
        var shown = known;
        return r -> column.isMissing(r) ? "–" : shown.apply(r);
    }

    /** Whether the column's numbers name things, so that none is counted or measured: the last word says what they are. */
    private static boolean isIdentifier(String column) {
        var words = column.replaceAll("(?<=[a-z])(?=[A-Z])", " ")
                .toLowerCase(Locale.ROOT)
                .split("[^a-z]+");
        return words.length > 0 && IDENTIFIERS.contains(words[words.length - 1]);
    }

    /** The decimals that suit the column's largest value. */
    private static int decimals(double largest) {
        return largest == 0 ? 0 : Math.clamp(DIGITS - 1 - (long) Math.floor(Math.log10(largest)), 0, 9);
    }

    /** The traces side by side; our own frames are marked by colour, weight and a sign, so that print shows them too. */
    static String of(Traces traces) {
        var names = traces.names();
        var folded = traces.table();
        var trace = folded.stringColumn("trace");
        var columns =
                names.stream().map(name -> folded.where(trace.isEqualTo(name))).toList();
        int lines = columns.stream().mapToInt(Table::rowCount).max().orElse(0);
        IntFunction<String> line = i -> columns.stream()
                .map(column -> i < column.rowCount() ? frame(column.row(i)) : "<td></td>")
                .collect(Collectors.joining("", "<tr>", "</tr>"));
        var header = leftCells("th", names.stream());
        var messages = leftCells("td", names.stream().map(traces::message));
        var body = IntStream.range(0, lines).mapToObj(line).collect(Collectors.joining());
        var counts = leftCells("th", columns.stream().map(Html::counted));
        return "<table><thead><tr>%s</tr></thead><tbody><tr>%s</tr>%s<tr>%s</tr></tbody></table>"
                .formatted(header, messages, body, counts);
    }

    private static String leftCells(String tag, Stream<String> texts) {
        return texts.map(text -> "<%s style=\"text-align:left\">%s</%s>".formatted(tag, Javadoc.escape(text), tag))
                .collect(Collectors.joining());
    }

    private static String frame(Row line) {
        int frames = line.getInt("frames");
        var whose = line.getString("whose");
        if (whose.equals("own")) {
            return "<td style=\"text-align:left;background:%s38\"><strong>▸ %s</strong></td>"
                    .formatted(Theme.hex(Theme.RIGHT), Javadoc.escape(line.getString("method")));
        }
        var of = (frames == 1 ? "frame of " : "frames of ") + (whose.equals("threadlab") ? "" : "the ") + whose;
        return "<td style=\"text-align:left;opacity:0.65\"><em>%d %s</em></td>".formatted(frames, of);
    }

    private static String counted(Table lines) {
        int own = lines.stringColumn("whose").countOccurrences("own");
        return "%d own of %.0f frames".formatted(own, lines.intColumn("frames").sum());
    }

    static String of(Claim claim) {
        var mark = claim.verdict().mark();
        var statement = Javadoc.escape(claim.statement());
        var judged =
                judged(mark, "<strong>%s %s</strong><br>%s".formatted(mark, statement, Javadoc.escape(claim.detail())));
        return judged + claim.gap().map(Html::guess).orElse("");
    }

    /** A sentence about the reader's guess, marked by its colour. */
    static String guess(String words) {
        return marked(Theme.hex(Theme.GUESS), Javadoc.escape(words));
    }

    static String of(Check check) {
        return judged(check.toString().substring(0, 1), Javadoc.escape(check.toString()));
    }

    private static String judged(String mark, String html) {
        var color = mark.equals("✔") ? Theme.RIGHT : mark.equals("✘") ? Theme.WRONG : Theme.OPEN;
        return marked(Theme.hex(color), html);
    }

    private static String marked(String color, String html) {
        return "<div style=\"border-left:4px solid %s;padding:2px 10px\">%s</div>".formatted(color, html);
    }

    static String of(Progress progress) {
        return progress.state() != Progress.State.RUNNING
                ? Javadoc.escape(inWords(progress))
                : "<progress value=\"%d\" max=\"%d\" style=\"width:240px\"></progress> %s<br>%s"
                        .formatted(
                                progress.done(),
                                progress.planned(),
                                inWords(progress),
                                Javadoc.escape(progress.running()));
    }

    /** The progress as plain text. */
    static String inWords(Progress progress) {
        var seconds = seconds(progress.elapsed());
        var counted = progress.counted();
        if (progress.state() == Progress.State.RUNNING) {
            var left = progress.left() == null ? "" : ", about " + seconds(progress.left()) + " left";
            return "%,d of %,d %s, %s%s".formatted(progress.done(), progress.planned(), counted, seconds, left);
        }
        if (progress.state() == Progress.State.INTERRUPTED) {
            var kept = progress.measured() > 0 ? "; the %s measured so far are kept".formatted(counted) : "";
            return "%s: interrupted after %,d of %,d %s, %s%s"
                    .formatted(progress.experiment(), progress.done(), progress.planned(), counted, seconds, kept);
        }
        int warmUp = progress.planned() - progress.measured();
        var also = warmUp > 0 ? " and %,d for warm-up".formatted(warmUp) : "";
        return "%s: %,d %s%s in %s".formatted(progress.experiment(), progress.measured(), counted, also, seconds);
    }

    private static String seconds(Duration duration) {
        return "%.1f s".formatted(duration.toMillis() / 1e3);
    }

    /**
     * A picture.
     *
     * @param description what it shows, for readers who cannot see it
     * @param png the picture's bytes in base 64
     * @param script an element that may replace the picture, or nothing
     */
    static String picture(String description, int width, int height, String png, String script) {
        var picture = "<img alt=\"%s\" width=\"%d\" height=\"%d\" style=\"max-width: 100%%; height: auto\""
                + " src=\"data:image/png;base64,%s\">";
        var image = picture.formatted(Javadoc.escape(description).replace("\"", "&quot;"), width, height, png);
        return script.isEmpty() ? image : "<div>" + image + script + "</div>";
    }

    /** A place where a page of the site asks for a guess again. */
    static String asked(String html, String guess) {
        return "<div class=\"threadlab-guess\" data-guess=\"%s\">%s</div>"
                .formatted(Javadoc.escape(guess).replace("\"", "&quot;"), html);
    }

    /** A picture, and the same drawn anew for a phone, whose title is text; the site's style shows one of the two. */
    static String narrow(String wide, String description, Chart<?, ?> chart) {
        var lines = Javadoc.escape(chart.getTitle()).split("\n", 2);
        var words = lines[0].isEmpty() ? "" : "<strong>%s</strong><br>".formatted(lines[0]);
        var figures = lines.length > 1 ? lines[1] + "<br>" : "";
        var image = picture(description, ChartImage.PHONE, ChartImage.phoneHeight(chart), ChartImage.narrow(chart), "");
        return "<div class=\"threadlab-wide\">%s</div><div class=\"threadlab-narrow\">%s%s%s</div>"
                .formatted(wide, words, figures, image);
    }
}
