package threadlab.plot;

import java.util.Arrays;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Results;

/** The lanes of a chart of {@link Plots#lanes}: a measured value each, beside its prediction. */
public final class LaneChart {

    private final StringColumn names = StringColumn.create("what");
    private final StringColumn contenders = StringColumn.create("contender");
    private final StringColumn kinds = StringColumn.create("kind");
    private final DoubleColumn values;
    private final DoubleColumn predictions = DoubleColumn.create("predicted");
    private final String ring;

    LaneChart(String figure, String ring) {
        values = DoubleColumn.create(figure);
        this.ring = ring;
    }

    /**
     * Adds a value. Contenders with the same name share a lane; several values of one contender on one lane are trials.
     *
     * @param name the name of the lane
     * @param contender a kind of thread, which gives the colour, or a name that begins with one, such as
     *     {@code "platform, pool of 200"}
     * @param value what was measured, in the figure's unit
     * @param predicted what was predicted, in the figure's unit
     * @return these lanes
     */
    public LaneChart lane(String name, String contender, double value, double predicted) {
        var kind = contender.split(",")[0];
        boolean known = Arrays.stream(Kind.values()).map(Kind::toString).anyMatch(kind::equals);
        names.append(name);
        contenders.append(contender);
        kinds.append(known ? kind : Kind.OTHER.toString());
        values.append(value);
        predictions.append(predicted);
        return this;
    }

    /**
     * Adds what one contender measured, a mark for each trial that ended well.
     *
     * @param name the name of the lane
     * @param trials a table with the columns of {@link threadlab.measure.Trials} and this chart's figure
     * @param contender its name, or its kind where no other contender has it
     * @param predicted what was predicted, in the figure's unit
     * @return these lanes
     */
    public LaneChart lane(String name, Table trials, String contender, double predicted) {
        for (var row : Results.ok(Results.of(trials, contender))) {
            lane(name, row.getString("contender"), ((Number) row.getObject(values.name())).doubleValue(), predicted);
        }
        return this;
    }

    /**
     * The chart: the largest value on top, a ring at each prediction, or a line if it is the same for all.
     *
     * @param sentence its title
     * @return a chart of the lanes against the figure, with the figures of the lane on which contenders differ most
     */
    public XYChart chart(String sentence) {
        return Plots.titled(sentence, Against.predicted(table(), values.name(), ring));
    }

    /**
     * The values, for a claim about them.
     *
     * @return columns {@code what} (the name), {@code contender}, {@code kind}, the figure and {@code predicted}, both in
     *     the figure's unit; one row per value, in the order in which they were added
     */
    public Table table() {
        return Table.create("lanes", names, contenders, kinds, values, predictions);
    }
}
