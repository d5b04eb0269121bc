package threadlab.running;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import threadlab.support.Arguments;

/**
 * An experiment that goes on after its cell, so that a reader can change it while it runs. Made the value of a cell, it
 * begins; it ends after 60 s, when the next cell begins, on an interrupt, or when its code ends.
 *
 * <p>Its threads are those that the cell's code makes. It must end them when it is interrupted: {@code try (var pool =
 * …)} does, and so does a sleep.
 */
public final class Running {

    /** The code of an experiment. */
    @FunctionalInterface
    public interface Work {

        /**
         * Runs in a virtual thread of its own until it is interrupted.
         *
         * @param visitors counts who arrives, is served and leaves
         * @throws Exception if it fails; at the end, an {@link InterruptedException} is expected
         */
        void run(Visitors visitors) throws Exception;
    }

    private static final Duration LASTS = Duration.ofSeconds(60);
    private static final int MOST_CONTROLS = 6;

    private final List<Control> controls;
    private final Work work;
    private final Duration lasts;

    private Running(List<Control> controls, Work work, Duration lasts) {
        this.controls = controls;
        this.work = work;
        this.lasts = lasts;
    }

    /**
     * Begins an experiment.
     *
     * @param controls one to six sliders and buttons, in the order in which the page shows them
     * @return the next step: the code
     */
    public static Controls with(Control... controls) {
        Arguments.inRange("the number of sliders and buttons", controls.length, 1, MOST_CONTROLS);
        return new Controls(List.of(controls));
    }

    /** Controls of an experiment that still lacks its code. */
    public static final class Controls {

        private final List<Control> controls;

        private Controls(List<Control> controls) {
            this.controls = controls;
        }

        /**
         * Sets the code, which makes the threads.
         *
         * @param work runs until it is interrupted
         * @return the experiment, which has not begun
         */
        public Running doing(Work work) {
            return new Running(
                    controls, Objects.requireNonNull(work, "a running experiment needs code that runs"), LASTS);
        }
    }

    /** The same, with another length. */
    Running lasting(Duration time) {
        return new Running(controls, work, time);
    }

    /**
     * Begins a run.
     *
     * @param ticked hears of it ten times a second, in a thread of the run
     * @param ended hears once of its end, in the same thread
     * @return the run
     */
    public LiveRun begin(Consumer<LiveRun> ticked, Consumer<LiveRun> ended) {
        return LiveRun.begin(this, work, ticked, ended);
    }

    /**
     * The sliders and buttons.
     *
     * @return in the order in which the page shows them
     */
    public List<Control> controls() {
        return controls;
    }

    /**
     * When it ends by itself.
     *
     * @return the time from its beginning
     */
    public Duration lasts() {
        return lasts;
    }

    /** What it is, and what it does where no page shows its sliders. */
    @Override
    public String toString() {
        var values = controls.stream()
                .filter(Slider.class::isInstance)
                .map(Object::toString)
                .collect(Collectors.joining(", "));
        return "A running experiment: %s. Where no sliders are shown, it runs like this until the next cell begins."
                .formatted(values);
    }
}
