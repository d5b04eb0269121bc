package threadlab.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.LongSupplier;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/**
 * Runs contenders at several sizes, several times each, and returns one row per trial.
 *
 * <p>The contenders take turns within every round, and each round starts with another one, so that a drift of the
 * machine (a busy neighbour, a warming JIT) meets all of them alike. A contender that throws or exceeds its time limit
 * becomes a row that says so, and the run goes on. An interrupt ends the run within seconds; the trials measured so far
 * are returned.
 *
 * <p>Columns of the result: {@code contender}, {@code n} (the size), {@code trial} (from 1), {@code seconds} (wall time
 * of the whole trial), one column per named figure (missing where the trial failed), {@code outcome} ({@code ok}, or
 * what went wrong).
 *
 * @param <C> what a contender is: {@link Timed}, {@link Counted} or {@link Several}
 */
public final class Trials<C> {

    /** A contender whose wall time is the figure. */
    @FunctionalInterface
    public interface Timed {
        /**
         * Runs one trial.
         *
         * @param n the size of the trial
         * @throws Exception any failure; it is recorded in the column {@code outcome}
         */
        void run(int n) throws Exception;
    }

    /** A contender that measures one figure itself. */
    @FunctionalInterface
    public interface Counted {
        /**
         * Runs one trial.
         *
         * @param n the size of the trial
         * @return the figure, in the unit that its column names
         * @throws Exception any failure; it is recorded in the column {@code outcome}
         */
        double run(int n) throws Exception;
    }

    /** A contender that measures several figures itself. */
    @FunctionalInterface
    public interface Several {
        /**
         * Runs one trial.
         *
         * @param n the size of the trial
         * @return the figures, in the order in which their columns were named
         * @throws Exception any failure; it is recorded in the column {@code outcome}
         */
        double[] run(int n) throws Exception;
    }

    /** The outcome of a trial that ended as it should. */
    public static final String OK = "ok";

    private static final int LARGEST_SIZE = 10_000_000;
    private static final Duration TICK = Duration.ofMillis(200);
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** After that long no further round begins. */
    private static final Duration ENOUGH_IF_SMALL = Duration.ofSeconds(2);

    static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    private record Contender(String name, Several body, long fits) {}

    private record Turn(Contender contender, int n, int trial) {}

    private record Result(double seconds, double[] figures, String outcome, boolean ended) {}

    private final String experiment;
    private final List<String> figures;
    private final Function<C, Several> adapt;
    private final LongSupplier nanoClock;
    private final TrialsObserver observer;
    private final Duration enough;

    private final List<Contender> contenders = new ArrayList<>();
    private int[] sizes = {1};
    private int repeats = 3;
    private int warmUpRounds = 1;
    private Duration limit = Duration.ofSeconds(60);
    private Function<Table, ?> picture;

    Trials(
            String experiment,
            List<String> figures,
            Function<C, Several> adapt,
            LongSupplier nanoClock,
            TrialsObserver observer,
            Duration enough) {
        this.experiment = Objects.requireNonNull(experiment, "the experiment needs a name");
        this.figures = List.copyOf(figures);
        this.adapt = adapt;
        this.nanoClock = nanoClock;
        this.observer = observer;
        this.enough = enough;
        for (String figure : figures) {
            if (Results.COLUMNS.contains(figure) || figures.indexOf(figure) != figures.lastIndexOf(figure)) {
                throw new IllegalArgumentException(
                        "the figure \"" + figure + "\" has the name of another column: choose a name of its own");
            }
        }
    }

    /**
     * An experiment that times its contenders: the figure is the column {@code seconds}.
     *
     * @param experiment what one trial does, in words that say what n is, such as {@code "n tasks that each sleep 1 s"};
     *     it becomes the name of the table and of the chart's horizontal axis
     * @return trials without contenders
     */
    public static Trials<Timed> of(String experiment) {
        return found(experiment, List.of(), body -> n -> {
            body.run(n);
            return new double[0];
        });
    }

    /**
     * An experiment whose contenders return one figure.
     *
     * @param experiment what one trial does, in words that say what n is, such as {@code "n tasks that each sleep 1 s"};
     *     it becomes the name of the table and of the chart's horizontal axis
     * @param figure the name of the figure with its unit, such as {@code "requests/s"}; it becomes a column
     * @return trials without contenders
     */
    public static Trials<Counted> of(String experiment, String figure) {
        return found(experiment, List.of(figure), body -> n -> new double[] {body.run(n)});
    }

    /**
     * An experiment whose contenders return several figures.
     *
     * @param experiment what one trial does, in words that say what n is, such as {@code "n tasks that each sleep 1 s"};
     *     it becomes the name of the table and of the chart's horizontal axis
     * @param first the name of the first figure with its unit
     * @param second the name of the second figure with its unit
     * @param more the names of further figures with their units
     * @return trials without contenders
     */
    public static Trials<Several> of(String experiment, String first, String second, String... more) {
        var figures = new ArrayList<>(List.of(first, second));
        figures.addAll(List.of(more));
        return found(experiment, figures, body -> body);
    }

    private static <C> Trials<C> found(String experiment, List<String> figures, Function<C, Several> adapt) {
        var enough = Machine.here().scaled(ENOUGH_IF_SMALL, FOREVER, FOREVER);
        return new Trials<>(experiment, figures, adapt, System::nanoTime, TrialsObserver.installed(), enough);
    }

    /**
     * Adds a contender that fits at every size.
     *
     * @param name what the rows and the chart call it; begin it with "platform" or "virtual" to get that colour
     * @param body one trial; it joins the threads that it starts
     * @return these trials
     */
    public Trials<C> contender(String name, C body) {
        return contender(name, body, Long.MAX_VALUE);
    }

    /**
     * Adds a contender that fits this machine only up to a size; larger sizes are left out with a printed line.
     *
     * @param name what the rows and the chart call it; begin it with "platform" or "virtual" to get that colour
     * @param body one trial; it joins the threads that it starts
     * @param fits the largest size to run, such as {@link Machine#platformThreads()}
     * @return these trials
     */
    public Trials<C> contender(String name, C body, long fits) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("a contender needs a name, such as \"virtual\"");
        }
        if (contenders.stream().anyMatch(c -> c.name.equals(name))) {
            throw new IllegalArgumentException("there is a contender \"" + name + "\" already: give each its own name");
        }
        contenders.add(new Contender(name, adapt.apply(Objects.requireNonNull(body, name + " needs a body")), fits));
        return this;
    }

    /**
     * Sets the sizes at which every contender runs.
     *
     * @param n sizes from 1 to 10,000,000
     * @return these trials
     */
    public Trials<C> sizes(int... n) {
        if (n.length == 0) {
            throw new IllegalArgumentException("no size was given: name at least one, such as sizes(1_000, 10_000)");
        }
        for (int size : n) {
            if (size < 1 || size > LARGEST_SIZE) {
                throw new IllegalArgumentException(
                        "size %,d is out of range: sizes go from 1 to %,d".formatted(size, LARGEST_SIZE));
            }
        }
        sizes = Arrays.stream(n).sorted().distinct().toArray();
        return this;
    }

    /**
     * Sets how often each contender runs at each size. With {@code THREADLAB_SCALE=small}, which spares a small machine,
     * one more round begins only if those before, warm-up included, have taken less than 2 s; a printed line says how
     * many there were.
     *
     * @param times from 1 to 1,000; 3 if it is not set
     * @return these trials
     */
    public Trials<C> repeat(int times) {
        repeats = inRange("repeat", times, 1);
        return this;
    }

    /**
     * Sets how often each contender runs at the smallest size before anything is recorded.
     *
     * @param rounds from 0 to 1,000; 1 if it is not set
     * @return these trials
     */
    public Trials<C> warmUp(int rounds) {
        warmUpRounds = inRange("warmUp", rounds, 0);
        return this;
    }

    private static int inRange(String what, int value, int least) {
        if (value < least || value > 1_000) {
            throw new IllegalArgumentException(
                    "%s(%,d) is out of range: it goes from %d to 1,000".formatted(what, value, least));
        }
        return value;
    }

    /**
     * Sets how long one trial may take. A trial that takes longer is interrupted and recorded as timed out; a contender
     * that does not react to the interrupt is left out from then on.
     *
     * @param perTrial more than zero; 60 s if it is not set
     * @return these trials
     */
    public Trials<C> limit(Duration perTrial) {
        if (perTrial.compareTo(Duration.ZERO) <= 0) {
            throw new IllegalArgumentException(
                    "a limit of " + perTrial + " leaves no time: give each trial more than zero");
        }
        limit = perTrial;
        return this;
    }

    /**
     * Draws a picture of the results after every trial while the run goes on. A notebook shows it in place; elsewhere
     * it is not drawn.
     *
     * @param draw makes a chart from the rows measured so far, such as {@code Plots::timings}
     * @return these trials
     */
    public Trials<C> live(Function<Table, ?> draw) {
        picture = draw;
        return this;
    }

    /**
     * Runs all trials in the calling thread's time: it returns when every thread of the experiment has ended.
     *
     * @return one row per trial; after an interrupt, the rows measured until then, with the thread's interrupt status
     *     set
     * @throws IllegalStateException if there is no contender, or none fits
     */
    public Table run() {
        if (contenders.isEmpty()) {
            throw new IllegalStateException(
                    "\"" + experiment + "\" has no contender: add one with contender(name, n -> …)");
        }
        var plan = plan();
        if (plan.stream().noneMatch(turn -> turn.trial > 0)) {
            throw new IllegalStateException("no size of \"" + experiment + "\" fits this machine: use smaller sizes");
        }
        return new Run(plan).toEnd();
    }

    /** All turns in order; trial 0 is the warm-up. */
    private List<Turn> plan() {
        var plan = new ArrayList<Turn>();
        for (int round = 0; round < warmUpRounds; round++) {
            for (Contender contender : contenders) {
                if (sizes[0] <= contender.fits) {
                    plan.add(new Turn(contender, sizes[0], 0));
                }
            }
        }
        for (int trial = 1; trial <= repeats; trial++) {
            for (int n : sizes) {
                for (int i = 0; i < contenders.size(); i++) {
                    var contender = contenders.get((i + trial - 1) % contenders.size());
                    if (n <= contender.fits) {
                        plan.add(new Turn(contender, n, trial));
                    } else if (trial == 1) {
                        System.out.println("%s at %,d is left out: up to %,d fit here."
                                .formatted(contender.name, n, contender.fits));
                    }
                }
            }
        }
        return plan;
    }

    /** One run: the rows so far and what is left to do. */
    private final class Run {
        private final List<Turn> plan;
        private final Table rows = emptyTable();
        private final long start = nanoClock.getAsLong();
        private int done;

        Run(List<Turn> plan) {
            this.plan = plan;
        }

        Table toEnd() {
            try {
                while (done < plan.size()) {
                    var turn = plan.get(done);
                    if (isOneRoundTooMany(turn)) {
                        plan.subList(done, plan.size()).clear();
                        break;
                    }
                    var result = runOnce(turn);
                    if (turn.trial > 0) {
                        add(turn, result.seconds, result.figures, result.outcome);
                    }
                    done++;
                    if (!result.ended) {
                        leaveOut(turn.contender);
                    }
                }
                tell(null, Progress.State.FINISHED);
            } catch (InterruptedException e) {
                tell(null, Progress.State.INTERRUPTED);
                Thread.currentThread().interrupt();
            }
            return rows.copy();
        }

        private boolean isOneRoundTooMany(Turn turn) {
            boolean begins = turn.trial > 1 && plan.get(done - 1).trial < turn.trial;
            boolean tooMany = begins && nanoClock.getAsLong() - start >= enough.toNanos();
            if (tooMany) {
                System.out.println("%s: %d of %d rounds at the small scale, since they took more than %d s."
                        .formatted(experiment, turn.trial - 1, repeats, enough.toSeconds()));
            }
            return tooMany;
        }

        private Result runOnce(Turn turn) throws InterruptedException {
            // before the clock runs: what draws a picture takes the CPU from whoever is measured
            tell(turn, Progress.State.RUNNING);
            var task = new Stopwatch(turn);
            var thread = Thread.ofPlatform()
                    .daemon()
                    .name(turn.contender.name + " × " + turn.n)
                    .start(task);
            long begin = nanoClock.getAsLong();
            try {
                while (true) {
                    try {
                        return task.get(TICK.toMillis(), TimeUnit.MILLISECONDS);
                    } catch (TimeoutException e) {
                        tell(turn, Progress.State.RUNNING);
                    }
                    long sofar = nanoClock.getAsLong() - begin;
                    if (sofar > limit.toNanos()) {
                        return new Result(sofar / 1e9, null, "timed out after " + inWords(limit), stop(thread));
                    }
                }
            } catch (ExecutionException e) {
                double seconds = (nanoClock.getAsLong() - begin) / 1e9;
                return new Result(seconds, null, "failed: " + e.getCause(), stop(thread));
            } catch (InterruptedException e) {
                stop(thread);
                if (turn.trial > 0) {
                    add(turn, (nanoClock.getAsLong() - begin) / 1e9, null, "interrupted");
                }
                throw e;
            }
        }

        /** Interrupts the trial's thread and says whether it ended. */
        private boolean stop(Thread thread) throws InterruptedException {
            thread.interrupt();
            return thread.join(GRACE);
        }

        private void leaveOut(Contender contender) {
            System.out.println(
                    "%s does not end when it is interrupted and is left out from here on; its thread still runs: restart the kernel to be rid of it."
                            .formatted(contender.name));
            plan.subList(done, plan.size()).removeIf(turn -> turn.contender == contender);
        }

        private void add(Turn turn, double seconds, double[] values, String outcome) {
            rows.stringColumn("contender").append(turn.contender.name);
            rows.intColumn("n").append(turn.n);
            rows.intColumn("trial").append(turn.trial);
            rows.doubleColumn("seconds").append(seconds);
            for (int i = 0; i < figures.size(); i++) {
                if (values == null) {
                    rows.doubleColumn(figures.get(i)).appendMissing();
                } else {
                    rows.doubleColumn(figures.get(i)).append(values[i]);
                }
            }
            rows.stringColumn("outcome").append(outcome);
        }

        private void tell(Turn turn, Progress.State state) {
            var running = turn == null
                    ? ""
                    : turn.trial == 0
                            ? "%s × %,d, warm-up".formatted(turn.contender.name, turn.n)
                            : "%s × %,d, trial %d of %d".formatted(turn.contender.name, turn.n, turn.trial, repeats);
            var elapsed = Duration.ofNanos(nanoClock.getAsLong() - start);
            observer.told(new Progress(
                    experiment,
                    state,
                    running,
                    "trials",
                    done,
                    plan.size(),
                    rows.rowCount(),
                    elapsed,
                    left(),
                    rows,
                    picture));
        }

        /** The time that the remaining trials will take if they go on like those before; null before the first. */
        private Duration left() {
            if (rows.isEmpty()) {
                return null;
            }
            double mean = rows.doubleColumn("seconds").mean();
            double seconds = 0;
            for (Turn turn : plan.subList(done, plan.size())) {
                var alike = rows.where(rows.stringColumn("contender")
                        .isEqualTo(turn.contender.name)
                        .and(rows.intColumn("n").isEqualTo(turn.n)));
                seconds +=
                        alike.isEmpty() ? mean : alike.doubleColumn("seconds").mean();
            }
            return Duration.ofMillis((long) (seconds * 1_000));
        }
    }

    /** Runs the body and times it inside its own thread, so that starting that thread is not counted. */
    private final class Stopwatch extends FutureTask<Result> {
        Stopwatch(Turn turn) {
            super(() -> {
                long begin = nanoClock.getAsLong();
                var values = turn.contender.body.run(turn.n);
                double seconds = (nanoClock.getAsLong() - begin) / 1e9;
                if (values == null || values.length != figures.size()) {
                    throw new IllegalArgumentException("%s returned %s figures where %d were named: %s"
                            .formatted(
                                    turn.contender.name,
                                    values == null ? "no" : values.length,
                                    figures.size(),
                                    figures));
                }
                return new Result(seconds, values, OK, true);
            });
        }
    }

    private Table emptyTable() {
        var table = Table.create(
                experiment,
                StringColumn.create("contender"),
                IntColumn.create("n"),
                IntColumn.create("trial"),
                DoubleColumn.create("seconds"));
        figures.forEach(figure -> table.addColumns(DoubleColumn.create(figure)));
        return table.addColumns(StringColumn.create("outcome"));
    }

    private static String inWords(Duration duration) {
        return duration.toMillis() < 10_000 ? duration.toMillis() + " ms" : duration.toSeconds() + " s";
    }
}
