package threadlab.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * What {@link Trials} are set to run.
 *
 * @param repeats how often each contender runs at each size
 * @param enough the time after which no further round begins, so there may be fewer
 * @param limit how long one trial may take
 * @param picture what to draw from the rows; null for nothing
 */
record Schedule(
        String experiment,
        List<String> figures,
        List<Contender> contenders,
        List<Integer> sizes,
        int repeats,
        Duration enough,
        int warmUpRounds,
        Duration limit,
        Function<Table, ?> picture) {

    /**
     * One of the ways that an experiment compares.
     *
     * @param fits the largest size at which it may run
     */
    record Contender(Kind kind, String name, Trial body, long fits) {
        Contender upTo(long largest) {
            return new Contender(kind, name, body, largest);
        }
    }

    /** One run of a contender; trial 0 is the warm-up. */
    record Turn(Contender contender, int n, int trial) {}

    /** All turns in order. */
    List<Turn> turns() {
        var turns = new ArrayList<Turn>();
        for (int round = 0; round < warmUpRounds; round++) {
            for (Contender contender : contenders) {
                if (sizes.getFirst() <= contender.fits) {
                    turns.add(new Turn(contender, sizes.getFirst(), 0));
                }
            }
        }
        for (int trial = 1; trial <= repeats; trial++) {
            for (int n : sizes) {
                for (int i = 0; i < contenders.size(); i++) {
                    var contender = contenders.get((i + trial - 1) % contenders.size());
                    if (n <= contender.fits) {
                        turns.add(new Turn(contender, n, trial));
                    } else if (trial == 1) {
                        System.out.println("%s at %,d is left out: up to %,d fit here."
                                .formatted(contender.name, n, contender.fits));
                    }
                }
            }
        }
        return turns;
    }

    /** A table for the rows of the trials. */
    Table emptyTable() {
        var table = Table.create(
                experiment,
                StringColumn.create("contender"),
                StringColumn.create("kind"),
                IntColumn.create("n"),
                IntColumn.create("trial"),
                DoubleColumn.create("seconds"));
        figures.forEach(figure -> table.addColumns(DoubleColumn.create(figure)));
        return table.addColumns(StringColumn.create("outcome"));
    }
}
