package threadlab.plot;

import java.util.List;
import org.knowm.xchart.XYChart;
import tech.tablesaw.aggregate.AggregateFunctions;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;
import threadlab.plot.Lanes.Bar;

/** Draws two-valued outcomes: a lane for each {@code what}, a column for each contender, coloured if high. */
final class Tiles {

    private static final double GAP = 0.03;

    private Tiles() {}

    static XYChart chart(Table results, String figure) {
        Results.require(results, "what", "contender", figure);
        var names = new Contenders(results).names();
        var lanes = new Lanes(
                results.stringColumn("what").asList().stream().distinct().toList());
        var chart = lanes.timeChart(figure, "way", names.size(), 46, -30);
        var style = chart.getStyler();
        style.setXAxisMin(GAP / 2); // an axis from zero would have a tick there
        // XChart also asks for other places, and all answers must differ
        style.setXAxisTickLabelsFormattingFunction(
                x -> x > 0 && x < names.size() && x % 1 == 0.5 ? names.get((int) (double) x) : String.valueOf(x));
        style.setXAxisTitleVisible(false); // that axis carries contenders, and the figures say what the numbers are
        style.setLegendVisible(false);
        var medians = results.summarize(figure, AggregateFunctions.median).by("what", "contender");
        var unit = Findings.unitInBrackets(Findings.axis(figure));
        var values = medians.numberColumn("Median [" + figure + "]");
        for (var row : medians) {
            var name = row.getString("contender");
            int column = names.indexOf(name);
            chart.sizes(column + 0.5);
            double value = values.getDouble(row.getRowNumber());
            var tile = new Bar(row.getString("what"), name, column + GAP, column + 1 - GAP);
            boolean high = value > (values.min() + values.max()) / 2;
            var color = high ? Theme.HIGH : Theme.BAND;
            lanes.bars(chart, tile.lane() + ", " + name, color, List.of(tile));
            var text = Plots.number(value);
            lanes.write(chart, tile, color, Theme.NAME, text + unit, text);
        }
        return chart.figures(Findings.withoutUnit(Findings.axis(figure)) + ", in colour where it is high");
    }
}
