package threadlab.measure;

import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Receives the progress of {@link Trials} or another long measurement, in the thread that called its {@code run()}:
 * before every trial begins, about five times a second while it runs, and at the end. Slow work, such as drawing a
 * picture, belongs before a trial: during one, it would take CPU time from what is measured.
 *
 * <p>So a page can show progress although the measurement does not know the page: a {@link Factory},
 * found by {@link ServiceLoader}, makes the observer of each run.
 */
@FunctionalInterface
public interface TrialsObserver {

    /** Makes an observer for one run. */
    interface Factory extends Supplier<TrialsObserver> {}

    /**
     * Receives the progress.
     *
     * @param progress how far the run has got
     */
    void told(Progress progress);

    /**
     * The observer of the environment that runs this code.
     *
     * @return the first one installed, or one that does nothing
     */
    static TrialsObserver installed() {
        return ServiceLoader.load(Factory.class, TrialsObserver.class.getClassLoader())
                .findFirst()
                .map(Supplier::get)
                .orElse(progress -> {});
    }
}
