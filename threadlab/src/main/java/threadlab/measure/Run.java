package threadlab.measure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Trials.Contender;
import threadlab.support.CpuShare;
import threadlab.support.Progress;
import threadlab.support.Standstill;

/** One run of trials: the rows so far and what is left to do. */
final class Run {

    private static final Duration TICK = Duration.ofMillis(200);
    private static final Duration GRACE = Duration.ofSeconds(5);

    /** A machine on which trials stand still again and again is measured as it is. */
    private static final int MOST_REPEATED = 3;

    /** One run of a contender; trial 0 is the warm-up. */
    private record Turn(Contender contender, int n, int trial) {}

    private record Result(double seconds, double[] figures, String outcome, boolean ended) {}

    private final Trials<?> trials;
    private final List<Turn> turns = new ArrayList<>();
    private final Table rows;
    private final long start;
    private int done;
    private int repeated;

    /** A run that has not begun. */
    Run(Trials<?> trials) {
        this.trials = trials;
        int smallest = trials.sizes.getFirst();
        var fit = trials.contenders.stream().filter(contender -> smallest <= contender.fits());
        var warmUp = fit.map(contender -> new Turn(contender, smallest, 0)).toList();
        for (int round = 0; round < trials.warmUpRounds; round++) {
            turns.addAll(warmUp);
        }
        for (int trial = 1; trial <= trials.repeats; trial++) {
            for (int n : trials.sizes) {
                addTurns(n, trial);
            }
        }
        if (turns.stream().noneMatch(turn -> turn.trial > 0)) {
            throw new IllegalStateException(
                    "no size of \"%s\" fits this machine: use smaller sizes".formatted(trials.experiment));
        }
        rows = Table.create(trials.experiment, StringColumn.create("contender"), StringColumn.create("kind"));
        rows.addColumns(IntColumn.create("n"), IntColumn.create("trial"), DoubleColumn.create("seconds"));
        trials.figures.forEach(figure -> rows.addColumns(DoubleColumn.create(figure)));
        rows.addColumns(StringColumn.create("outcome"));
        start = trials.nanoClock.getAsLong();
    }

    private void addTurns(int n, int trial) {
        for (int i = 0; i < trials.contenders.size(); i++) {
            var contender = trials.contenders.get((i + trial - 1) % trials.contenders.size());
            if (n <= contender.fits()) {
                turns.add(new Turn(contender, n, trial));
            } else if (trial == 1) {
                System.out.println(
                        "%s at %,d is left out: up to %,d fit here.".formatted(contender.name(), n, contender.fits()));
            }
        }
    }

    Table toEnd() {
        try {
            while (done < turns.size()) {
                if (beginsOneTooMany(done, elapsed())) {
                    leaveOutRounds();
                    break;
                }
                var turn = turns.get(done);
                var result = runOnce(turn);
                if (result == null) {
                    continue;
                }
                if (turn.trial > 0) {
                    add(turn, result.seconds, result.figures, result.outcome);
                }
                done++;
                if (!result.ended) {
                    leaveOut(turn.contender);
                }
            }
            tell(null, Progress.State.FINISHED);
            show(true);
        } catch (InterruptedException e) {
            tell(null, Progress.State.INTERRUPTED);
            show(true);
            Thread.currentThread().interrupt();
        }
        return rows.copy();
    }

    /** Whether a turn begins another round although the earlier ones have taken long enough. */
    private boolean beginsOneTooMany(int turn, double seconds) {
        boolean begins = turns.get(turn).trial > 1 && turns.get(turn - 1).trial < turns.get(turn).trial;
        return begins && seconds * 1e9 >= trials.enough.toNanos();
    }

    private void leaveOutRounds() {
        int rounds = turns.get(done).trial - 1;
        long seconds = trials.enough.toSeconds();
        System.out.println("%s: %d of %d rounds at the small scale, because they took more than %d s."
                .formatted(trials.experiment, rounds, trials.repeats, seconds));
        turns.subList(done, turns.size()).clear();
    }

    /** One trial; null if everything stood still in it, as when a laptop sleeps or a container is paused. */
    private Result runOnce(Turn turn) throws InterruptedException {
        tell(turn, Progress.State.RUNNING);
        show(false);
        Memory.giveBackWhereScarce();
        var task = new FutureTask<>(() -> timed(turn));
        var name = turn.contender.name() + " × " + turn.n;
        var thread = Thread.ofPlatform().daemon().name(name).start(task);
        long begin = trials.nanoClock.getAsLong();
        long limit = trials.limit.toNanos();
        var still = new Standstill(trials.standstill);
        try (var _ = CpuShare.here().measuring()) {
            while (true) {
                long left = limit - (trials.nanoClock.getAsLong() - begin);
                try {
                    var result = task.get(Math.clamp(left, 0, TICK.toNanos()), TimeUnit.NANOSECONDS);
                    still.look();
                    if (still.nanos() > 0 && repeated < MOST_REPEATED) {
                        return again(turn, still.nanos());
                    }
                    return result.seconds * 1e9 > limit ? timedOut(result.seconds, true) : result;
                } catch (TimeoutException e) {
                    long stood = still.look();
                    begin += stood;
                    if (left <= 0 && stood == 0) {
                        return timedOut((limit - left) / 1e9, stop(thread));
                    }
                    tell(turn, Progress.State.RUNNING);
                }
            }
        } catch (ExecutionException e) {
            still.look();
            if (still.nanos() > 0 && repeated < MOST_REPEATED) {
                return again(turn, still.nanos());
            }
            double seconds = (trials.nanoClock.getAsLong() - begin) / 1e9;
            return new Result(seconds, null, "failed: " + e.getCause(), stop(thread));
        } catch (InterruptedException e) {
            stop(thread);
            if (turn.trial > 0) {
                add(turn, (trials.nanoClock.getAsLong() - begin) / 1e9, null, "interrupted");
            }
            throw e;
        }
    }

    private Result again(Turn turn, long still) {
        repeated++;
        System.out.println(
                "%s is repeated: everything stood still in it for %.0f s.".formatted(inWords(turn), still / 1e9));
        return null;
    }

    private Result timedOut(double seconds, boolean ended) {
        return new Result(seconds, null, "timed out after " + inWords(trials.limit), ended);
    }

    /** Interrupts the trial's thread and says whether it ended. */
    private boolean stop(Thread thread) throws InterruptedException {
        thread.interrupt();
        return thread.join(GRACE);
    }

    private void leaveOut(Contender contender) {
        System.out.println(
                "%s does not end when it is interrupted, so its remaining trials are left out; its thread still runs: restart the kernel to end it."
                        .formatted(contender.name()));
        turns.subList(done, turns.size()).removeIf(turn -> turn.contender == contender);
    }

    private void add(Turn turn, double seconds, double[] values, String outcome) {
        rows.stringColumn("contender").append(turn.contender.name());
        rows.stringColumn("kind").append(turn.contender.kind().toString());
        rows.intColumn("n").append(turn.n);
        rows.intColumn("trial").append(turn.trial);
        rows.doubleColumn("seconds").append(seconds);
        for (int i = 0; i < trials.figures.size(); i++) {
            rows.doubleColumn(trials.figures.get(i)).append(values == null ? Double.NaN : values[i]);
        }
        rows.stringColumn("outcome").append(outcome);
    }

    private void tell(Turn turn, Progress.State state) {
        double elapsed = elapsed();
        double left = 0;
        int planned = done;
        // the current turn has already begun
        while (planned < turns.size() && (planned == done || !beginsOneTooMany(planned, elapsed + left))) {
            left += expected(turns.get(planned++));
        }
        var running = turn == null ? "" : inWords(turn);
        int measured = rows.rowCount();
        var toGo = measured == 0 ? null : seconds(left);
        trials.observer.told(new Progress(
                trials.experiment, state, running, "trials", done, planned, measured, seconds(elapsed), toGo, rows));
    }

    /** Between two trials and at the end: drawing a picture takes CPU time from what is measured. */
    private void show(boolean last) {
        if (trials.live != null && !rows.isEmpty()) {
            trials.observer.show(() -> trials.live.apply(rows), last);
        }
    }

    /** The seconds that a turn takes if it is like the earlier ones; 0 before the first. */
    private double expected(Turn turn) {
        if (rows.isEmpty()) {
            return 0;
        }
        var own = rows.stringColumn("contender").isEqualTo(turn.contender.name());
        var alike = rows.where(own.and(rows.intColumn("n").isEqualTo(turn.n)));
        return (alike.isEmpty() ? rows : alike).doubleColumn("seconds").mean();
    }

    private double elapsed() {
        return (trials.nanoClock.getAsLong() - start) / 1e9;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis((long) (seconds * 1_000));
    }

    private String inWords(Turn turn) {
        var who = "%s × %,d, ".formatted(turn.contender.name(), turn.n);
        var of = trials.enough.equals(Trials.FOREVER) ? " of " : " of at most ";
        return who + (turn.trial == 0 ? "warm-up" : "trial " + turn.trial + of + trials.repeats);
    }

    private static String inWords(Duration duration) {
        return duration.toMillis() < 10_000 ? duration.toMillis() + " ms" : duration.toSeconds() + " s";
    }

    /** Runs the body and times it inside its own thread, so that the start of that thread is not counted. */
    private Result timed(Turn turn) throws Exception {
        long begin = trials.nanoClock.getAsLong();
        var values = turn.contender.body().figures(turn.n);
        double seconds = (trials.nanoClock.getAsLong() - begin) / 1e9;
        int named = trials.figures.size();
        if (values == null || values.length != named) {
            var returned = values == null ? "no" : values.length;
            throw new IllegalArgumentException("%s returned %s figures where %s were named: %s"
                    .formatted(turn.contender.name(), returned, named, trials.figures));
        }
        return new Result(seconds, values, Trials.OK, true);
    }
}
