package threadlab.jupyter;

import org.dflib.jjava.jupyter.kernel.BaseKernel;

/** The kernel that runs this JVM: known from the moment when it installs the extension, and none elsewhere. */
final class Notebook {

    private static volatile BaseKernel kernel;

    private Notebook() {}

    static void opened(BaseKernel running) {
        kernel = running;
    }

    /** Null where no kernel runs. */
    static BaseKernel kernel() {
        return kernel;
    }
}
