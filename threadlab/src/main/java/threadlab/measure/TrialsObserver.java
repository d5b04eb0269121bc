package threadlab.measure;

import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Receives the progress of {@link Trials} or another long measurement, in the thread that called its {@code run()}:
 * before every trial begins, about five times a second while it runs, and at the end. What takes long, such as drawing a
 * picture, belongs before a trial: while one runs, it would take the CPU from what is measured.
 *
 * <p>This is how a page shows progress without the measurement knowing the page: a {@link Factory} that
 * {@link ServiceLoader} finds makes the observer of each run.
 */
@FunctionalInterface
public interface TrialsObserver {

    /** Makes an observer for one run. */
    interface Factory extends Supplier<TrialsObserver> {}

    /**
     * Takes note.
     *
     * @param progress where the run stands
     */
    void told(Progress progress);

    /**
     * The observer of the environment that runs this code.
     *
     * @return the first that is installed, or one that does nothing
     */
    static TrialsObserver installed() {
        return ServiceLoader.load(Factory.class, TrialsObserver.class.getClassLoader())
                .findFirst()
                .map(Supplier::get)
                .orElse(progress -> {});
    }
}
