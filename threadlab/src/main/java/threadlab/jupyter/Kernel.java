package threadlab.jupyter;

import java.lang.reflect.InvocationTargetException;

/**
 * Starts the kernel, and beside it, on a machine with a second CPU, what the first chart needs: to draw takes as long as to make
 * the shell that runs the cells, so both are there after the time of one.
 */
public final class Kernel {

    private Kernel() {}

    /**
     * Runs the kernel until it is told to end.
     *
     * @param arguments the connection file that Jupyter has written
     * @throws Throwable what the kernel ends with
     */
    public static void main(String[] arguments) throws Throwable {
        if (Runtime.getRuntime().availableProcessors() > 1) {
            Thread.ofPlatform().daemon().name("first drawing").start(WarmUp.drawing()::step);
        }
        try {
            // the kernel's own class is in no library that threadlab could be compiled with
            var kernel = Class.forName("org.dflib.jjava.distro.JJava");
            kernel.getMethod("main", String[].class).invoke(null, (Object) arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
