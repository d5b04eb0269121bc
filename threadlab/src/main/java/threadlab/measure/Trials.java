package threadlab.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.LongSupplier;
import tech.tablesaw.api.Table;
import threadlab.support.Arguments;
import threadlab.support.TrialsObserver;

/**
 * Runs contenders at several sizes, several times each, and returns one row per trial.
 *
 * <p>The contenders take turns within every round, and each round starts with a different one, so that a drift of the
 * machine (a busy neighbour, a JIT that warms up) affects all of them alike. A trial that throws becomes a row that
 * says so, and the run continues. A trial of more than {@value threadlab.measure.Trials#LONGEST_TRIAL} s is interrupted
 * and becomes such a row too; a contender that does not react to the interrupt is left out of the rest. If the cell is
 * interrupted, the run ends within seconds and returns the trials measured so far. A trial in which the whole program
 * stood still for more than {@value threadlab.measure.Trials#STANDSTILL} s is repeated.
 *
 * <p>Columns of the result: {@code contender}, {@code kind} (see {@link Kind}), {@code n} (the size), {@code trial}
 * (from 1), {@code seconds} (wall time of the whole trial), one column per named figure (missing where the trial
 * failed), {@code outcome} ({@code ok}, or what went wrong).
 *
 * @param <T> what a contender does: {@link Trial.Timed}, {@link Trial.Counted} or, with several figures, {@link Trial}
 */
public final class Trials<T extends Trial> {

    /** The outcome of a trial that ended as it should. */
    public static final String OK = "ok";

    private static final int LARGEST_SIZE = 10_000_000;
    private static final int MOST_ROUNDS = 1_000;

    /** How often each contender runs at each size, if nothing is set. */
    public static final int REPEATS = 3;

    /** How often each contender runs before anything is recorded, if nothing is set. */
    public static final int WARM_UPS = 1;

    /** How long one trial may take, in seconds. */
    public static final int LONGEST_TRIAL = 60;

    /** With {@code THREADLAB_SCALE=small}: the seconds after which no further round begins. */
    public static final int ENOUGH_IF_SMALL = 1;

    /** After a stop of the whole program for longer, in seconds, as when a laptop sleeps, a trial is repeated. */
    public static final int STANDSTILL = 10;

    static final Duration FOREVER = Duration.ofNanos(Long.MAX_VALUE);

    /**
     * One of the ways that an experiment compares.
     *
     * @param fits the largest size at which it may run
     */
    record Contender(Kind kind, String name, Trial body, long fits) {}

    final String experiment;
    final List<String> figures;
    final LongSupplier nanoClock;
    final TrialsObserver observer;
    /** The time after which no further round begins. */
    final Duration enough;

    final List<Contender> contenders = new ArrayList<>();
    List<Integer> sizes = List.of(1);
    int repeats = REPEATS;
    int warmUpRounds = WARM_UPS;
    /** How long one trial may take. */
    Duration limit = Duration.ofSeconds(LONGEST_TRIAL);
    /** A longer stop of the whole program, in which its threads did not run, is none of a trial's time. */
    Duration standstill = Duration.ofSeconds(STANDSTILL);
    /** What to show of the rows; null for nothing. */
    Function<Table, ?> live;

    Trials(String experiment, List<String> figures, LongSupplier nanoClock, TrialsObserver observer, Duration enough) {
        this.experiment = Objects.requireNonNull(experiment, "the experiment needs a name");
        this.figures = List.copyOf(figures);
        this.nanoClock = nanoClock;
        this.observer = observer;
        this.enough = enough;
        for (String figure : figures) {
            boolean taken = Results.COLUMNS.contains(figure) || Collections.frequency(figures, figure) > 1;
            var words = "the figure \"%s\" has the name of another column: choose a name of its own";
            Arguments.require(!taken, words, figure);
        }
    }

    /**
     * An experiment that times its contenders: the figure is the column {@code seconds}.
     *
     * @param experiment what one trial does, in words that say what n is, such as {@code "n tasks that each sleep 1 s"};
     *     it becomes the name of the table and of the chart's horizontal axis
     * @return trials without contenders
     */
    public static Trials<Trial.Timed> of(String experiment) {
        return found(experiment, List.of());
    }

    /**
     * An experiment whose contenders return one figure.
     *
     * @param experiment what one trial does, as in {@link #of(String)}
     * @param figure the name of the figure with its unit, such as {@code "requests/s"}; it becomes a column
     * @return trials without contenders
     */
    public static Trials<Trial.Counted> of(String experiment, String figure) {
        return found(experiment, List.of(figure));
    }

    /**
     * An experiment whose contenders return several figures.
     *
     * @param experiment what one trial does, as in {@link #of(String)}
     * @param first the name of the first figure with its unit
     * @param second the name of the second figure with its unit
     * @param more the names of further figures with their units
     * @return trials without contenders
     */
    public static Trials<Trial> of(String experiment, String first, String second, String... more) {
        var figures = new ArrayList<>(List.of(first, second));
        figures.addAll(List.of(more));
        return found(experiment, figures);
    }

    private static <T extends Trial> Trials<T> found(String experiment, List<String> figures) {
        var enough = Machine.isSmall() ? Duration.ofSeconds(ENOUGH_IF_SMALL) : FOREVER;
        return new Trials<>(experiment, figures, System::nanoTime, TrialsObserver.installed(), enough);
    }

    /**
     * Adds the contender that runs on platform threads.
     *
     * @param body one trial; it joins the threads that it starts
     * @return these trials
     */
    public Trials<T> platform(T body) {
        return add(Kind.PLATFORM, Kind.PLATFORM.toString(), body);
    }

    /**
     * Adds a contender that runs on platform threads.
     *
     * @param name what sets it apart, such as {@code "pool of 200"}; rows and charts say {@code platform, pool of 200}
     * @param body one trial; it joins the threads that it starts
     * @return these trials
     */
    public Trials<T> platform(String name, T body) {
        return add(Kind.PLATFORM, Kind.PLATFORM.named(name), body);
    }

    /**
     * Adds the contender that runs on virtual threads.
     *
     * @param body one trial; it joins the threads that it starts
     * @return these trials
     */
    public Trials<T> virtual(T body) {
        return add(Kind.VIRTUAL, Kind.VIRTUAL.toString(), body);
    }

    /**
     * Adds a contender that runs on virtual threads.
     *
     * @param name what sets it apart, such as {@code "one per task"}; rows and charts say {@code virtual, one per task}
     * @param body one trial; it joins the threads that it starts
     * @return these trials
     */
    public Trials<T> virtual(String name, T body) {
        return add(Kind.VIRTUAL, Kind.VIRTUAL.named(name), body);
    }

    /**
     * Adds a contender whose tasks share a few threads and leave them while they wait.
     *
     * @param name what the rows and the chart call it, such as {@code "stages"} or {@code "WebFlux"}
     * @param body one trial; it ends when its tasks have ended
     * @return these trials
     */
    public Trials<T> sharing(String name, T body) {
        return add(Kind.SHARING, Kind.SHARING.named(name), body);
    }

    /**
     * Adds a contender of another kind, such as a lock or a single step of a request.
     *
     * @param name what the rows and the chart call it
     * @param body one trial; it joins the threads that it starts
     * @return these trials
     */
    public Trials<T> contender(String name, T body) {
        return add(Kind.OTHER, Kind.OTHER.named(name), body);
    }

    private Trials<T> add(Kind kind, String name, T body) {
        boolean taken = contenders.stream().anyMatch(c -> c.name.equals(name));
        Arguments.require(!taken, "there is already a contender \"%s\": give each its own name", name);
        Objects.requireNonNull(body, name + " needs a body");
        contenders.add(new Contender(kind, name, body, Long.MAX_VALUE));
        return this;
    }

    /**
     * Limits only the contender added last to a size; a printed line says that larger sizes are left out.
     *
     * @param largest the largest size that fits this machine, such as {@link Machine#platformThreads()}
     * @return these trials
     */
    public Trials<T> upTo(long largest) {
        if (contenders.isEmpty()) {
            throw new IllegalStateException("upTo(…) limits the contender added last: add a contender first");
        }
        var last = contenders.removeLast();
        contenders.add(new Contender(last.kind, last.name, last.body, largest));
        return this;
    }

    /**
     * Sets the sizes at which every contender runs.
     *
     * @param n sizes from 1 to 10,000,000
     * @return these trials
     */
    public Trials<T> sizes(int... n) {
        Arguments.require(n.length > 0, "no size was given: name at least one, such as sizes(1_000, 10_000)");
        for (int size : n) {
            Arguments.inRange("sizes", size, 1, LARGEST_SIZE);
        }
        sizes = Arrays.stream(n).sorted().distinct().boxed().toList();
        return this;
    }

    /**
     * Sets how often each contender runs at each size. With {@code THREADLAB_SCALE=small}, which spares a small
     * machine, another round begins only if the earlier ones, warm-up included, have taken less than
     * {@value threadlab.measure.Trials#ENOUGH_IF_SMALL} s; a printed line says how many there were.
     *
     * @param times from 1 to 1,000; {@value threadlab.measure.Trials#REPEATS} if it is not set
     * @return these trials
     */
    public Trials<T> repeat(int times) {
        repeats = Arguments.inRange("repeat", times, 1, MOST_ROUNDS);
        return this;
    }

    /**
     * Sets how often each contender runs at the smallest size before anything is recorded.
     *
     * @param rounds from 0 to 1,000; {@value threadlab.measure.Trials#WARM_UPS} if it is not set
     * @return these trials
     */
    public Trials<T> warmUp(int rounds) {
        warmUpRounds = Arguments.inRange("warmUp", rounds, 0, MOST_ROUNDS);
        return this;
    }

    /** Sets how long one trial may take, for tests of what happens after that. */
    Trials<T> limit(Duration perTrial) {
        limit = perTrial;
        return this;
    }

    /** Sets how long everything must stand still before a trial is repeated, for tests of that. */
    Trials<T> standstill(Duration least) {
        standstill = least;
        return this;
    }

    /**
     * Draws a picture of the results after every trial. A notebook updates it in place; elsewhere nothing is drawn.
     *
     * @param draw makes a chart from the rows measured so far, such as {@code Plots::timings}
     * @return these trials
     */
    public Trials<T> live(Function<Table, ?> draw) {
        live = draw;
        return this;
    }

    /**
     * Runs all trials and returns when their threads have ended; a thread that ignores an interrupt is left running.
     *
     * @return one row per trial; after an interrupt, those measured until then, with the thread's interrupt status set
     * @throws IllegalStateException if there is no contender, or no trial fits
     */
    public Table run() {
        if (contenders.isEmpty()) {
            throw new IllegalStateException(
                    "\"%s\" has no contender: add one, such as virtual(n -> …)".formatted(experiment));
        }
        return new Run(this).toEnd();
    }
}
