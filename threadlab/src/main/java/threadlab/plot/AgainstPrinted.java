package threadlab.plot;

import java.awt.Font;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.NumericColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Draws measured values beside printed ones: a lane for each quantity, a colour for each contender. */
final class AgainstPrinted {

    private static final Font VALUE = new Font(Font.SANS_SERIF, Font.PLAIN, 11);
    /** Between two contenders, in lanes. */
    private static final double APART = 0.2;

    private AgainstPrinted() {}

    static XYChart chart(Table costs) {
        Results.require(costs, "what", "contender", "here", "printed");
        var whats = costs.stringColumn("what").asList().stream().distinct().toList();
        var axes = new Lanes(whats);
        var chart = axes.chart("value, in the unit of its lane", "quantity", 88, 0);
        chart.getStyler().setXAxisLogarithmic(true);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(Plots::number);
        chart.getStyler().setYAxisTitleVisible(false);
        chart.getStyler().setPlotContentSize(0.92);
        var contenders = Results.contenders(costs);
        for (String side : List.of("here", "printed")) {
            // what could not be measured (missing, or lost in the noise below 0) has no place on a logarithmic axis
            for (String contender : contenders) {
                var rows = costs.where(costs.stringColumn("contender")
                        .isEqualTo(contender)
                        .and(costs.numberColumn(side).isGreaterThan(0)));
                if (!rows.isEmpty()) {
                    marks(chart, axes, rows, side, contender, contenders);
                }
            }
        }
        Theme.title(chart, finding(costs, contenders));
        return chart;
    }

    private static void marks(
            XYChart chart, Lanes axes, Table rows, String side, String contender, List<String> contenders) {
        boolean here = side.equals("here");
        var color = Theme.look(contender, contenders).color();
        var x = ((NumericColumn<?>) rows.column(side)).asDoubleArray();
        // the contenders stand a little above each other, so that equal values do not hide one another
        double above = APART * ((contenders.size() - 1) / 2.0 - contenders.indexOf(contender));
        var y = rows.stringColumn("what").asList().stream()
                .mapToDouble(what -> axes.y(what) + above)
                .toArray();
        var series = chart.addSeries(contender + ", " + side, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setMarker(here ? SeriesMarkers.CIRCLE : Theme.RING);
        series.setMarkerColor(color);
        for (int i = 0; i < x.length; i++) {
            var label = chart.addSeries(
                    "label of %s, %s, %d".formatted(contender, side, i), new double[] {x[i]}, new double[] {y[i]});
            label.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            label.setMarker(new Label(Plots.number(x[i]), VALUE, here ? 14 : -14));
            label.setMarkerColor(Theme.INK);
            label.setShowInLegend(false);
        }
    }

    /** How the first contender compares with the second in each quantity, as measured here. */
    private static String finding(Table costs, List<String> contenders) {
        var parts = new ArrayList<String>();
        if (contenders.size() == 2) {
            for (String what :
                    costs.stringColumn("what").asList().stream().distinct().toList()) {
                var rows = costs.where(costs.stringColumn("what").isEqualTo(what));
                double first = here(rows, contenders.get(0));
                double second = here(rows, contenders.get(1));
                if (first > 0 && second > 0) {
                    parts.add("%s %s×".formatted(what.replaceFirst(" *\\(.*\\)", ""), Plots.number(first / second)));
                }
            }
        }
        return parts.isEmpty()
                ? "Measured here beside what was printed"
                : "Here, %s ÷ %s: %s".formatted(contenders.get(0), contenders.get(1), String.join(", ", parts));
    }

    private static double here(Table rows, String contender) {
        var own = rows.where(rows.stringColumn("contender").isEqualTo(contender));
        return own.isEmpty() ? Double.NaN : ((NumericColumn<?>) own.column("here")).getDouble(0);
    }
}
