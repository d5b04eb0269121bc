package threadlab.support;

import java.util.ServiceLoader;
import java.util.function.Supplier;

/**
 * Receives the progress of {@code Trials} or another long measurement, in the thread that called its {@code run()}, so
 * that a page can show it although the measurement does not know the page. {@link ServiceLoader} makes one per run.
 */
public interface TrialsObserver {

    /**
     * Receives the progress: before every trial begins, about five times a second while it runs, and at the end. It
     * must be quick: during a trial, it takes CPU time from what is measured.
     *
     * @param progress how far the run has got
     */
    void told(Progress progress);

    /**
     * Shows something of the results, in place of what was shown before; called between two trials and at the end.
     *
     * @param value makes it
     * @param last whether it is the last one, which must be shown
     */
    default void show(Supplier<?> value, boolean last) {}

    /**
     * The observer of the environment that runs this code.
     *
     * @return the first one installed, or one that does nothing
     */
    static TrialsObserver installed() {
        return ServiceLoader.load(TrialsObserver.class, TrialsObserver.class.getClassLoader())
                .findFirst()
                .orElse(progress -> {});
    }
}
