package threadlab.kernel;

import java.util.Optional;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import threadlab.measure.KeptResults;

/**
 * The kernel that runs in this JVM, once it has installed the extension, and the place where its notebook's results are
 * kept, if Jupyter started it for a notebook.
 */
final class Notebook {

    /** The variable in which Jupyter's server names the notebook for which it starts a kernel. */
    static final String STARTED_FOR = "JPY_SESSION_NAME";

    private static final Optional<KeptResults> RESULTS =
            Optional.ofNullable(System.getenv(STARTED_FOR)).map(KeptResults::ofNotebook);

    private static volatile BaseKernel kernel;

    private Notebook() {}

    static void opened(BaseKernel running) {
        kernel = running;
    }

    static Optional<KeptResults> results() {
        return RESULTS;
    }

    /** The kernel; null if none runs. */
    static BaseKernel kernel() {
        return kernel;
    }
}
