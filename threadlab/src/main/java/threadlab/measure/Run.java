package threadlab.measure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import tech.tablesaw.api.Table;
import threadlab.measure.Schedule.Contender;
import threadlab.measure.Schedule.Turn;

/** One run of a schedule: the rows so far and what is left to do. */
final class Run {

    private static final Duration TICK = Duration.ofMillis(200);
    private static final Duration GRACE = Duration.ofSeconds(5);

    private record Result(double seconds, double[] figures, String outcome, boolean ended) {}

    private record Forecast(int turns, Duration left) {}

    private final Schedule schedule;
    private final LongSupplier nanoClock;
    private final TrialsObserver observer;
    private final List<Turn> turns;
    private final Table rows;
    private final long start;
    private int done;

    /**
     * A run that has not begun.
     *
     * @param turns what to run, in order; turns that are skipped are removed from the list
     */
    Run(Schedule schedule, List<Turn> turns, LongSupplier nanoClock, TrialsObserver observer) {
        this.schedule = schedule;
        this.turns = turns;
        this.nanoClock = nanoClock;
        this.observer = observer;
        this.rows = schedule.emptyTable();
        this.start = nanoClock.getAsLong();
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
                if (turn.trial() > 0) {
                    add(turn, result.seconds, result.figures, result.outcome);
                }
                done++;
                if (!result.ended) {
                    leaveOut(turn.contender());
                }
            }
            tell(null, Progress.State.FINISHED);
        } catch (InterruptedException e) {
            tell(null, Progress.State.INTERRUPTED);
            Thread.currentThread().interrupt();
        }
        return rows.copy();
    }

    /** Whether a turn begins another round although the earlier ones have taken long enough. */
    private boolean beginsOneTooMany(int turn, double seconds) {
        boolean begins = turns.get(turn).trial() > 1
                && turns.get(turn - 1).trial() < turns.get(turn).trial();
        return begins && seconds * 1e9 >= schedule.enough().toNanos();
    }

    private void leaveOutRounds() {
        int rounds = turns.get(done).trial() - 1;
        long seconds = schedule.enough().toSeconds();
        System.out.println("%s: %d of %d rounds at the small scale, because they took more than %d s."
                .formatted(schedule.experiment(), rounds, schedule.repeats(), seconds));
        turns.subList(done, turns.size()).clear();
    }

    private Result runOnce(Turn turn) throws InterruptedException {
        // before the clock starts: drawing a picture or collecting garbage takes CPU time from what is measured
        tell(turn, Progress.State.RUNNING);
        Memory.giveBackWhereScarce();
        var task = new FutureTask<>(() -> timed(turn));
        var thread = Thread.ofPlatform()
                .daemon()
                .name(turn.contender().name() + " × " + turn.n())
                .start(task);
        long begin = nanoClock.getAsLong();
        long limit = schedule.limit().toNanos();
        try (var _ = CpuShare.here().measuring()) {
            while (true) {
                long left = limit - (nanoClock.getAsLong() - begin);
                try {
                    var result = task.get(Math.clamp(left, 0, TICK.toNanos()), TimeUnit.NANOSECONDS);
                    return result.seconds * 1e9 > limit ? timedOut(result.seconds, true) : result;
                } catch (TimeoutException e) {
                    if (left <= 0) {
                        return timedOut((limit - left) / 1e9, stop(thread));
                    }
                    tell(turn, Progress.State.RUNNING);
                }
            }
        } catch (ExecutionException e) {
            double seconds = (nanoClock.getAsLong() - begin) / 1e9;
            return new Result(seconds, null, "failed: " + e.getCause(), stop(thread));
        } catch (InterruptedException e) {
            stop(thread);
            if (turn.trial() > 0) {
                add(turn, (nanoClock.getAsLong() - begin) / 1e9, null, "interrupted");
            }
            throw e;
        }
    }

    private Result timedOut(double seconds, boolean ended) {
        return new Result(seconds, null, "timed out after " + inWords(schedule.limit()), ended);
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
        turns.subList(done, turns.size()).removeIf(turn -> turn.contender() == contender);
    }

    private void add(Turn turn, double seconds, double[] values, String outcome) {
        rows.stringColumn("contender").append(turn.contender().name());
        rows.stringColumn("kind").append(turn.contender().kind().toString());
        rows.intColumn("n").append(turn.n());
        rows.intColumn("trial").append(turn.trial());
        rows.doubleColumn("seconds").append(seconds);
        for (int i = 0; i < schedule.figures().size(); i++) {
            rows.doubleColumn(schedule.figures().get(i)).append(values == null ? Double.NaN : values[i]);
        }
        rows.stringColumn("outcome").append(outcome);
    }

    private void tell(Turn turn, Progress.State state) {
        var forecast = forecast();
        observer.told(new Progress(
                schedule.experiment(),
                state,
                turn == null ? "" : inWords(turn),
                "trials",
                done,
                forecast.turns,
                rows.rowCount(),
                seconds(elapsed()),
                forecast.left,
                rows,
                schedule.picture()));
    }

    /** How many turns there will be, and how long the remaining ones take if they continue like the earlier ones. */
    private Forecast forecast() {
        double elapsed = elapsed();
        double left = 0;
        int turn = done;
        // the current turn has already begun
        while (turn < turns.size() && (turn == done || !beginsOneTooMany(turn, elapsed + left))) {
            left += expected(turns.get(turn));
            turn++;
        }
        return new Forecast(turn, rows.isEmpty() ? null : seconds(left));
    }

    /** The seconds that a turn takes if it is like the earlier ones; 0 before the first. */
    private double expected(Turn turn) {
        if (rows.isEmpty()) {
            return 0;
        }
        var alike = rows.where(rows.stringColumn("contender")
                .isEqualTo(turn.contender().name())
                .and(rows.intColumn("n").isEqualTo(turn.n())));
        return (alike.isEmpty() ? rows : alike).doubleColumn("seconds").mean();
    }

    private double elapsed() {
        return (nanoClock.getAsLong() - start) / 1e9;
    }

    private static Duration seconds(double seconds) {
        return Duration.ofMillis((long) (seconds * 1_000));
    }

    private String inWords(Turn turn) {
        var who = "%s × %,d, ".formatted(turn.contender().name(), turn.n());
        var of = schedule.enough().equals(Trials.FOREVER) ? " of " : " of at most ";
        return who + (turn.trial() == 0 ? "warm-up" : "trial " + turn.trial() + of + schedule.repeats());
    }

    private static String inWords(Duration duration) {
        return duration.toMillis() < 10_000 ? duration.toMillis() + " ms" : duration.toSeconds() + " s";
    }

    /** Runs the body and times it inside its own thread, so that the start of that thread is not counted. */
    private Result timed(Turn turn) throws Exception {
        long begin = nanoClock.getAsLong();
        var values = turn.contender().body().figures(turn.n());
        double seconds = (nanoClock.getAsLong() - begin) / 1e9;
        int named = schedule.figures().size();
        if (values == null || values.length != named) {
            var returned = values == null ? "no" : values.length;
            throw new IllegalArgumentException("%s returned %s figures where %s were named: %s"
                    .formatted(turn.contender().name(), returned, named, schedule.figures()));
        }
        return new Result(seconds, values, Trials.OK, true);
    }
}
