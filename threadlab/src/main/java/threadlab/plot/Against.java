package threadlab.plot;

import java.awt.Color;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.Marker;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Draws measured values beside predicted ones: a lane for each way. */
final class Against {

    private static final int MOST_FIGURES = 3;

    /** The distance between two contenders, in lanes; smaller if there are many. */
    private static final double APART = 0.36;
    /** The largest share of a lane that its contenders may take. */
    private static final double SHARE = 0.8;
    /** The distance of a number from its mark, in pixels. */
    private static final double BESIDE = 15;

    private static final double ABOVE = 17;
    /** The space for the largest value of a chart beside long names, in pixels, about. */
    private static final double LARGEST = 400;

    /** Where the axis ends, as a multiple of the largest value, which leaves room for some digits. */
    private static final double END = 1.12;

    private static final int LANE = 70;

    private final Table rows;
    private final Contenders contenders;
    private final Lanes lanes;
    private final Card chart;

    private Against(Table rows, List<String> whats, String xTitle, String yTitle) {
        this.rows = rows;
        contenders = new Contenders(rows);
        lanes = new Lanes(whats);
        chart = lanes.chart(xTitle, yTitle, LANE, 0.92, 0);
    }

    private static List<String> whats(Table rows) {
        return rows.stringColumn("what").asList().stream().distinct().toList();
    }

    static XYChart predicted(Table results, String figure, String ring) {
        Results.require(results, "what", "contender", figure, "predicted");
        var medians = medians(results, figure);
        var drawing = new Against(results, whats(medians), Findings.axis(figure), "way");
        drawing.measured(medians, figure);
        var all = results.numberColumn("predicted");
        if (all.min() == all.max()) {
            double top = medians.stringColumn("what").countUnique() - 0.5;
            BySize.line(drawing.chart, ring, new double[] {all.min(), all.min()}, new double[] {-0.5, top});
        } else {
            drawing.rings(medians, ring);
        }
        drawing.chart.spread(Findings.trials(Plots.doubles(medians, "ok")));
        return drawing.chart.figures(figures(medians, figure));
    }

    /** A row for each contender on each lane, with the median of its prediction; the largest first. */
    private static Table medians(Table results, String figure) {
        Table all = null;
        for (String what : whats(results)) {
            var lane = Results.where(results, "what", what);
            var spread = Results.spread(lane, figure);
            var names = Collections.nCopies(spread.rowCount(), what);
            var predicted = Results.spread(lane, "predicted").column("median").copy();
            spread.addColumns(StringColumn.create("what", names), predicted.setName("predicted"));
            all = all == null ? spread : all.append(spread);
        }
        return all.sortDescendingOn("median");
    }

    private void measured(Table medians, String figure) {
        // a load that got no answer has no values, but the axis still needs an end
        double widest = Stream.of(figure, "predicted")
                .mapToDouble(column -> rows.numberColumn(column).max())
                .filter(most -> most > 0)
                .max()
                .orElse(1);
        chart.getStyler().setXAxisMin(0.0);
        chart.getStyler().setXAxisMax(END * widest);
        boolean whole = Arrays.stream(Plots.doubles(rows, figure)).allMatch(value -> value == Math.rint(value));
        for (String contender : contenders.names()) {
            var look = contenders.look(contender);
            var own = Contenders.rows(medians, contender);
            for (int i = 0; i < own.rowCount(); i++) {
                var ends = new double[] {own.row(i).getDouble("min"), own.row(i).getDouble("max")};
                var y = new double[] {y(own, i), y(own, i)};
                BySize.range(chart.addSeries("range of " + contender + ", " + i, ends, y), look);
                double median = own.row(i).getDouble("median");
                var text = (whole ? Plots.number(median) : Findings.digits(median)) + (i == 0 ? named(contender) : "");
                beside(own, i, text, widest, contender, Theme.text(look.color()));
            }
            // each is named beside its first number
            var marks = marks(own, contender, "median", contender, look.marker());
            marks.setShowInLegend(true).setLabel("");
        }
    }

    /** What stands beside the first number: the contender, or only its kind of thread where no lane is shared. */
    private String named(String contender) {
        if (contenders.names().size() == 1) {
            return "";
        }
        boolean shared =
                rows.selectColumns("what", "contender").dropDuplicateRows().rowCount()
                        > whats(rows).size();
        return (" " + (shared ? contender : contenders.thread(contender))).stripTrailing();
    }

    /** Writes to the right of the mark, its bar and its ring, or to the left if there is no room; above a bar that fills the lane. */
    private void beside(Table own, int row, String text, double widest, String contender, Color color) {
        double median = own.row(row).getDouble("median");
        double least = own.row(row).getDouble("min");
        double most = own.row(row).getDouble("max");
        double wide = (Label.width(text, Theme.VALUE) + 2 * BESIDE) * widest / LARGEST;
        double ring = own.row(row).getDouble("predicted");
        double right = ring > most - wide / 8 && ring < most + wide ? Math.max(ring, most) : most;
        double left = ring < least + wide / 8 && ring > least - wide ? Math.min(ring, least) : least;
        if (right + wide < (END + 0.1) * widest) {
            number(own, row, right, contender, Label.rightOf(text, Theme.VALUE, BESIDE), color);
        } else if (left > wide) {
            number(own, row, left, contender, Label.leftOf(text, Theme.VALUE, BESIDE), color);
        } else {
            number(own, row, median, contender, Label.above(text, Theme.VALUE, ABOVE), color);
        }
    }

    private void rings(Table medians, String name) {
        for (String contender : contenders.names()) {
            var own = Contenders.rows(medians, contender);
            var rings = marks(own, contender, "predicted", contender + ", " + name, Theme.AROUND);
            rings.setLabel(name);
            rings.setMarkerColor(Theme.PREDICTION);
            rings.setShowInLegend(contender.equals(contenders.names().getLast()));
        }
    }

    /** Marks for the values of one contender, in its colour, each on its lane. */
    private XYSeries marks(Table own, String contender, String column, String name, Marker marker) {
        var y = IntStream.range(0, own.rowCount()).mapToDouble(i -> y(own, i)).toArray();
        var color = contenders.look(contender).color();
        return Lanes.marks(chart, name, Plots.doubles(own, column), y, marker, color);
    }

    private void number(Table own, int row, double x, String name, Label label, Color color) {
        Lanes.mark(chart, "number of " + name + ", " + row, x, y(own, row), label, color);
    }

    /** The middle of the row's lane; if several contenders share the lane, they lie a little above each other. */
    private double y(Table own, int row) {
        var what = own.stringColumn("what").get(row);
        var sharing =
                Results.where(rows, "what", what).stringColumn("contender").asList();
        var here = contenders.names().stream().filter(sharing::contains).toList();
        double apart = Math.min(APART, SHARE / here.size());
        int place = here.indexOf(own.stringColumn("contender").get(row));
        return lanes.y(what) + apart * ((here.size() - 1) / 2.0 - place);
    }

    /**
     * The figures of the lane on which contenders are furthest apart or, where no lane has two, of up to three lanes; of
     * more, those of the first and the last.
     */
    private static String figures(Table medians, String figure) {
        var furthest = medians; // sorted
        double most = 0;
        var key = "what";
        for (String what : whats(medians)) {
            var lane = Results.where(medians, "what", what);
            var values = lane.doubleColumn("median");
            if (values.max() - values.min() > most) {
                most = values.max() - values.min();
                furthest = lane;
                key = "contender";
            }
        }
        var unit = figure.equals("seconds") ? " s" : Findings.unitInBrackets(figure);
        boolean few = furthest.rowCount() <= (key.equals("what") ? MOST_FIGURES : 1);
        var ends = few ? furthest : furthest.first(1).append(furthest.last(1));
        // the name of a lane may end with a number of its own
        var form = key.equals("what") ? "%s: %s%s" : "%s %s%s";
        var names = ends.stringColumn(key).asList();
        var values = Plots.doubles(ends, "median");
        var where = key.equals("what") || whats(medians).size() == 1 ? "" : furthest.getString(0, "what") + ": ";
        return IntStream.range(0, values.length)
                .mapToObj(i -> form.formatted(names.get(i), Findings.digits(values[i]), unit))
                .collect(Collectors.joining("; ", where, ""));
    }
}
