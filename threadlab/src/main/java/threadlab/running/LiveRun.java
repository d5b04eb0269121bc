package threadlab.running;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/** A run of a {@link Running} experiment: it counts ten times a second, and ends. */
public final class LiveRun {

    /** Why a run has ended. */
    public enum End {
        /** Its time was over. */
        TIME,
        /** Another cell has begun. */
        CELL,
        /** The reader has interrupted it. */
        INTERRUPT,
        /** Its code has ended. */
        CODE
    }

    private static final Duration TICK = Duration.ofMillis(100);
    /** A moment tells of so many ticks. */
    private static final int WINDOW = 10;
    /** Between two interrupts: code may need one to leave its loop and one to leave what it closes. */
    private static final Duration AGAIN = Duration.ofMillis(10);

    private static final int INTERRUPTS = 200;

    /** What was counted up to a tick. */
    private record Tick(double at, long arrived, Box.Count whole, Box.Count service) {

        Moment since(Tick earlier) {
            double perSecond = (arrived - earlier.arrived) / (at - earlier.at);
            return new Moment(at, perSecond, whole.since(earlier.whole), service.since(earlier.service));
        }
    }

    private final Running experiment;
    private final Visitors visitors = new Visitors();
    private final List<Tick> ticks = new ArrayList<>();
    private final List<Moment> moments = new ArrayList<>();
    private final AtomicReference<End> end = new AtomicReference<>();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final Thread keeper;

    private LiveRun(Running experiment, Running.Work work, Consumer<LiveRun> ticked, Consumer<LiveRun> ended) {
        this.experiment = experiment;
        keeper = Thread.ofVirtual().name("running experiment, kept").unstarted(() -> keep(work, ticked, ended));
    }

    static LiveRun begin(Running experiment, Running.Work work, Consumer<LiveRun> ticked, Consumer<LiveRun> ended) {
        var run = new LiveRun(experiment, work, ticked, ended);
        run.keeper.start();
        return run;
    }

    private void keep(Running.Work work, Consumer<LiveRun> ticked, Consumer<LiveRun> ended) {
        var body = Thread.ofVirtual().name("running experiment").start(() -> run(work));
        double lasts = experiment.lasts().toNanos() / 1e9;
        try {
            while (!asked.await(TICK.toMillis(), TimeUnit.MILLISECONDS) && body.isAlive() && visitors.now() < lasts) {
                count();
                ticked.accept(this);
            }
            end.compareAndSet(null, body.isAlive() ? End.TIME : End.CODE);
            for (int i = 0; i < INTERRUPTS && body.isAlive(); i++) {
                body.interrupt();
                body.join(AGAIN);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody knows this thread
        } finally {
            ended.accept(this);
        }
    }

    private void run(Running.Work work) {
        try {
            work.run(visitors);
        } catch (Exception e) {
            if (end.get() == null) { // afterwards the code is expected to fail
                var here = Thread.currentThread();
                here.getUncaughtExceptionHandler().uncaughtException(here, e);
            }
        }
    }

    private synchronized void count() {
        double at = visitors.now();
        ticks.add(new Tick(
                at,
                visitors.arrived(),
                visitors.whole().count(at),
                visitors.service().count(at)));
        int first = ticks.size() - 1 - WINDOW;
        if (first >= 0) {
            moments.add(ticks.getLast().since(ticks.get(first)));
        }
    }

    /**
     * Ends it, and waits until its code has ended, for some seconds at most. A run that has ended stays as it is.
     *
     * @param why the reason
     */
    public void end(End why) {
        end.compareAndSet(null, why);
        asked.countDown();
        try {
            keeper.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Why it has ended.
     *
     * @return the reason; null while it runs
     */
    public End ended() {
        return end.get();
    }

    /**
     * How long it has been running.
     *
     * @return in seconds
     */
    public double seconds() {
        return visitors.now();
    }

    /**
     * What was measured so far, ten times a second; nothing in the first second.
     *
     * @return the moments in their order
     */
    public synchronized List<Moment> moments() {
        return List.copyOf(moments);
    }
}
