package threadlab.guess;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadlab.guess.Guess.Mark;

class GuessTest {

    private static FigureGuess line() {
        return Guess.line("n tasks that each sleep 1 s", "seconds", 1_000, 100_000, 10)
                .between(0.1, 1_000);
    }

    private static FigureGuess number(String figure) {
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
        drawn.set(List.of(new Mark(1_000, "", 2)));
        assertEquals(Map.of(1_000, 2.0), drawn.values());
        assertEquals("Your guess of \"n tasks that each sleep 1 s\": 2 s at 1,000.", drawn.toString());
        assertEquals("", drawn.gap(10, 1), "only where something was drawn");
    }

    @Test
    void what_was_measured_is_a_whole_line_where_a_chart_has_shown_one() {
        var alone = line();
        alone.measured("virtual", 1_000, 2);
        assertEquals(List.of(new Mark(1_000, "", 2)), alone.measured());
        alone.charted("virtual", new double[] {10, 77, 1_000}, new double[] {1, 5, 2});
        alone.charted("platform", new double[] {10}, new double[] {9});
        alone.measured("virtual", 1_000, 2);
        assertEquals(List.of(new Mark(10, "", 1), new Mark(1_000, "", 2)), alone.measured());
        alone.measured("", 1, 0.3);
        assertEquals(List.of(), alone.measured(), "a ratio of two contenders is on neither line");
        var number = number("carriers");
        number.measured("", 1, Double.NaN);
        assertEquals(List.of(), number.measured());
        number.measured("", 1, 2);
        assertEquals(List.of(new Mark(1, "", 2)), number.measured());
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
        assertEquals(true, line().spec().get("log"));
        assertEquals(false, number("carriers").spec().get("log"), "it begins at 0");
        assertEquals(false, Guess.number("ratio", "times").between(1, 10).spec().get("log"));
    }

    @Test
    void a_count_has_whole_numbers_only() {
        assertEquals(
                true, Guess.count("carriers", "carriers").between(1, 100).spec().get("whole"));
        assertEquals(false, number("carriers").spec().get("whole"));
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

    private static ChoiceGuess choice() {
        return Guess.choice("how many of eight threads begin", "two", "eight");
    }

    @Test
    void a_choice_is_typed_and_compared() {
        assertEquals("It was eight.", choice().was("eight").sentence(), "nobody has to guess");
        assertEquals(
                "You chose two; it was eight.", choice().is("two").was("eight").toString());
        assertEquals(
                "You chose eight: right.", choice().is("eight").was("eight").sentence());
        assertTrue(choice().toString().endsWith("add .is(…) with one of \"two\", \"eight\""));
        assertEquals(
                "Your guess of \"how many of eight threads begin\": two.",
                choice().is("two").toString());
        refused("\"three\" is none of the answers: give one of [two, eight]", () -> choice().is("three"));
        refused("\"three\" is none", () -> choice().was("three"));
        refused("from 2 to 7", () -> Guess.choice("a", "b"));
        refused("are the same", () -> Guess.choice("a", "b", "b"));
    }

    private static OrderGuess order() {
        return Guess.order("memory, the least first", "platform", "future", "virtual");
    }

    @Test
    void an_order_is_typed_and_its_right_places_are_named() {
        var was = List.of("future", "virtual", "platform");
        assertEquals("It was future, virtual, platform.", order().was(was).sentence());
        assertEquals(
                "You said virtual, future, platform; it was future, virtual, platform: in the right place, platform.",
                order().is("virtual", "future", "platform").was(was).sentence());
        assertEquals(
                "You said virtual, platform, future; it was future, virtual, platform: in the right place, none.",
                order().is("virtual", "platform", "future").was(was).sentence());
        assertEquals(
                "You said future, virtual, platform: exactly right.",
                order().is("future", "virtual", "platform").was(was).sentence());
        refused("give each of [platform, future, virtual] once", () -> order().is("future", "virtual"));
        refused("once", () -> order().is("future", "future", "virtual"));
        assertEquals(List.of(), order().marks());
    }

    private static LanesGuess lanes() {
        return Guess.lanes("two threads, one carrier", "carrier 1", "carrier 2")
                .upTo(200)
                .bars(30, "v1", "v1")
                .bars(50, "v2");
    }

    @Test
    void bars_are_put_on_lanes_and_the_end_of_the_last_one_is_compared() {
        var part = lanes().put("v1", "carrier 2", 80).put("v1", "carrier 1", 0);
        assertEquals(List.of(new LanesGuess.Bar("v1", 0, 0, 30), new LanesGuess.Bar("v1", 1, 80, 110)), part.placed());
        assertEquals(OptionalDouble.empty(), part.end(), "one is not placed");
        assertEquals("", part.gap(100));
        assertEquals("It was 100 ms.", part.was(100).sentence());
        var whole = part.put("v2", "carrier 1", 30);
        assertEquals("Your last bar ends at 110 ms; it was 100 ms: 10 % too high.", whole.gap(100));
        assertEquals("", whole.gap(Double.NaN));
        assertTrue(whole.told().startsWith("v1 on carrier 1 from 0 ms, v2 on carrier 1 from 30 ms"), whole.told());
        assertTrue(lanes().toString().contains("add .put(\"v1\", \"carrier 1\", 0)"));
    }

    @Test
    void bars_that_cannot_be_there_are_refused() {
        refused("no bar \"v3\" is left", () -> lanes().put("v3", "carrier 1", 0));
        refused("is left", () -> lanes().put("v2", "carrier 1", 0).put("v2", "carrier 1", 60));
        refused("there is no lane \"carrier 3\"", () -> lanes().put("v1", "carrier 3", 0));
        refused("a bar from 180.0 ms is not on the axis: give 0 to 170.0", () -> lanes().put("v1", "carrier 1", 180));
        refused(
                "does not fit on an axis of 20.0 ms",
                () -> Guess.lanes("a", "b").upTo(20).bars(30, "c"));
        assertTrue(Guess.lanes("a", "b").toString().contains("add upTo(…)"));
    }
}
