package threadlab.kernel;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The thread of the cells. One that does not heed an interrupt is left behind, and ends when its work does. */
final class CellThread extends Thread {

    private final BlockingQueue<Runnable> work = new LinkedBlockingQueue<>();
    private volatile boolean left;

    CellThread(ClassLoader loader) {
        super("cells");
        setContextClassLoader(loader);
        setDaemon(true);
    }

    void give(Runnable next) {
        work.add(next);
    }

    void leave() {
        left = true;
    }

    boolean isLeft() {
        return left;
    }

    @Override
    public void run() {
        boolean flag = false;
        while (!left) {
            try {
                var next = work.take();
                if (flag) {
                    interrupt(); // by a statement, for the next one of the same cell
                }
                flag = false;
                next.run();
            } catch (InterruptedException e) {
                flag = true;
            } catch (OutOfMemoryError e) {
                // the cell has noticed, too
            }
        }
    }
}
