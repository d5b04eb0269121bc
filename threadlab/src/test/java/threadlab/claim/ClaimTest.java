package threadlab.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import tech.tablesaw.api.Table;
import threadlab.measure.Trials;

class ClaimTest {

    private static Table lineOf(double slope, double at200) {
        return Trials.of("n workers", "requests/s")
                .contender("virtual", n -> n == 200 ? at200 : slope * n)
                .sizes(1, 10, 200)
                .repeat(3)
                .warmUp(0)
                .run();
    }

    @Test
    void a_prediction_holds_when_every_median_is_near_it() {
        var claim = Claim.that("throughput = workers ÷ latency", lineOf(20, 3_924))
                .within(0.05)
                .of(n -> n / 0.050);

        assertTrue(claim.held());
        assertEquals(
                "✔ throughput = workers ÷ latency: 3 of 3 points within 5 % (largest deviation 1.9 %, at 200)",
                claim.toString());
    }

    @Test
    void a_prediction_that_fails_says_where_and_what_to_do() {
        var claim = Claim.that("it scales", lineOf(20, 2_000))
                .hint("close other programs")
                .within(0.05)
                .of(n -> n / 0.050);

        assertFalse(claim.held());
        assertTrue(
                claim.toString().startsWith("✘ it scales: 2 of 3 points within 5 % (largest deviation 50 %, at 200)"));
        assertTrue(claim.detail().endsWith("or close other programs."), claim.detail());
        assertTrue(claim.detail().contains("CPU"), claim.detail());
    }

    @Test
    void bounds_hold_or_not() {
        var table = lineOf(20, 4_000);
        assertTrue(Claim.that("", table).atMost(n -> 21 * n).held());
        assertFalse(Claim.that("", table).atMost(3_999).held());
        assertTrue(Claim.that("", table).atLeast(20).held());
        assertFalse(Claim.that("", table).atLeast(n -> 20.1 * n).held());
        assertTrue(Claim.that("", table).growsBy(199).held());
        assertFalse(Claim.that("", table).growsBy(201).held());
    }

    @Test
    void one_size_cannot_show_growth() {
        var table = Trials.of("n").contender("a", n -> {}).repeat(1).run();
        var claim = Claim.that("it grows", table).growsBy(1.1);
        assertFalse(claim.held());
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
        var claim = Claim.that("x is 1", table).within(0.05).of(1);
        assertFalse(claim.held());
        assertTrue(
                claim.detail().contains("1 trial did not end well (a: failed: java.lang.IllegalStateException)"),
                claim.detail());
    }

    @Test
    void a_contender_without_a_good_trial_breaks_the_claim() {
        var table = Trials.of("n", "x")
                .contender("a", n -> {
                    throw new IllegalStateException();
                })
                .repeat(2)
                .run();
        assertFalse(Claim.that("", table).within(0.5).of(1).held());
        assertFalse(Claim.that("", table).atMost(1e9).held());
        assertFalse(Claim.that("", table).atLeast(-1e9).held());
        assertFalse(Claim.that("", table).growsBy(1.1).held());
    }

    @Test
    void numbers_are_judged_too() {
        assertTrue(Claim.that("512.5 was printed as 512.74", 512.74)
                .within(0.001, 512.5)
                .held());
        assertFalse(Claim.that("", 600).within(0.001, 512.5).held());
        assertFalse(Claim.that("", Double.NaN).within(0.5, 1).held());
        assertTrue(Claim.that("", 1.4).atMost(1.5).held());
        assertFalse(Claim.that("", 1.4).atLeast(1.5).held());
    }

    @Test
    void mistakes_in_the_claim_itself_are_named() {
        var table = lineOf(20, 4_000);
        assertMessage("it has [virtual]", () -> Claim.that("", table).contender("platform"));
        assertMessage("no column \"latency\"", () -> Claim.that("", table).figure("latency"));
        assertMessage("5 % is written within(0.05)", () -> Claim.that("", table).within(5));
        assertMessage("there is no table yet", () -> Claim.that("", (Table) null));
        assertTrue(Claim.that("it scales", table).toString().contains("is not a claim yet"));
        assertMessage("has no rows", () -> Claim.that("", table.emptyCopy()));
    }

    private static void assertMessage(String part, Runnable code) {
        var message = assertThrows(IllegalArgumentException.class, code::run).getMessage();
        assertTrue(message.contains(part), message);
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
        assertEquals(
                "✘ 12,000 is not it. the latency must be in seconds.",
                check(12_000).toString());
        assertEquals("✘ 7.5 is not it. which two do you know?", check(7.5).toString());
    }
}
