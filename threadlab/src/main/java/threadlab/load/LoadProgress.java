package threadlab.load;

import java.time.Duration;
import java.util.function.LongSupplier;
import tech.tablesaw.api.Table;
import threadlab.measure.Progress;
import threadlab.measure.TrialsObserver;

/** Turns messages from the generator into progress. Closing it before the end reports an interrupted run. */
final class LoadProgress implements AutoCloseable {

    private final String name;
    private final Plan plan;
    private final TrialsObserver observer;
    private final LongSupplier nanoClock;
    private final long start;
    private int done;
    private int planned;
    private boolean loading;
    private long loadStart;
    private boolean ended;
    private final Moments moments = new Moments();
    private LoadResult measured;

    LoadProgress(String server, Plan plan, TrialsObserver observer, LongSupplier nanoClock) {
        this.name = "%s, %,d %s".formatted(server, plan.loop().n(), plan.loop().unit());
        this.plan = plan;
        this.observer = observer;
        this.nanoClock = nanoClock;
        start = nanoClock.getAsLong();
        // how many a closed loop will send in its time is not known yet, but each client sends at least one
        planned = plan.warmUp() + Math.max(plan.requests(), plan.loop().n());
        running("starting the load generator");
    }

    /** Takes a line that the generator printed. */
    void take(String line) {
        switch (Message.of(line)) {
            case LoadProgressUpdate standing -> stands(standing);
            case Moments part -> moments.all().addAll(part.all());
            case LoadResult result -> measured = result;
            case null -> {}
            case Plan _ -> throw new IllegalStateException("the generator makes no plans");
        }
    }

    /** Whether the generator has sent its result. */
    boolean complete() {
        return measured != null;
    }

    /**
     * What the generator measured.
     *
     * @throws IllegalStateException if it has sent no result
     */
    LoadResult measured() {
        if (measured == null) {
            throw new IllegalStateException("the load generator failed: it ended without a result");
        }
        return measured;
    }

    /** What the generator saw over time; empty until it has sent it. */
    Moments moments() {
        return moments;
    }

    /**
     * Ends the progress.
     *
     * @param row the run in a table
     */
    void finish(Table row) {
        done = plan.warmUp() + measured.requests();
        planned = done;
        tell(Progress.State.FINISHED, "", measured.requests(), row);
        ended = true;
    }

    @Override
    public void close() {
        if (!ended) {
            ended = true;
            tell(Progress.State.INTERRUPTED, "", 0, Row.none(name));
        }
    }

    private void stands(LoadProgressUpdate now) {
        if (!now.warmUp() && !loading) {
            loading = true;
            loadStart = nanoClock.getAsLong();
        }
        done = now.ended() + (now.warmUp() ? 0 : plan.warmUp());
        planned = plan.warmUp() + (now.warmUp() ? plan.requests() : now.expected());
        running(now.warmUp() ? "warm-up" : "load");
    }

    private void running(String what) {
        tell(Progress.State.RUNNING, name + ": " + what, 0, Row.none(name));
    }

    private void tell(Progress.State state, String running, int counted, Table rows) {
        observer.told(new Progress(
                name,
                state,
                running,
                "requests",
                done,
                Math.max(planned, done),
                counted,
                Duration.ofNanos(nanoClock.getAsLong() - start),
                left(),
                rows));
    }

    /** The time left, by the clock or at the rate so far; null while that is unknown. */
    private Duration left() {
        int counted = done - plan.warmUp();
        if (!loading || counted <= 0) {
            return null;
        }
        double sofar = nanoClock.getAsLong() - loadStart;
        double all = plan.requests() > 0
                ? sofar * plan.requests() / counted
                : plan.during().toNanos();
        return Duration.ofNanos((long) Math.max(0, all - sofar));
    }
}
