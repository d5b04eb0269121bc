package threadlab.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.guess.Guess;
import threadlab.measure.Trials;

class ClaimTest {

    /** A claim as on a quiet machine, whatever this machine does. */
    private static Prediction that(String statement, Table trials) {
        return new Prediction(Purpose.MEASURED, statement, Subject.of(trials), () -> 1);
    }

    private static Prediction that(String statement, double measured) {
        return new Prediction(Purpose.MEASURED, statement, Subject.of(measured), () -> 1);
    }

    private static Table lineOf(double slope, double at200) {
        var trials = Trials.of("n workers", "requests/s").contender("virtual", n -> n == 200 ? at200 : slope * n);
        return trials.sizes(1, 10, 200).repeat(3).warmUp(0).run();
    }

    private static void assertUses(double share, Claim claim) {
        assertEquals(share, claim.marginUsed(), 1e-9, claim.toString());
        assertEquals(share <= 1, (claim.verdict() == Outcome.HELD), claim.toString());
    }

    @Test
    void a_prediction_holds_when_every_median_is_near_it() {
        var claim = that("throughput = workers ÷ latency", lineOf(20, 3_924))
                .within(0.05)
                .of(n -> n / 0.050);

        assertUses(0.38, claim);
        assertEquals(3_924, claim.value());
        assertEquals("within 5 % of 4,000", claim.bound());
        assertEquals(
                "✔ throughput = workers ÷ latency: 3 of 3 points; the tightest, virtual at 200: 3,924 (3,924 to 3,924 in 3 trials),"
                        + " allowed: within 5 % of 4,000; 38 % of the way from theory to that limit",
                claim.toString());
    }

    @Test
    void a_prediction_that_fails_says_where_and_what_to_do() {
        var claim = that("it scales", lineOf(20, 2_000)).within(0.05).of(n -> n / 0.050);

        assertUses(10, claim);
        assertTrue(
                claim.toString()
                        .startsWith(
                                "✘ it scales: 2 of 3 points; the worst, virtual at 200: 2,000 (2,000 to 2,000 in 3 trials), allowed: within"
                                        + " 5 % of 4,000; 10 times as far from theory as allowed. This machine has"),
                claim.toString());
        assertTrue(claim.detail().endsWith(". Run the measuring cell again."), claim.detail());
        assertTrue(claim.detail().contains("CPU"), claim.detail());
    }

    @Test
    void the_margin_goes_from_the_prediction_to_the_bound() {
        assertUses(0.1, that("", 1.05).predicted(1).atMost(1.5));
        assertEquals("99, allowed: at least 8", that("", 99).atLeast(8).detail(), "without theory it is no way");
        assertUses(0, that("", 0.95).predicted(1).atMost(1.5));
        assertUses(2, that("", 2).predicted(1).atMost(1.5));
        assertUses(0.25, that("", 95).predicted(100).atLeast(80));
        assertUses(0, that("", 120).predicted(100).atLeast(80));
        assertUses(1.5, that("", 70).predicted(100).atLeast(80));
        var claim = that("", 1.05).predicted(1).atMost(1.5);
        assertEquals("at most 1.5 (predicted 1)", claim.bound());

        var table = lineOf(20, 4_100);
        assertUses(0.5, that("", table).predicted(n -> 20 * n).atMost(n -> 21 * n));
        assertUses(0, that("", table).predicted(n -> 20 * n).atLeast(n -> 19 * n));
        assertUses(0.5, that("", 0.5).predicted(0).atMost(1));
        assertUses(0.5, that("", -5).predicted(0).atLeast(-10));
    }

    @Test
    void without_a_prediction_the_margin_goes_to_the_bound() {
        assertUses(0.7, that("", 1.05).atMost(1.5));
        assertUses(0, that("", -3).atMost(1.5));
        assertUses(0.25, that("", 4).atLeast(1));
        assertUses(1.5, that("", 2).atLeast(3));
        assertUses(1, that("", 3).atLeast(3));

        var table = lineOf(20, 4_000);
        assertUses(20 / 21.0, that("", table).atMost(n -> 21 * n));
        assertUses(4_000 / 3_999.0, that("", table).atMost(3_999));
        assertUses(1, that("", table).atLeast(20));
        assertUses(20.1 / 20, that("", table).atLeast(n -> 20.1 * n));
    }

    @Test
    void growth_has_a_margin_above_none() {
        var table = lineOf(20, 4_000);
        assertUses(9 / 199.0, that("", table).growsBy(10));
        assertUses(200 / 199.0, that("", table).growsBy(201));
        assertUses(Double.POSITIVE_INFINITY, that("", lineOf(20, 10)).growsBy(1.1));
        assertEquals(200, that("", table).growsBy(10).value());
    }

    @Test
    void where_nothing_is_allowed_a_measurement_uses_nothing_or_too_much() {
        var none = lineOf(0, 0);
        var some = lineOf(0, 1);
        for (double measured : new double[] {0, 1}) {
            double share = measured == 0 ? 0 : Double.POSITIVE_INFINITY;
            var table = measured == 0 ? none : some;
            assertUses(share, that("", measured).atMost(0));
            assertUses(share, that("", table).atMost(0));
            assertUses(share, that("", measured).within(0.1).of(0));
            assertUses(share, that("", table).within(0.1).of(0));
            assertUses(share, that("", table).within(0).of(0));
            assertUses(share, that("", measured + 2).predicted(2).atMost(2));
            assertUses(share, that("", 2 - measured).predicted(2).atLeast(2));
            assertUses(share, that("", 200 + measured).within(0).of(200));
        }
        assertUses(0, that("", 0).atLeast(0));
        assertUses(Double.POSITIVE_INFINITY, that("", 0).atLeast(1));
        assertUses(Double.POSITIVE_INFINITY, that("", -1).atLeast(0));
        assertEquals("exactly 200", that("", 201).within(0).of(200).bound());
    }

    @Test
    void one_size_cannot_show_growth() {
        var table = Trials.of("n").contender("a", n -> {}).repeat(1).run();
        var claim = that("it grows", table).growsBy(1.1);
        assertFalse((claim.verdict() == Outcome.HELD));
        assertTrue(Double.isNaN(claim.marginUsed()));
        assertTrue(claim.detail().contains("only one size ran"), claim.detail());
    }

    @Test
    void a_failed_trial_breaks_the_claim_even_if_the_others_agree() {
        var calls = new int[1];
        var table = Trials.of("n", "x")
                .contender("a", n -> {
                    if (calls[0]++ == 1) {
                        throw new IllegalStateException();
                    }
                    return 1;
                })
                .repeat(3)
                .warmUp(0)
                .run();
        var claim = that("x is 1", table).within(0.05).of(1);
        assertFalse((claim.verdict() == Outcome.HELD));
        assertEquals(0, claim.marginUsed());
        assertEquals("a trial failed", row("x is 1").getString("note"));
        assertTrue(
                claim.detail().contains("1 trial did not end well (a: failed: java.lang.IllegalStateException)"),
                claim.detail());
    }

    @Test
    void what_has_no_good_trial_or_is_no_number_breaks_the_claim() {
        var table = Trials.of("n", "x")
                .contender("a", n -> {
                    throw new IllegalStateException();
                })
                .repeat(2)
                .run();
        assertUses(Double.NaN, that("", table).within(0.5).of(1));
        assertUses(Double.NaN, that("", table).atMost(1e9));
        assertUses(Double.NaN, that("", table).atLeast(0));
        assertUses(Double.NaN, that("", table).predicted(0).atLeast(-1e9));
        assertUses(Double.NaN, that("", table).growsBy(1.1));
        assertUses(Double.NaN, that("", Double.NaN).within(0.5).of(1));
        assertUses(Double.NaN, that("", 1.0 / 0).atLeast(3));
        assertUses(Double.NaN, that("", Double.NaN).predicted(1).atMost(3));
        assertUses(Double.NaN, that("", lineOf(0, 1)).growsBy(2));
        assertUses(Double.NaN, that("", lineOf(20, 1.0 / 0)).atLeast(1));
    }

    @Test
    void numbers_are_judged_too() {
        var claim = that("512.5 was printed as 512.74", 512.74).within(0.001).of(512.5);
        assertEquals(
                "✔ 512.5 was printed as 512.74: 512.7, allowed: within 0.1 % of 512.5; 47 % of the way from theory to that limit",
                claim.toString());
        assertFalse(that("", 600).within(0.001).of(512.5).verdict() == Outcome.HELD);
    }

    @Test
    void a_readers_guess_stands_beside_what_theory_gives_and_what_was_measured() {
        var line = Guess.line("n workers", "requests/s", 1, 10, 200, 500).between(1, 10_000);
        var without =
                that("with a line", lineOf(20, 3_924)).guess(line).within(0.05).of(n -> n / 0.050);
        assertEquals(Optional.empty(), without.gap());
        line.is(1, 30, 1_962, 5_000);
        var drawn =
                that("with a line", lineOf(20, 3_924)).guess(line).within(0.05).of(n -> n / 0.050);
        assertEquals(without.verdict(), drawn.verdict());
        assertEquals(without.detail(), drawn.detail(), "the verdict is about the measurement");
        assertEquals(
                "You drew 1,962/s at 200; it was 3,924/s: 2 times as much.",
                drawn.gap().orElseThrow());
        assertEquals(
                "1,962 at 200", row("with a line").getString("your guess"), "of the largest size that was measured");
        assertEquals(4_000, row("with a line").getDouble("theory"));

        var number = Guess.number("one task", "seconds").upTo(10).is(4);
        that("with a number", 1).guess(number).predicted(2).atMost(3);
        assertEquals("4", row("with a number").getString("your guess"));
        assertEquals(2, row("with a number").getDouble("theory"));
        assertEquals(1, row("with a number").getDouble("measured"));
        that("only a bound", 1).atMost(3);
        assertTrue(Double.isNaN(row("only a bound").getDouble("theory")));
        assertEquals("", row("only a bound").getString("your guess"));
    }

    @Test
    void a_choice_an_order_and_bars_stand_beside_a_claim_too() {
        var choice = Guess.choice("how many begin", "two", "eight");
        var open = that("eight begin", 8).guess(choice, "eight").within(0).of(8);
        assertEquals(Optional.empty(), open.gap(), "nobody has to guess");
        choice.is("two");
        var chosen = that("eight begin", 8).guess(choice, "eight").within(0).of(8);
        assertEquals("You chose two; it was eight.", chosen.gap().orElseThrow());
        assertEquals("two", row("eight begin").getString("your guess"));
        var order = Guess.order("the cheapest first", "a", "b").is("b", "a");
        var ordered = that("a is cheaper", 1).guess(order, List.of("a", "b")).atMost(2);
        assertTrue(ordered.gap().orElseThrow().startsWith("You said b, a; it was a, b"));
        assertEquals("b, a", row("a is cheaper").getString("your guess"));
        var lanes =
                Guess.lanes("one thread", "carrier 1").upTo(200).bars(30, "v1").put("v1", "carrier 1", 20);
        var placed = that("it ends", 100).guess(lanes).atMost(200);
        assertEquals(
                "Your last bar ends at 50 ms; it was 100 ms: 2 times as much.",
                placed.gap().orElseThrow());
        assertEquals("50", row("it ends").getString("your guess"));
    }

    @Test
    void a_page_that_asks_again_gets_what_was_measured_for_each_kind_of_guess() {
        var line = Guess.line("n requests", "requests/s", 20, 200).upTo(5_000);
        var claim =
                that("with a line", lineOf(20, 3_924)).guess(line).within(0.05).of(n -> n / 0.050);
        var series = (List<?>) claim.guess().orElseThrow().was().get("series");
        assertEquals(1, series.size(), "one contender");
        assertTrue(series.toString().contains("value=3924.0"), series.toString());
        var number =
                that("a number", 7).guess(Guess.number("it", "times").upTo(10)).atMost(8);
        assertTrue(number.guess().orElseThrow().was().toString().contains("value=7.0"));
        var choice = that("one", 1)
                .guess(Guess.choice("which", "a", "b"), "b")
                .within(0)
                .of(1);
        assertEquals(Map.of("words", "b"), choice.guess().orElseThrow().was());
        var lanes = that("it ends", 100)
                .guess(Guess.lanes("when", "one").upTo(200).bars(10, "x"))
                .atMost(200);
        assertEquals(Map.of("end", 100.0), lanes.guess().orElseThrow().was());
        var nothing = that("none", Double.NaN)
                .guess(Guess.number("nothing", "times").upTo(10))
                .atMost(8);
        assertEquals(Map.of(), nothing.guess().orElseThrow().was(), "nothing was measured");
    }

    @Test
    void a_guess_beside_what_a_busy_machine_measured_is_told_with_care() {
        var busy = new Prediction(Purpose.MEASURED, "busy", Subject.of(2), () -> 0.1);
        var guess = Guess.number("one task", "seconds").upTo(10).is(4);
        assertTrue(
                busy.guess(guess).atMost(3).gap().orElseThrow().endsWith("so this run says little about your guess."));
        var count = new Prediction(Purpose.MEASURED, "counted", Subject.of(2), () -> 0.1);
        assertEquals(Outcome.HELD, count.guess(guess).predicted(2).atMost(2).verdict(), "a count is always judged");
    }

    private static Row row(String statement) {
        var table = Claims.table();
        var rows = table.where(table.stringColumn("claim").isEqualTo(statement));
        assertEquals(1, rows.rowCount());
        return rows.row(0);
    }

    @Test
    void the_table_of_claims_keeps_the_last_word() {
        that("an early claim", 3).atMost(2);
        that("a later claim", 1.7).atMost(2);
        that("an early claim", 1.05).predicted(1).atMost(1.5);

        var names = Claims.table().stringColumn("claim").asList();
        assertTrue(names.indexOf("an early claim") < names.indexOf("a later claim"));
        var early = row("an early claim");
        assertEquals("✔", early.getString("held"));
        assertEquals(1.05, early.getDouble("measured"));
        assertEquals("at most 1.5 (predicted 1)", early.getString("bound"));
        assertEquals(10, early.getInt("margin used (%)"));
        assertEquals("", early.getString("note"));
        assertEquals("tight", row("a later claim").getString("note"));
    }

    @Test
    void the_table_of_claims_says_why_one_broke() {
        that("just beyond", 2.001).atMost(2);
        that("nothing is allowed", 1).atMost(0);
        that("no number", Double.NaN).atMost(1);

        assertEquals("✘", row("just beyond").getString("held"));
        assertEquals(101, row("just beyond").getInt("margin used (%)"));
        assertEquals("beyond the bound", row("just beyond").getString("note"));
        assertTrue(row("nothing is allowed").isMissing("margin used (%)"));
        assertEquals("beyond the bound", row("nothing is allowed").getString("note"));
        assertEquals("not measured", row("no number").getString("note"));
    }

    @Test
    void mistakes_in_the_claim_itself_are_named() {
        var table = lineOf(20, 4_000);
        refused("there are \"virtual\"", () -> that("", table).contender("platform"));
        refused("no column \"latency\"", () -> that("", table).figure("latency"));
        refused("5 % is written within(0.05)", () -> that("", table).within(5));
        refused("there is no table yet", () -> that("", (Table) null));
        assertTrue(that("it scales", table).toString().contains("is not a claim yet"));
        assertTrue(that("", table).within(0.1).toString().contains("add of(…)"));
        assertTrue(that("", table).predicted(1).toString().contains("add atMost(…) or atLeast(…)"));
        var two = that("", 1).predicted(2);
        refused("the prediction itself breaks the claim", () -> two.atMost(1.5));
        refused("the prediction itself breaks the claim", () -> two.atLeast(2.5));
        var negative = that("", -7);
        refused("below 0, give the number from theory with predicted(…)", () -> negative.atMost(-5));
        refused("below 0, give the number from theory with predicted(…)", () -> negative.atLeast(-5));
        refused("growsBy(2)", () -> that("", table).growsBy(1));
        refused("one number does not grow", () -> that("", 2).growsBy(2));
        refused("one number has no contenders", () -> that("", 2).contender("virtual"));
        refused("holds no numbers", () -> that("", table).figure("outcome").atMost(1));
        refused("has no rows", () -> that("", table.emptyCopy()));
    }

    @Test
    void growth_is_that_of_one_contender() {
        var trials = Trials.of("n", "x").contender("a", n -> n).contender("b", n -> 10 * n);
        var table = trials.sizes(1, 2).repeat(1).warmUp(0).run();
        refused("choose one with contender(\"a\")", () -> that("", table).growsBy(3));
        assertEquals(2, that("", table).contender("b").growsBy(1.5).value());
    }

    private static Check check(double answer) {
        return Check.answer(answer)
                .mistake(a -> a == 12_000, "the latency must be in seconds.")
                .expect(12, 0.01, "L = λ · W.", "which two do you know?");
    }

    @Test
    void an_exercise_is_open_right_or_wrong_with_its_explanation() {
        assertEquals(Check.State.OPEN, check(Check.OPEN).state());
        assertEquals(Check.State.RIGHT, check(12).state());
        var known = check(12_000).toString();
        assertEquals("✘ 12,000 is not the answer. the latency must be in seconds.", known);
        var unknown = check(7.5).toString();
        assertEquals("✘ 7.5 is not the answer. which two do you know?", unknown);
    }

    @Test
    void a_claim_about_time_is_not_judged_where_other_programs_had_the_cpus() {
        var busy = new Prediction(Purpose.MEASURED, "it takes two seconds", Subject.of(2.0), () -> 0.38);
        for (var claim : List.of(
                busy.within(0.05).of(2), busy.atMost(1), busy.predicted(1).atLeast(0.5))) {
            assertEquals(Outcome.NOT_JUDGED, claim.verdict());
            assertTrue(claim.toString().startsWith("≈ it takes two seconds: 2, allowed: "), claim.toString());
            assertTrue(claim.detail().contains("got 38 % of the CPU time that it asked for"), claim.detail());
        }
        assertEquals("≈", row("it takes two seconds").getString("held"));
        assertEquals(
                "not judged: other programs used the CPUs",
                row("it takes two seconds").getString("note"));
        assertEquals(Outcome.HELD, busy.within(0).of(2).verdict(), "a count takes no time");
        assertEquals(Outcome.BROKEN, busy.within(0).of(3).verdict());
        var repair = new Prediction(Purpose.REPAIR, "all are kept", Subject.of(2.0), () -> 0.38);
        assertEquals(Outcome.BROKEN, repair.within(0).of(3).verdict());
    }

    @ParameterizedTest(name = "{0} of the CPU time, a law that allows {1}")
    @CsvSource({
        "0.89, 0.1, ≈",
        "0.9, 0.1, ✔",
        "0.89, 0.15, ✔",
        "0.84, 0.15, ≈",
        "0.89, 0.01, ≈",
        "0.9, 0.01, ✔",
        "0.61, 0.9, ✔",
        "0.59, 0.9, ≈"
    })
    void the_less_a_law_allows_the_more_cpu_time_it_needs(double got, double slack, String mark) {
        for (double theory : new double[] {1, -200}) {
            var law = new Prediction(Purpose.MEASURED, "it is a law", Subject.of(theory), () -> got);
            var bound = theory + slack * Math.abs(theory);
            assertEquals(mark, law.within(slack).of(theory).verdict().mark());
            assertEquals(mark, law.predicted(theory).atMost(bound).verdict().mark());
        }
        var ratio = new Prediction(Purpose.MEASURED, "it is larger", Subject.of(2), () -> got);
        assertEquals(got < 0.6 ? "≈" : "✔", ratio.atLeast(1).verdict().mark(), "without theory");
    }

    @Test
    void a_law_about_a_load_that_the_cpus_limited_is_not_broken_by_it() {
        var table = lineOf(20, 3_000); // of three trials each
        table.addColumns(StringColumn.create("bottleneck", table.rowCount()));
        for (var row : table) {
            row.setString("bottleneck", row.getInt("trial") == 1 ? "none" : "CPUs");
        }
        var slow = that("it scales", table).within(0.05).of(n -> n / 0.050);
        assertEquals(Outcome.NOT_JUDGED, slow.verdict(), slow.toString());
        assertTrue(slow.detail().contains("the CPUs of this machine were the bottleneck, so"), slow.detail());
        assertEquals(
                "not judged: the CPUs of this machine were the bottleneck",
                row("it scales").getString("note"));
        var met = that("it scales", table).predicted(n -> 20 * n).atLeast(n -> 10 * n);
        assertEquals(Outcome.HELD, met.verdict(), "although the CPUs were busy");
        var fast = that("it scales", table).within(0.05).of(n -> n / 0.100);
        assertEquals(Outcome.BROKEN, fast.verdict(), "no bottleneck makes a server faster");
        assertEquals(
                Outcome.BROKEN, that("it scales", table).atLeast(n -> 30 * n).verdict(), "without theory");
        for (var row : table) {
            row.setString("bottleneck", row.getInt("trial") == 1 ? "CPUs" : "none");
        }
        assertEquals(
                Outcome.BROKEN,
                that("it scales", table).within(0.05).of(n -> n / 0.050).verdict(),
                "mostly not");
    }

    @Test
    void a_law_is_not_judged_while_a_quota_stops_the_threads() {
        for (double stopped : new double[] {0, 0.4}) {
            var late = new Prediction(Purpose.MEASURED, "it waits 1 s", Subject.of(1.2), () -> 1, () -> stopped);
            var verdict = stopped > 0 ? Outcome.NOT_JUDGED : Outcome.BROKEN;
            assertEquals(verdict, late.within(0.1).of(1).verdict());
            assertEquals(Outcome.HELD, late.within(0.3).of(1).verdict());
            assertEquals(Outcome.BROKEN, late.within(0).of(1).verdict(), "a count");
            assertEquals(Outcome.BROKEN, late.atMost(1).verdict(), "without theory");
        }
    }

    @Test
    void a_ratio_of_loads_that_the_cpus_limited_is_not_judged_by_its_law() {
        var ratios = Table.create(
                "requests/s",
                StringColumn.create("contender", "virtual ÷ platform"),
                IntColumn.create("n", new int[] {50}),
                DoubleColumn.create("ratio", 1.4),
                StringColumn.create("bottleneck", "CPUs"));
        var law = that("both only wait", ratios).within(0.1).of(1);
        assertEquals(Outcome.NOT_JUDGED, law.verdict(), law.toString());
        assertEquals(Outcome.BROKEN, that("one needs more", ratios).atLeast(2).verdict(), "without theory");
        ratios.stringColumn("bottleneck").set(0, "none");
        assertEquals(
                Outcome.BROKEN, that("both only wait", ratios).within(0.1).of(1).verdict());
    }

    @Test
    void a_claim_is_judged_where_own_threads_had_nearly_all_that_they_asked_for() {
        var quiet = new Prediction(Purpose.MEASURED, "it takes one second", Subject.of(2.0), () -> 0.9);
        assertEquals(Outcome.BROKEN, quiet.atMost(1).verdict());
    }

    @Test
    void a_claim_to_repair_is_listed_while_it_holds_and_a_printed_one_never() {
        that("there is a claim", 1).atMost(2);
        for (double measured : new double[] {1, 100, 1}) {
            var repair = Claim.repair("all 100 payments are kept", measured);
            var claim = repair.within(0).of(100);
            boolean holds = measured == 100;
            assertEquals(holds ? "✔" : "✘", claim.verdict().mark());
            assertEquals(!holds, claim.detail().endsWith(". Edit the cell above, run it, then run this one again."));
            assertEquals(holds, listed("all 100 payments are kept"));
            assertEquals(holds, Claims.lists(claim));
        }

        var printed = Claim.printed("the printed mean follows from the law", 512.74);
        assertEquals(Outcome.HELD, printed.within(0.001).of(512.5).verdict());
        assertTrue(printed.within(0.001).of(500).detail().endsWith("The printed figures do not show it."));
        var table = Claim.printed("as printed, it scales", lineOf(20, 4_000)).within(0);
        assertEquals(Outcome.HELD, table.of(n -> 20 * n).verdict());
        assertFalse(listed("the printed mean follows from the law") || listed("as printed, it scales"));
    }

    private static boolean listed(String statement) {
        return Claims.table().stringColumn("claim").contains(statement);
    }
}
