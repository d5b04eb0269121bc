package threadlab.guess;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GuessTest {

    private static Guess line() {
        return Guess.line("n tasks that each sleep 1 s", "seconds", 1_000, 100_000, 10)
                .between(0.1, 1_000);
    }

    private static Guess number(String figure) {
        return Guess.number("carriers that 10,000 threads name", figure).upTo(10_000);
    }

    @Test
    void nobody_has_to_guess() {
        assertTrue(line().values().isEmpty());
        assertEquals("", line().gap(1_000, 1));
        assertEquals("", number("carriers").gap(1, 2));
        assertTrue(line().toString().contains("is(…) with a value for each of 10, 1,000, 100,000"));
    }

    @Test
    void a_line_may_be_typed_or_drawn_in_part() {
        assertEquals(
                Map.of(10, 1.0, 1_000, 3.0, 100_000, 20.0), line().is(1, 3, 20).values());
        var drawn = line().is(1, 3, 20);
        drawn.set(Arrays.asList(null, 2.0, null));
        assertEquals(Map.of(1_000, 2.0), drawn.values());
        assertEquals("Your guess of \"n tasks that each sleep 1 s\": 2 s at 1,000.", drawn.toString());
        assertEquals("", drawn.gap(10, 1), "only where something was drawn");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "30    | 1.4    | You guessed 30 s; it was 1.4 s: you guessed 21 times as much.",
                "0.5   | 4      | You guessed 0.5 s; it was 4 s: 8 times as much.",
                "1.5   | 1      | You guessed 1.5 s; it was 1 s: 50 % too high.",
                "1     | 1.0049 | You guessed 1 s; it was 1 s: exactly right.",
                "0.98  | 1      | You guessed 0.98 s; it was 1 s: 2 % too low.",
                "5     | 0      | You guessed 5 s; it was 0 s: too high.",
            })
    void the_gap_is_one_sentence(double mine, double measured, String sentence) {
        assertEquals(sentence, number("seconds").is(mine).gap(1, measured));
    }

    @Test
    void the_gap_of_a_line_is_that_of_a_size_in_the_figures_unit() {
        assertEquals(
                "You drew 20 s at 100,000; it was 1.2 s: you drew 17 times as much.",
                line().is(1, 3, 20).gap(100_000, 1.2));
        assertEquals(
                "You guessed 40; it was 2: you guessed 20 times as much.",
                number("carriers").is(40).gap(1, 2));
        assertEquals(
                "You guessed 90/s; it was 100/s: 10 % too low.",
                number("requests/s").is(90).gap(1, 100));
        assertEquals(
                "You guessed 5 ms; it was 5 ms: exactly right.",
                number("latency (ms)").is(5).gap(1, 5));
        assertEquals("", line().is(1, 3, 20).gap(100_000, Double.NaN), "nothing was measured");
    }

    @Test
    void a_scale_is_logarithmic_where_it_is_wide() {
        assertTrue(line().isLogarithmic());
        assertFalse(number("carriers").isLogarithmic(), "it begins at 0");
        assertFalse(Guess.number("ratio", "times").between(1, 10).isLogarithmic());
    }

    @Test
    void a_count_has_whole_numbers_only() {
        assertTrue(Guess.count("carriers", "carriers").between(1, 100).isCount());
        assertFalse(number("carriers").isCount());
    }

    @Test
    void what_is_no_guess_is_refused_with_the_way_out() {
        refused("give one value for each size: 10, 1,000, 100,000", () -> line().is(1, 2));
        refused("give one number", () -> number("carriers").is());
        refused("-1.0 is not a number of 0 or more", () -> number("carriers").is(-1));
        refused("give the lower end first", () -> Guess.number("a", "b").between(5, 5));
        refused("from 2 to 12", () -> Guess.line("a", "b", 7, 7));
        assertTrue(Guess.number("a", "b").toString().contains("add upTo(…) or between(…, …)"));
    }
}
