package threadlab.child;

/** Why a child JVM ended. */
public enum ExitReason {
    /** With exit code 0, and with the CSV if it promised one. */
    FINISHED,
    /** With another exit code, such as 1 after an uncaught exception, or 3 if there is no room for classes or buffers. */
    FAILED,
    /** {@code OutOfMemoryError}: Java heap space, or the collector's overhead limit. */
    OUT_OF_HEAP,
    /** {@code OutOfMemoryError}: the operating system refused a native thread. */
    NO_NATIVE_THREAD,
    /** The JVM could not start: an unknown option, or a heap that could not be reserved. */
    NOT_STARTED,
    /** It was ended because it ran for longer than its time limit. */
    TIME_OUT,
    /** It was ended because it wrote without end. */
    TOO_MUCH_OUTPUT,
    /** A signal killed it, such as 9 (SIGKILL) or 11 (SIGSEGV); the exit code is then 128 + its number. */
    SIGNAL,
    /** With exit code 0, but without the promised CSV, or with a malformed one. */
    BAD_CSV,
    /** It was closed by the cell that started it. */
    CLOSED
}
