package threadlab.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.aggregate.AggregateFunctions;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Draws measured values beside those that others printed or that theory predicts: a lane for each quantity. */
final class Against {

    /** Between two contenders, in lanes; less where there are many. */
    private static final double APART = 0.2;
    /** The share of a lane that its contenders take at most. */
    private static final double SHARE = 0.8;
    /** How far a number stands from its mark, in pixels. */
    private static final double BESIDE = 12;
    /** A ring so near to its mark, as a share of the axis, is around it. */
    private static final double TOUCHING = 0.005;
    /** A ring so far from its mark, as a share of the axis, leaves room for the number. */
    private static final double CLEAR = 0.13;
    /** The part of a chart's width that its plot gets beside long names, about. */
    private static final double PLOT_WIDTH = Theme.WIDTH - 200.0;

    private final Contenders contenders;
    private final Lanes lanes;
    private final Card chart;

    private Against(Table rows, String xTitle, String yTitle, int laneHeight, String... columns) {
        Results.require(rows, columns);
        contenders = new Contenders(rows);
        lanes = new Lanes(whats(rows));
        chart = lanes.chart(xTitle, yTitle, laneHeight, 0.92, 0);
    }

    private static List<String> whats(Table rows) {
        return rows.stringColumn("what").asList().stream().distinct().toList();
    }

    private static Table of(Table rows, String what) {
        return rows.where(rows.stringColumn("what").isEqualTo(what));
    }

    static XYChart printed(Table costs) {
        var drawing = new Against(
                costs, "value, in the unit of its lane", "quantity", 88, "what", "contender", "here", "printed");
        drawing.chart.getStyler().setXAxisLogarithmic(true);
        for (String side : List.of("here", "printed")) {
            boolean here = side.equals("here");
            for (String contender : drawing.contenders.names()) {
                var own = Rows.of(costs, contender);
                // what could not be measured (missing, or lost in the noise below 0) has no place on a logarithmic axis
                var rows = own.where(own.numberColumn(side).isGreaterThan(0));
                if (!rows.isEmpty()) {
                    var name = contender + ", " + side;
                    drawing.marks(rows, contender, side, name, here ? SeriesMarkers.CIRCLE : Theme.RING)
                            .setShowInLegend(true);
                    drawing.numbers(
                            rows, contender, side, name, (_, text) -> Label.above(text, Theme.VALUE, here ? 14 : -14));
                }
            }
        }
        drawing.chart.setTitle(besidePrinted(costs, drawing.contenders.names()));
        return drawing.chart;
    }

    static XYChart predicted(Table results, String figure) {
        var drawing = new Against(results, Findings.axis(figure), "way", 84, "what", "contender", figure, "predicted");
        var medians = results.summarize(figure, "predicted", AggregateFunctions.median)
                .by("what", "contender");
        medians.column("Median [" + figure + "]").setName(figure);
        medians.column("Median [predicted]").setName("predicted");
        double widest = Math.max(
                results.numberColumn(figure).max(),
                results.numberColumn("predicted").max());
        drawing.chart.getStyler().setXAxisMin(0.0);
        // room for the number beside the largest
        drawing.chart.getStyler().setXAxisMax(1.08 * widest);
        for (String contender : drawing.contenders.names()) {
            var look = drawing.contenders.look(contender);
            var rows = Rows.of(medians, contender);
            drawing.marks(rows, contender, figure, contender, look.marker()).setShowInLegend(true);
            var measured = Rows.doubles(rows, figure);
            var predicted = Rows.doubles(rows, "predicted");
            drawing.numbers(rows, contender, figure, contender, (row, text) -> {
                double gap = (predicted[row] - measured[row]) / widest;
                if (gap < TOUCHING || gap > CLEAR) {
                    return Label.rightOf(text, Theme.VALUE, BESIDE);
                }
                // the ring is in the way; at the left there is room, unless the axis is there
                return measured[row] < CLEAR * widest
                        ? Label.rightOf(text, Theme.VALUE, BESIDE + gap * PLOT_WIDTH)
                        : Label.leftOf(text, Theme.VALUE, BESIDE);
            });
            drawing.marks(Rows.of(results, contender), contender, figure, contender + " (trials)", Theme.TRIAL)
                    .setMarkerColor(look.faint());
            var rings = drawing.marks(rows, contender, "predicted", contender + ", predicted", Theme.AROUND);
            rings.setLabel("predicted");
            rings.setMarkerColor(Theme.PREDICTION);
            rings.setShowInLegend(contender.equals(drawing.contenders.names().getLast()));
        }
        drawing.chart.setTitle(furthestApart(medians, figure));
        return drawing.chart;
    }

    /** The values of one contender in its colour, each on its lane. */
    private XYSeries marks(Table rows, String contender, String column, String name, Marker marker) {
        var color = contenders.look(contender).color();
        return Lanes.marks(chart, name, Rows.doubles(rows, column), places(rows, contender), marker, color);
    }

    /** Writes a number for each value, where {@code label} puts it by the index of its row. */
    private void numbers(
            Table rows, String contender, String column, String name, BiFunction<Integer, String, Label> label) {
        var x = Rows.doubles(rows, column);
        var y = places(rows, contender);
        for (int i = 0; i < x.length; i++) {
            Lanes.marks(
                    chart,
                    "number of " + name + ", " + i,
                    new double[] {x[i]},
                    new double[] {y[i]},
                    label.apply(i, Plots.number(x[i])),
                    Theme.INK);
        }
    }

    /** The contenders stand a little above each other, so that equal values do not hide one another. */
    private double[] places(Table rows, String contender) {
        var names = contenders.names();
        double apart = Math.min(APART, SHARE / names.size());
        double above = apart * ((names.size() - 1) / 2.0 - names.indexOf(contender));
        return rows.stringColumn("what").asList().stream()
                .mapToDouble(what -> lanes.y(what) + above)
                .toArray();
    }

    /** How the first contender compares with the second in each quantity, as measured here. */
    private static String besidePrinted(Table costs, List<String> contenders) {
        var parts = new ArrayList<String>();
        if (contenders.size() == 2) {
            for (String what : whats(costs)) {
                double first = here(of(costs, what), contenders.get(0));
                double second = here(of(costs, what), contenders.get(1));
                if (first > 0 && second > 0) {
                    parts.add(Findings.withoutUnit(what) + " " + Plots.number(first / second) + "×");
                }
            }
        }
        return parts.isEmpty()
                ? "Measured here beside what was printed"
                : "Here, %s ÷ %s: %s".formatted(contenders.get(0), contenders.get(1), String.join(", ", parts));
    }

    private static double here(Table rows, String contender) {
        var own = Rows.of(rows, contender);
        return own.isEmpty() ? Double.NaN : Rows.doubles(own, "here")[0];
    }

    /** The lane where the contenders are furthest apart. */
    private static String furthestApart(Table medians, String figure) {
        var finding = "Measured, in the ring of its prediction";
        double furthest = 0;
        for (String what : medians.stringColumn("what").unique()) {
            var rows = of(medians, what).sortDescendingOn(figure);
            var values = Rows.doubles(rows, figure);
            double most = values[0];
            double least = values[values.length - 1];
            if (most - least > furthest) {
                furthest = most - least;
                var names = rows.stringColumn("contender");
                finding = what + ": " + compared(names.get(0), most, names.get(values.length - 1), least, figure);
            }
        }
        return finding;
    }

    /** A factor only where it means something: beside next to nothing everything is large. */
    private static String compared(String first, double most, String last, double least, String figure) {
        if (most > 20 * least) {
            var unit = figure.equals("seconds") ? " s" : Findings.unitInBrackets(figure);
            return "%s%s for %s, %s%s for %s"
                    .formatted(Plots.number(most), unit, first, Plots.number(least), unit, last);
        }
        var words = figure.equals("seconds") ? "%s takes %s × as long as %s" : "%s reaches %s × that of %s";
        return words.formatted(first, Plots.number(most / least), last);
    }
}
