package threadlab.kernel;

import java.util.Optional;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import threadlab.measure.KeptResults;

/**
 * The kernel that runs this JVM, known from the moment when it installs the extension, and none elsewhere; and where the
 * results of its notebook are kept, known if a page runs it.
 */
final class Notebook {

    /** Where Jupyter's server names the notebook for which it starts a kernel. */
    private static final String STARTED_FOR = "JPY_SESSION_NAME";

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

    /** Null where no kernel runs. */
    static BaseKernel kernel() {
        return kernel;
    }
}
