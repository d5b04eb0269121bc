package threadlab.kernel;

/** The heap of the kernel. When it is full, nothing works, so some bytes are kept for the last words. */
final class Heap {

    /** With more of the heap in use after a collection, the next cells would fail, too. */
    private static final double FULL = 0.9;

    private static final int RESERVE = 8 << 20;

    private volatile byte[] reserve = new byte[RESERVE];

    /** A cell begins. */
    void begin() {
        if (reserve == null) {
            reserve = new byte[RESERVE];
        }
    }

    /** The heap is full: lets the kernel say so. */
    void release() {
        reserve = null;
    }

    /** Whether this error means that the heap is full, rather than that an array is too long or a thread one too many. */
    static boolean isFull(Throwable thrown) {
        return thrown instanceof OutOfMemoryError
                && String.valueOf(thrown.getMessage()).matches("Java heap space|GC overhead limit exceeded");
    }

    /** Whether it stays full although a cell has ended. */
    boolean staysFull() {
        System.gc();
        var runtime = Runtime.getRuntime();
        return runtime.totalMemory() - runtime.freeMemory() > FULL * runtime.maxMemory();
    }
}
