package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static threadlab.Expect.refused;

import java.util.List;
import org.junit.jupiter.api.Test;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

class ResultsTest {

    private static final String OK = Trials.OK;

    /** Two sizes of a pool, one of virtual threads, and two contenders of one kind. */
    private static Table trials() {
        return Table.create(
                "n calls",
                words("contender", "platform, pool", "virtual, one per call", "lock", "race"),
                words("kind", "platform", "virtual", "other", "other"),
                IntColumn.create("n", 100, 100, 1_000, 100, 100, 100, 100, 100),
                IntColumn.create("trial", 1, 2, 1, 1, 2, 3, 1, 1),
                DoubleColumn.create("seconds", 1, 2, 9, 5, 7, 100, 1, 1),
                DoubleColumn.create("calls/s", 10, 20, 90, 50, 70, 60, 11, 12),
                StringColumn.create("outcome", OK, OK, OK, OK, OK, "timed out after 60 s", OK, "failed"));
    }

    private static StringColumn words(String name, String pool, String virtual, String lock, String race) {
        return StringColumn.create(name, pool, pool, pool, virtual, virtual, virtual, lock, race);
    }

    @Test
    void a_contender_is_meant_by_its_name_or_by_the_kind_that_no_other_has() {
        assertEquals(3, Results.of(trials(), "virtual, one per call").rowCount());
        assertEquals(3, Results.of(trials(), "virtual").rowCount());
        assertEquals(2, Results.of(trials(), "platform", 100).rowCount());
        refused(
                "\"other\" matches more than one contender of \"n calls\": name one of \"lock\", \"race\"",
                () -> Results.of(trials(), "other"));
        refused(
                "no row of \"n calls\" holds \"vritual\" in its column \"contender\"; there are \"platform, pool\", \"virtual, one per call\", \"lock\", \"race\"",
                () -> Results.of(trials(), "vritual"));
        refused(
                "\"platform\" has no row at 5,000; it has rows at 100, 1,000",
                () -> Results.of(trials(), "platform", 5_000));
    }

    @Test
    void a_ratio_pairs_what_was_measured_in_the_same_round() {
        var ratios = Results.ratios(trials(), "calls/s", "virtual", "platform");
        assertEquals(List.of("virtual, one per call ÷ platform, pool"), Results.contenders(ratios));
        assertEquals(
                List.of(5.0, 3.5), ratios.doubleColumn("ratio").asList(), "the third round failed, 1,000 has no pair");
        refused("never both ended well in the same round", () -> Results.ratios(trials(), "calls/s", "race", "lock"));
        var limited = trials();
        limited.addColumns(StringColumn.create("bottleneck", limited.rowCount()));
        for (var row : limited) {
            row.setString("bottleneck", row.getString("contender").startsWith("platform") ? "CPUs" : "none");
        }
        assertEquals(
                List.of("CPUs", "CPUs"),
                Results.ratios(limited, "calls/s", "virtual", "platform")
                        .stringColumn("bottleneck")
                        .asList());
        var unanswered = trials();
        unanswered.doubleColumn("calls/s").setMissing(0);
        assertEquals(
                1, Results.ratios(unanswered, "calls/s", "virtual", "platform").rowCount());
    }

    @Test
    void a_name_wins_over_a_kind() {
        var table = Table.create(
                StringColumn.create("contender", "virtual", "virtual, pool"),
                StringColumn.create("kind", "virtual", "virtual"));
        assertEquals(List.of("virtual"), Results.contenders(Results.of(table, "virtual")));
    }

    @Test
    void the_median_is_over_the_trials_that_ended_well() {
        assertEquals(60, Results.median(trials(), "virtual"));
        assertEquals(6, Results.median(trials(), "virtual", "seconds"));
        assertEquals(15, Results.median(trials(), "platform", 100));
        assertEquals(9, Results.median(trials(), "platform", 1_000, "seconds"));
        assertEquals(Double.NaN, Results.median(trials(), "race"));
    }

    @Test
    void a_median_over_several_sizes_is_refused_with_the_sizes() {
        refused(
                "\"platform\" ran at several sizes (100, 1,000): name one of them",
                () -> Results.median(trials(), "platform"));
    }

    @Test
    void what_has_no_size_has_a_median_too() {
        var table = Table.create(StringColumn.create("contender", "a", "a"), DoubleColumn.create("carriers", 2, 4));
        assertEquals(3, Results.median(table, "a", "carriers"));
        refused("has no column \"n\"", () -> Results.median(table, "a", 5, "carriers"));
    }

    @Test
    void a_value_is_that_of_the_only_row() {
        var one = Results.of(trials(), "lock");
        assertEquals(11, Results.value(one, "calls/s"));
        assertEquals(100, Results.value(one, "n"));
        refused("\"n calls\" has 8 rows, so \"seconds\" has no single value", () -> Results.value(trials(), "seconds"));
        refused("holds no numbers", () -> Results.value(one, "outcome"));
        refused("has no column \"min (ms)\"; it has [contender,", () -> Results.value(one, "min (ms)"));
        refused("holds no numbers", () -> Results.median(trials(), "lock", "kind"));
    }

    @Test
    void the_rows_with_a_word_are_found_by_their_column() {
        assertEquals(3, Results.where(trials(), "kind", "virtual").rowCount());
        refused(
                "no row of \"n calls\" holds \"virtul\" in its column \"kind\";"
                        + " there are \"platform\", \"virtual\", \"other\"",
                () -> Results.where(trials(), "kind", "virtul"));
    }
}
