package threadlab.inspect;

import java.util.List;

/**
 * One thread of a dump.
 *
 * @param id its number
 * @param name its name; empty for most virtual threads
 * @param virtual whether it is a virtual thread
 * @param state as {@link Thread.State} calls it; null where the dump does not say
 * @param carrier the number of the thread that it is mounted on; 0 if there is none, or the dump does not say
 * @param blocker what it is parked on or blocked by: class and number; null if nothing
 * @param owner the number of the thread that owns the blocker; 0 if it is not known
 * @param holds the monitors that it has entered, where the dump says so (Java 25 and newer)
 * @param stack frames, innermost first, as {@code class.method(File.java:line)}
 */
record ThreadState(
        long id,
        String name,
        boolean virtual,
        String state,
        long carrier,
        String blocker,
        long owner,
        List<String> holds,
        List<String> stack) {

    /** Its name or, where it has none, its number. */
    String label() {
        return name.isBlank() ? (virtual ? "virtual thread #" : "thread #") + id : name;
    }

    /** The same thread with more details. */
    ThreadState with(boolean isVirtual, String nowIn, long mountedOn, String waitsOn, long ownedBy) {
        return new ThreadState(id, name, isVirtual, nowIn, mountedOn, waitsOn, ownedBy, holds, stack);
    }
}
