package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.geom.Ellipse2D;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.Marker;
import tech.tablesaw.aggregate.AggregateFunctions;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Draws measured values in the rings that a prediction has drawn for them: a lane for each quantity. */
final class AgainstPredicted {

    /** Room for a mark inside. */
    private static final Marker RING = new Marker() {
        @Override
        public void paint(Graphics2D g, double x, double y, int size) {
            g.setStroke(new BasicStroke(1.6f));
            g.draw(new Ellipse2D.Double(x - size, y - size, 2 * size, 2 * size));
        }
    };

    private static final int LANE = 84;
    /** How far a number stands from its mark, in pixels. */
    private static final double BESIDE = 12;
    /** A ring so near to its mark, as a share of the axis, is around it. */
    private static final double TOUCHING = 0.005;
    /** The part of a chart's width that its plot gets, about. */
    private static final double PLOT_WIDTH = Theme.WIDTH - 200.0;

    private AgainstPredicted() {}

    static XYChart chart(Table results, String figure) {
        Results.require(results, "what", "contender", figure, "predicted");
        var whats = results.stringColumn("what").asList().stream().distinct().toList();
        var contenders = new Contenders(results);
        var medians = results.summarize(figure, "predicted", AggregateFunctions.median)
                .by("what", "contender");
        medians.column("Median [" + figure + "]").setName(figure);
        medians.column("Median [predicted]").setName("predicted");
        var axes = new Lanes(whats);
        var chart = axes.chart(figure.equals("seconds") ? "wall time (s)" : figure, "way", LANE, 0);
        var style = chart.getStyler();
        style.setXAxisMin(0.0);
        // room for the number beside the largest
        double widest = Math.max(
                results.numberColumn(figure).max(),
                results.numberColumn("predicted").max());
        style.setXAxisMax(1.08 * widest);
        style.setXAxisTickLabelsFormattingFunction(Plots::number);
        style.setYAxisTitleVisible(false);
        style.setPlotContentSize(0.92);
        for (String contender : contenders.names()) {
            var look = contenders.look(contender);
            var rows = Rows.of(medians, contender);
            AgainstPrinted.marks(
                    chart,
                    axes,
                    rows,
                    figure,
                    contender,
                    look.marker(),
                    (row, text) -> {
                        double gap = gap(rows, row, figure, widest);
                        if (gap < TOUCHING || gap > 0.13) {
                            return Label.rightOf(text, AgainstPrinted.VALUE, BESIDE);
                        }
                        // the ring is in the way; at the left there is room, unless the axis is there
                        return Rows.doubles(rows, figure)[row] < 0.13 * widest
                                ? Label.rightOf(text, AgainstPrinted.VALUE, BESIDE + gap * PLOT_WIDTH)
                                : Label.leftOf(text, AgainstPrinted.VALUE, BESIDE);
                    },
                    contenders);
            var trials = scatter(chart, axes, Rows.of(results, contender), figure, contender + " (trials)", contenders);
            trials.setMarker(Theme.TRIAL);
            trials.setMarkerColor(look.faint());
            trials.setShowInLegend(false);
            var rings = scatter(chart, axes, rows, "predicted", contender + ", predicted", contenders);
            rings.setLabel("predicted");
            rings.setMarker(RING);
            rings.setMarkerColor(Theme.PREDICTION);
            rings.setShowInLegend(contender.equals(contenders.names().getLast()));
        }
        chart.setTitle(finding(medians, figure));
        return chart;
    }

    /** How far the ring of a row lies to the right of its mark, as a share of the axis. */
    private static double gap(Table rows, int row, String figure, double widest) {
        return (Rows.doubles(rows, "predicted")[row] - Rows.doubles(rows, figure)[row]) / widest;
    }

    private static XYSeries scatter(
            XYChart chart, Lanes axes, Table rows, String column, String name, Contenders contenders) {
        var x = Rows.doubles(rows, column);
        var y = new double[x.length];
        for (int i = 0; i < y.length; i++) {
            y[i] = axes.y(rows.stringColumn("what").get(i))
                    + AgainstPrinted.above(rows.stringColumn("contender").get(i), contenders);
        }
        var series = chart.addSeries(name, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        return series;
    }

    /** The lane where the contenders are furthest apart. */
    private static String finding(Table medians, String figure) {
        var finding = "Measured, in the ring of its prediction";
        double furthest = 0;
        for (String what : medians.stringColumn("what").unique()) {
            var rows =
                    medians.where(medians.stringColumn("what").isEqualTo(what)).sortDescendingOn(figure);
            int last = rows.rowCount() - 1;
            double most = Rows.doubles(rows, figure)[0];
            double least = Rows.doubles(rows, figure)[last];
            if (most - least > furthest) {
                furthest = most - least;
                finding = what + ": "
                        + compared(
                                rows.stringColumn("contender").get(0),
                                most,
                                rows.stringColumn("contender").get(last),
                                least,
                                figure);
            }
        }
        return finding;
    }

    /** A factor only where it means something: beside next to nothing everything is large. */
    private static String compared(String first, double most, String last, double least, String figure) {
        boolean time = figure.equals("seconds");
        if (most > 20 * least) {
            var unit = time
                    ? " s"
                    : figure.replaceFirst("^.*\\((.*)\\)$|^.*$", " $1").stripTrailing();
            return "%s%s for %s, %s%s for %s"
                    .formatted(Plots.number(most), unit, first, Plots.number(least), unit, last);
        }
        return "%s %s %s × %s %s"
                .formatted(
                        first,
                        time ? "takes" : "reaches",
                        Plots.number(most / least),
                        time ? "as long as" : "that of",
                        last);
    }
}
