package threadlab.claim;

import java.lang.management.ManagementFactory;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;
import threadlab.claim.Claim.Guessed;
import threadlab.claim.Subject.Point;
import threadlab.guess.ChoiceGuess;
import threadlab.guess.FigureGuess;
import threadlab.guess.Gap;
import threadlab.guess.Guess;
import threadlab.guess.LanesGuess;
import threadlab.guess.OrderGuess;
import threadlab.support.Arguments;
import threadlab.support.CpuShare;
import threadlab.support.Numbers;

/**
 * A prediction in words and the measurement that it is about. It has no rule yet: the last step sets the rule and
 * judges. {@link Claim} says how each rule is judged.
 *
 * <p>A number is a table with one point. A rule may depend on the size: {@code of(n -> n / 0.050)}.
 */
public final class Prediction {

    /** What a claim that was not judged says before the reason. */
    static final String NOT_JUDGED = ". Not judged: ";

    /** A bottleneck that no load names. */
    private static final String QUOTA = "quota";

    private final Purpose purpose;
    private final String statement;
    private final Subject measured;
    private final DoubleSupplier cpuShare;
    private final DoubleSupplier throttled;
    /** What theory gives; null for nothing. */
    private final DoubleUnaryOperator theory;
    /** The reader's guess beside a measured value; null for none. */
    private final Mine guess;

    /** A guess that waits for the verdict. */
    private interface Mine {
        Guessed beside(Subject measured, double value);
    }

    Prediction(Purpose purpose, String statement, Subject measured, DoubleSupplier cpuShare) {
        this(purpose, statement, measured, cpuShare, purpose == Purpose.PRINTED ? () -> 0 : CpuShare.here()::throttled);
    }

    Prediction(Purpose purpose, String statement, Subject measured, DoubleSupplier cpuShare, DoubleSupplier throttled) {
        this(purpose, statement, measured, cpuShare, throttled, null, null);
    }

    private Prediction(
            Purpose purpose,
            String statement,
            Subject measured,
            DoubleSupplier cpuShare,
            DoubleSupplier throttled,
            DoubleUnaryOperator theory,
            Mine guess) {
        this.purpose = purpose;
        this.statement = Objects.requireNonNull(statement, "a claim needs a statement");
        this.measured = measured;
        this.cpuShare = cpuShare;
        this.throttled = throttled;
        this.theory = theory;
        this.guess = guess;
    }

    /**
     * Restricts the claim to one contender.
     *
     * @param name its name in the table, or its kind if no other contender has that kind
     * @return the same for that contender
     */
    public Prediction contender(String name) {
        return new Prediction(purpose, statement, measured.contender(name), cpuShare, throttled, theory, guess);
    }

    /**
     * Selects a column other than the first named figure.
     *
     * @param column the column's name
     * @return the same for that column
     */
    public Prediction figure(String column) {
        return new Prediction(purpose, statement, measured.figure(column), cpuShare, throttled, theory, guess);
    }

    /**
     * Compares the reader's guess with what was measured, in a sentence below the claim; the verdict does not depend on
     * it. Of a line, the largest size that was guessed and measured counts.
     *
     * @param made the guess, which may be open
     * @return the same with that guess
     */
    public Prediction guess(FigureGuess made) {
        return guess((subject, value) -> {
            var values = made.values();
            subject.points().stream()
                    .max(Comparator.comparingInt(Point::n))
                    .ifPresent(at -> made.measured(at.contender(), at.n(), made.isLine() ? at.median() : value));
            if (!made.isLine()) {
                return beside(
                        made,
                        values.isEmpty() ? Double.NaN : values.firstEntry().getValue(),
                        made.gap(1, value),
                        Double.isFinite(value)
                                ? series(List.of(new Point("measured", 1, value, value, value, 1, "")))
                                : Map.of());
            }
            var was = series(subject.points());
            return subject.points().stream()
                    .filter(point -> values.containsKey(point.n()) && Double.isFinite(point.median()))
                    .max(Comparator.comparingInt(Point::n))
                    .map(at -> new Guessed(
                            made,
                            "%s at %,d".formatted(Numbers.rounded(values.get(at.n()), 3), at.n()),
                            made.gap(at.n(), at.median()),
                            was))
                    .orElse(beside(made, Double.NaN, "", was));
        });
    }

    /** The measured points of each contender, for the page. */
    private static Map<String, ?> series(List<Point> points) {
        var each = points.stream()
                .filter(point -> Double.isFinite(point.median()))
                .collect(Collectors.groupingBy(Point::contender, LinkedHashMap::new, Collectors.toList()));
        return Map.of(
                "series",
                each.entrySet().stream()
                        .map(one -> Map.of(
                                "name",
                                one.getKey(),
                                "points",
                                one.getValue().stream()
                                        .map(at -> Map.of(
                                                "n", at.n(), "value", at.median(), "low", at.min(), "high", at.max()))
                                        .toList()))
                        .toList());
    }

    /**
     * Compares the end of the last bar that the reader has placed with what was measured, in ms.
     *
     * @param made the guess, which may be open
     * @return the same with that guess
     */
    public Prediction guess(LanesGuess made) {
        return guess((_, value) -> beside(
                made,
                made.end().orElse(Double.NaN),
                made.gap(value),
                Double.isFinite(value) ? Map.of("end", value) : Map.of()));
    }

    /**
     * Compares the answer that the reader has chosen with what came out.
     *
     * @param made the guess, which may be open
     * @param was the right answer
     * @return the same with that guess
     */
    public Prediction guess(ChoiceGuess made, String was) {
        return guess(made, made.was(was));
    }

    /**
     * Compares the reader's order with what came out.
     *
     * @param made the guess, which may be open
     * @param was the items in the right order
     * @return the same with that guess
     */
    public Prediction guess(OrderGuess made, List<String> was) {
        return guess(made, made.was(was));
    }

    private Prediction guess(Guess made, Gap gap) {
        return guess((_, _) -> new Guessed(made, made.told(), made.told().isEmpty() ? "" : gap.sentence(), gap.was()));
    }

    private static Guessed beside(Guess made, double mine, String gap, Map<String, ?> was) {
        return new Guessed(made, Double.isNaN(mine) ? "" : Numbers.rounded(mine, 3), gap, was);
    }

    private Prediction guess(Mine made) {
        return new Prediction(purpose, statement, measured, cpuShare, throttled, theory, made);
    }

    /**
     * Near an expected number, as in {@code within(0.05).of(4_000)}, or equal to it, as in {@code within(0).of(200)}.
     *
     * @param share the largest deviation as a share of the expected number, from 0 to 0.99
     * @return the next step: {@code of}, with the expected number
     */
    public Within within(double share) {
        return new Within(Arguments.inRange("within", share, 0, 0.99, ": 5 % is written within(0.05)"));
    }

    /**
     * Sets the number that theory gives, so that the margin extends from there to the bound, as in
     * {@code predicted(1).atMost(1.5)}.
     *
     * @param number what theory gives at size n, in the unit of the figure
     * @return the same with that number; the next step is {@code atMost} or {@code atLeast}, with the bound
     */
    public Prediction predicted(DoubleUnaryOperator number) {
        return new Prediction(purpose, statement, measured, cpuShare, throttled, number, guess);
    }

    /**
     * Sets the number that theory gives at every size.
     *
     * @param number what theory gives, in the unit of the figure
     * @return the same with that number; the next step is {@code atMost} or {@code atLeast}, with the bound
     */
    public Prediction predicted(double number) {
        return predicted(n -> number);
    }

    /**
     * What was measured is at most a bound.
     *
     * @param bound the bound at size n, in the figure's unit: the predicted number or more; without one, 0 or more
     * @return the judged claim
     */
    public Claim atMost(DoubleUnaryOperator bound) {
        return judged(new Rule.OneSided(true, theory, bound));
    }

    /**
     * What was measured is at most a bound that is the same at every size.
     *
     * @param bound the bound, as for {@link #atMost(DoubleUnaryOperator)}
     * @return the judged claim
     */
    public Claim atMost(double bound) {
        return atMost(n -> bound);
    }

    /**
     * What was measured is at least a bound.
     *
     * @param bound the bound at size n, in the figure's unit: the predicted number or less; without one, 0 or more
     * @return the judged claim
     */
    public Claim atLeast(DoubleUnaryOperator bound) {
        return judged(new Rule.OneSided(false, theory, bound));
    }

    /**
     * What was measured is at least a bound that is the same at every size.
     *
     * @param bound the bound, as for {@link #atLeast(DoubleUnaryOperator)}
     * @return the judged claim
     */
    public Claim atLeast(double bound) {
        return atLeast(n -> bound);
    }

    /**
     * The median of one contender at the largest size is at least the given multiple of that at the smallest.
     *
     * @param factor how many times as large it is at least, from 1.01 to 1,000,000
     * @return the judged claim; it does not hold where fewer than two sizes ran
     */
    public Claim growsBy(double factor) {
        Arguments.inRange("growsBy", factor, 1.01, 1e6, ": twice as much is written growsBy(2)");
        var points = measured.ofOneContender();
        var first = points.getFirst();
        var last = points.getLast();
        var bound = "at least " + Rule.number(factor) + " times as much";
        if (first.n() == last.n()) {
            var words = "only one size ran here, n = %,d".formatted(first.n());
            return judged(words, Double.NaN, bound, Double.NaN, Double.NaN, Double.NaN, "");
        }
        double grown = last.median() / first.median();
        double used = Double.isFinite(grown) ? Rule.share(factor - 1, Math.max(0, grown - 1)) : Double.NaN;
        var from = Rule.number(first.median());
        var to = Rule.number(last.median());
        var words =
                "%s at %,d, %s at %,d: %s times as much".formatted(from, first.n(), to, last.n(), Rule.number(grown));
        return judged(words, grown, bound, used, Double.NaN, Double.NaN, "");
    }

    @Override
    public String toString() {
        var next = theory == null
                ? "within(…).of(…), atMost(…), atLeast(…), predicted(…) with one of these two, or growsBy(…)"
                : "atMost(…) or atLeast(…) with the bound";
        return "\"%s\" is not a claim yet: add %s.".formatted(statement, next);
    }

    private Claim judged(Rule rule) {
        var points = measured.points();
        Point tightest = null;
        double most = -1;
        int good = 0;
        for (Point point : points) {
            double used = Double.isFinite(point.median()) ? rule.used(point.median(), point.n()) : Double.NaN;
            good += used <= 1 ? 1 : 0;
            if (used > most || Double.isNaN(used)) {
                tightest = point;
                most = used; // no number is larger than NaN, so a point that was not measured stays the tightest
            }
        }
        var words = Rule.number(tightest.median());
        if (tightest.trials() > 1) {
            words += " (%s to %s in %d trials)"
                    .formatted(Rule.number(tightest.min()), Rule.number(tightest.max()), tightest.trials());
        }
        if (!measured.isNumber()) {
            words = "%s at %,d: %s".formatted(tightest.contender(), tightest.n(), words);
        }
        if (points.size() > 1) {
            var which = good == points.size() ? "tightest" : "worst";
            words = "%d of %d points; the %s, %s".formatted(good, points.size(), which, words);
        }
        int n = tightest.n();
        double law = rule.theory(n);
        boolean limited = most > 1 && measured.isSlower(tightest.median(), law);
        var limit = limited ? tightest.bottleneck() : "";
        if (limit.isEmpty() && most > 1 && Double.isFinite(law) && (limited || measured.isNumber())) {
            limit = throttled.getAsDouble() > CpuShare.THROTTLED ? QUOTA : "";
        }
        return judged(words, tightest.median(), rule.bound(n), most, law, rule.slack(n), limit);
    }

    private Claim judged(
            String words, double value, String bound, double used, double theory, double slack, String bottleneck) {
        var failures = measured.failures();
        boolean exact = slack == 0;
        boolean between = Double.isFinite(used) && Double.isFinite(theory) && !exact;
        var far = used > 1
                ? Rule.number(used) + " times as far from theory as allowed"
                : Rule.percent(used) + " of the way from theory to that limit";
        var share = between ? "; " + far : "";
        var detail = words + ", allowed: " + bound + share + failures;
        double got = cpuShare.getAsDouble();
        var left = CpuShare.here().stillComputing();
        boolean disturbed = got < CpuShare.needed(slack) || left.isPresent();
        boolean holds = used <= 1 && failures.isEmpty();
        boolean undecided = !exact && (disturbed || !bottleneck.isEmpty() && failures.isEmpty());
        var verdict = undecided ? Outcome.NOT_JUDGED : holds ? Outcome.HELD : Outcome.BROKEN;
        var said =
                switch (verdict) {
                    case HELD -> detail;
                    case BROKEN -> detail + ". " + advice();
                    case NOT_JUDGED -> detail + NOT_JUDGED + unjudged(disturbed, got, left, bottleneck);
                };
        var claim = new Claim(statement, verdict, said, value, bound, used, theory, guessed(value, verdict));
        return Claims.keep(claim, purpose.lists(verdict));
    }

    /** Why, up to a comma or a full stop, and what to do. */
    private static String unjudged(boolean disturbed, double got, Optional<String> left, String bottleneck) {
        if (left.isPresent()) {
            return "the thread \"%s\" of an interrupted cell still computes. Restart the kernel, then run the measuring cell again."
                    .formatted(left.get());
        }
        if (disturbed) {
            return "other programs used the CPUs, and the experiment got %s of the CPU time that it asked for. Run the measuring cell again after they have ended."
                    .formatted(Rule.percent(got));
        }
        return "the %s the bottleneck, so this is not the limit that the claim is about. A machine with more CPUs can judge it."
                .formatted(
                        switch (bottleneck) {
                            case "CPUs" -> "CPUs of this machine were";
                            case QUOTA -> "CPU quota of this machine was";
                            default -> "load generator was";
                        });
    }

    /** The reader's guess, with care where the claim was not judged. */
    private Optional<Guessed> guessed(double value, Outcome verdict) {
        if (guess == null) {
            return Optional.empty();
        }
        var mine = guess.beside(measured, value);
        boolean counts = mine.gap().isEmpty() || verdict != Outcome.NOT_JUDGED;
        var care = " This claim was not judged, so this run says little about your guess.";
        return Optional.of(counts ? mine : new Guessed(mine.made(), mine.told(), mine.gap() + care, mine.was()));
    }

    private String advice() {
        return switch (purpose) {
            case MEASURED -> machine() + " Run the measuring cell again.";
            case PRINTED -> "The printed figures do not show it.";
            case REPAIR -> "Edit the cell above, run it, then run this one again.";
        };
    }

    private static String machine() {
        var os = ManagementFactory.getOperatingSystemMXBean();
        double load = os.getSystemLoadAverage();
        int cpus = os.getAvailableProcessors();
        var busy = load < 0 ? "" : " and had %.1f runnable threads over the last minute".formatted(load);
        return "This machine has %d %s%s.".formatted(cpus, cpus == 1 ? "CPU" : "CPUs", busy);
    }

    /** A prediction with its largest deviation, still without the expected number. */
    public final class Within {
        private final double share;

        private Within(double share) {
            this.share = share;
        }

        /**
         * Judges against an expected number.
         *
         * @param expected the expected number at size n, in the unit of the figure
         * @return the judged claim
         */
        public Claim of(DoubleUnaryOperator expected) {
            return judged(new Rule.Within(share, expected));
        }

        /**
         * Judges against an expected number that is the same at every size.
         *
         * @param expected the expected number, in the unit of the figure
         * @return the judged claim
         */
        public Claim of(double expected) {
            return of(n -> expected);
        }

        @Override
        public String toString() {
            return "\"" + statement + "\" is not a claim yet: add of(…) with the expected number.";
        }
    }
}
