package threadlab.cases;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The fault of each case. The list is shuffled, so that a case's number does not reveal its fault, and stands in a
 * class of its own, which no help text of a notebook shows. New cases are appended.
 */
final class Cases {

    /** Case 1 first. */
    private static final List<Fault> FAULTS = List.of(
            Fault.NATIVE_FRAME,
            Fault.CONNECTION_HELD,
            Fault.PARALLEL_STREAM,
            Fault.LOST_WAKE_UP,
            Fault.SLOW_FILES,
            Fault.NESTED_TRANSACTION,
            Fault.UNBOUNDED_ADMISSION,
            Fault.PER_THREAD_CACHE,
            Fault.HOT_LOCK,
            Fault.CPU_WORK);

    private Cases() {}

    /** The fault of a case; beyond the list, the seed selects one. A fault that this system cannot show is replaced. */
    static Fault fault(int seed) {
        boolean listed = seed >= 1 && seed <= FAULTS.size();
        var fault = FAULTS.get(listed ? seed - 1 : new SplittableRandom(seed).nextInt(FAULTS.size()));
        return fault == Fault.SLOW_FILES && !Shelf.canBeSlow() ? Fault.NATIVE_FRAME : fault;
    }
}
