package threadlab.cases;

import java.util.SplittableRandom;

/**
 * The fault of each case. They are shuffled, so that a case's number does not reveal its fault, and stand in a class of
 * their own, which no help text of a notebook shows. New cases are appended.
 */
final class Cases {
    private Cases() {}

    /** The fault of a case; without a case of its own, the seed selects one. */
    static Fault fault(int seed) {
        return switch (seed) {
            case 1 -> Fault.NATIVE_FRAME;
            case 2 -> Fault.CONNECTION_HELD;
            case 3 -> Fault.PARALLEL_STREAM;
            case 4 -> Fault.LOST_WAKE_UP;
            // not every system can show this fault
            case 5 -> Shelf.canBeSlow() ? Fault.SLOW_FILES : Fault.NATIVE_FRAME;
            case 6 -> Fault.NESTED_TRANSACTION;
            case 7 -> Fault.UNBOUNDED_ADMISSION;
            case 8 -> Fault.PER_THREAD_CACHE;
            case 9 -> Fault.HOT_LOCK;
            case 10 -> Fault.CPU_WORK;
            default -> fault(1 + new SplittableRandom(seed).nextInt(10));
        };
    }
}
