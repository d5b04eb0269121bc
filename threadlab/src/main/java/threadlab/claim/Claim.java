package threadlab.claim;

import java.util.Map;
import java.util.Optional;
import tech.tablesaw.api.Table;
import threadlab.guess.Guess;
import threadlab.support.CpuShare;

/**
 * A stated prediction, what was measured, and whether it held here.
 *
 * <p>A claim allows a margin, and {@code marginUsed} is the share of it that the measurement used: 0 is as predicted
 * (or better, if the claim has one side), 1 is the bound. A claim holds exactly when that share is at most 1 and no
 * trial failed. With <i>m</i> the measured number:
 *
 * <table>
 * <caption>The share of the margin that is used</caption>
 * <tr><th>rule</th><th>share</th></tr>
 * <tr><td>{@code within(s).of(x)}</td><td>|m − x| ÷ (s · |x|)</td></tr>
 * <tr><td>{@code atMost(b)}</td><td>m ÷ b</td></tr>
 * <tr><td>{@code predicted(p).atMost(b)}</td><td>(m − p) ÷ (b − p)</td></tr>
 * <tr><td>{@code atLeast(b)}</td><td>b ÷ m</td></tr>
 * <tr><td>{@code predicted(p).atLeast(b)}</td><td>(p − m) ÷ (p − b)</td></tr>
 * <tr><td>{@code growsBy(f)}</td><td>(f − 1) ÷ (growth − 1)</td></tr>
 * </table>
 *
 * <p>It is never below 0. Where no deviation is allowed ({@code within(0)}, {@code atMost(0)}, a bound equal to the
 * prediction), it is 0 or infinite. Of several points, the one with the largest share counts. If the measurement is
 * not a number (no trial ended well, a division by 0), the share is NaN and the claim does not hold.
 *
 * <p>A claim that does not hold throws no exception: the notebook runs on. A claim is not judged where other programs kept
 * too much CPU time from the experiment, the sooner the less it allows ({@link CpuShare#needed}); but what allows no
 * deviation, such as {@code within(0)}, counts something, and holds also then. Nor is a law about a rate or a time that
 * a load missed on the slow side if its rows name another bottleneck than the server, or a law missed while a CPU quota
 * stopped the experiment ({@link CpuShare#THROTTLED}).
 *
 * @param statement the prediction in words
 * @param verdict whether the measurement agrees with the prediction
 * @param detail what was measured and what is allowed, in words
 * @param value what was measured at the point that uses most of the margin, in the unit of the figure
 * @param bound the rule with its numbers at that point, such as {@code at most 1.5 (predicted 1)}
 * @param marginUsed the share of the margin that was used there: 0 or more, infinite, or NaN
 * @param theory what theory gives there, in the unit of the figure; NaN if the claim has only a bound
 * @param guess what the reader had guessed, if the claim was given a guess
 */
public record Claim(
        String statement,
        Outcome verdict,
        String detail,
        double value,
        String bound,
        double marginUsed,
        double theory,
        Optional<Guessed> guess) {

    /**
     * The reader's guess beside a claim.
     *
     * @param made the guess, which may be open
     * @param told what was guessed, in words or in the unit of the figure; empty for nothing
     * @param gap a sentence that says by how much the reader was wrong; empty without a guess or a measurement
     * @param was what was measured, as the page's {@code reveal} takes it; empty if nothing was
     */
    public record Guessed(Guess made, String told, String gap, Map<String, ?> was) {}

    /**
     * Begins a claim about a table of trials, that is, about the median of each contender at each size.
     *
     * @param statement the prediction in words; a claim with the same words replaces it in {@link Claims}
     * @param trials a table with the columns of {@link threadlab.measure.Trials}
     * @return a prediction, whose rows and rule are chosen next
     */
    public static Prediction that(String statement, Table trials) {
        return new Prediction(Purpose.MEASURED, statement, Subject.of(trials), CpuShare.here()::latest);
    }

    /**
     * Begins a claim about one number.
     *
     * @param statement the prediction in words; a claim with the same words replaces it in {@link Claims}
     * @param measured the number
     * @return a prediction, whose rule is chosen next
     */
    public static Prediction that(String statement, double measured) {
        return new Prediction(Purpose.MEASURED, statement, Subject.of(measured), CpuShare.here()::latest);
    }

    /**
     * Begins a claim about figures printed in an article. It is judged like any other, but not listed in
     * {@link Claims}, which says what held on this machine.
     *
     * @param statement what the figures show, in words
     * @param figures a table with the columns of {@link threadlab.measure.Trials}
     * @return a prediction, whose rows and rule are chosen next
     */
    public static Prediction printed(String statement, Table figures) {
        return new Prediction(Purpose.PRINTED, statement, Subject.of(figures), () -> 1);
    }

    /**
     * Begins a claim about one figure printed in an article.
     *
     * @param statement what the figure shows, in words
     * @param figure the figure, or a number derived from it
     * @return a prediction, whose rule is chosen next
     */
    public static Prediction printed(String statement, double figure) {
        return new Prediction(Purpose.PRINTED, statement, Subject.of(figure), () -> 1);
    }

    /**
     * Begins the claim of an exercise that asks the reader to repair a cell. It does not hold until the cell is
     * repaired, and is listed in {@link Claims} only while it holds.
     *
     * @param statement what the repaired cell does, in words
     * @param measured what the cell does now
     * @return a prediction, whose rule is chosen next
     */
    public static Prediction repair(String statement, double measured) {
        return new Prediction(Purpose.REPAIR, statement, Subject.of(measured), CpuShare.here()::latest);
    }

    @Override
    public String toString() {
        return verdict.mark() + " " + statement + ": " + detail
                + gap().map(" "::concat).orElse("");
    }

    /**
     * By how much the reader's guess was wrong.
     *
     * @return a sentence, or nothing where nobody guessed
     */
    public Optional<String> gap() {
        return guess.map(Guessed::gap).filter(words -> !words.isEmpty());
    }
}
