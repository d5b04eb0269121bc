package threadlab.plot;

import java.awt.Color;
import java.util.List;
import org.knowm.xchart.XYChart;
import tech.tablesaw.aggregate.AggregateFunctions;
import tech.tablesaw.api.Table;
import threadlab.measure.Results;
import threadlab.plot.Lanes.Bar;

/** Draws outcomes that are one of two: a lane for each way, a column for each contender, dark where the value is high. */
final class Tiles {

    private static final Color LOW = new Color(0xE4E4E4);
    private static final Color HIGH = new Color(0x4A4A4A);
    private static final double GAP = 0.03;

    private Tiles() {}

    static XYChart chart(Table results, String figure) {
        Results.require(results, "what", "contender", figure);
        var medians = results.summarize(figure, AggregateFunctions.median)
                .by("what", "contender")
                .setName(results.name());
        var values = medians.numberColumn("Median [" + figure + "]");
        double middle = (values.min() + values.max()) / 2;
        var contenders =
                results.stringColumn("contender").asList().stream().distinct().toList();
        var lanes = new Lanes(
                results.stringColumn("what").asList().stream().distinct().toList());
        var chart = lanes.timeChart(figure, "way", contenders.size(), 46, -30);
        chart.getStyler()
                .setXAxisTickLabelsFormattingFunction(x -> x == Math.floor(x) || x < 0 || x > contenders.size()
                        ? String.valueOf(x)
                        : contenders.get((int) (double) x));
        chart.getStyler().setLegendVisible(false);
        for (int i = 0; i < contenders.size(); i++) {
            chart.sizes(i + 0.5);
        }
        for (int row = 0; row < medians.rowCount(); row++) {
            var contender = medians.stringColumn("contender").get(row);
            int column = contenders.indexOf(contender);
            var what = medians.stringColumn("what").get(row);
            double value = values.getDouble(row);
            var tile = new Bar(what, contender, column + GAP, column + 1 - GAP);
            var color = value > middle ? HIGH : LOW;
            lanes.bars(chart, what + ", " + contender, color, List.of(tile));
            var text = Plots.number(value);
            lanes.write(chart, tile, color, Theme.NAME, text + Findings.unitInBrackets(figure), text);
        }
        chart.setTitle(Findings.sentence(Findings.withoutUnit(figure)) + ": dark where it is high");
        return chart;
    }
}
