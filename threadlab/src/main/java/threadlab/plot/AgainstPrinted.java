package threadlab.plot;

import java.awt.Font;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;

/** Draws measured values beside printed ones: a lane for each quantity, a colour for each contender. */
final class AgainstPrinted {

    static final Font VALUE = new Font(Font.SANS_SERIF, Font.PLAIN, 11);

    /** Between two contenders, in lanes; less where there are many. */
    private static final double APART = 0.2;

    /** The share of a lane that its contenders take at most. */
    private static final double SHARE = 0.8;

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
        var contenders = new Contenders(costs);
        for (String side : List.of("here", "printed")) {
            // what could not be measured (missing, or lost in the noise below 0) has no place on a logarithmic axis
            for (String contender : contenders.names()) {
                var own = Rows.of(costs, contender);
                var rows = own.where(own.numberColumn(side).isGreaterThan(0));
                if (!rows.isEmpty()) {
                    boolean here = side.equals("here");
                    var marker = here ? SeriesMarkers.CIRCLE : Theme.RING;
                    marks(
                            chart,
                            axes,
                            rows,
                            side,
                            contender + ", " + side,
                            marker,
                            (_, text) -> new Label(text, VALUE, here ? 14 : -14),
                            contenders);
                }
            }
        }
        chart.setTitle(finding(costs, contenders.names()));
        return chart;
    }

    /**
     * Draws the values of one contender, a mark and a label for each row.
     *
     * @param label makes the label of a row, by its index, from the words for its value
     */
    static void marks(
            XYChart chart,
            Lanes axes,
            Table rows,
            String column,
            String name,
            Marker marker,
            BiFunction<Integer, String, Label> label,
            Contenders contenders) {
        var contender = rows.stringColumn("contender").get(0);
        var x = Rows.doubles(rows, column);
        var y = rows.stringColumn("what").asList().stream()
                .mapToDouble(what -> axes.y(what) + above(contender, contenders))
                .toArray();
        var series = chart.addSeries(name, x, y);
        series.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
        series.setMarker(marker);
        series.setMarkerColor(contenders.look(contender).color());
        for (int i = 0; i < x.length; i++) {
            var words = chart.addSeries("label of " + name + ", " + i, new double[] {x[i]}, new double[] {y[i]});
            words.setXYSeriesRenderStyle(XYSeriesRenderStyle.Scatter);
            words.setMarker(label.apply(i, Plots.number(x[i])));
            words.setMarkerColor(Theme.INK);
            words.setShowInLegend(false);
        }
    }

    /** The contenders stand a little above each other, so that equal values do not hide one another. */
    static double above(String contender, Contenders contenders) {
        var names = contenders.names();
        double apart = Math.min(APART, SHARE / names.size());
        return apart * ((names.size() - 1) / 2.0 - names.indexOf(contender));
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
        var own = Rows.of(rows, contender);
        return own.isEmpty() ? Double.NaN : Rows.doubles(own, "here")[0];
    }
}
