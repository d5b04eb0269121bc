package whatwaits.rules;

import java.util.List;

/**
 * One thread at one moment.
 *
 * @param id its number
 * @param name its name; empty for most virtual threads
 * @param virtual whether it is a virtual thread
 * @param state as {@link Thread.State} calls it; null where it is not known
 * @param carrier the number of the thread that it is mounted on; 0 if there is none, or it is not known
 * @param blocker what it is parked on or blocked by: class and number; null if nothing
 * @param owner the number of the thread that owns the blocker; 0 if it is not known
 * @param holds the monitors that it has entered, where they are known (Java 25 and newer)
 * @param stack its frames
 */
public record ThreadState(
        long id,
        String name,
        boolean virtual,
        String state,
        long carrier,
        String blocker,
        long owner,
        List<String> holds,
        Stack stack) {

    /** {@return its name or, where it has none, its number} */
    public String label() {
        return name.isBlank() ? (virtual ? "virtual thread #" : "thread #") + id : name;
    }

    /** Whether it holds its carrier. Dumps before Java 25 do not say: there, the stack decides. */
    boolean isMounted() {
        if (!virtual || stack.frames().isEmpty()) {
            return false;
        }
        return state != null || carrier != 0 ? carrier != 0 : !stack.ends(Sign.UNMOUNTS);
    }

    /** The library that it waits in, if it waits; null for most. */
    Library library() {
        return stack.library();
    }

    /** Whether it waits for a connection to something other than a database: an HTTP service, or Redis. */
    boolean isClient() {
        var library = library();
        return library != null && library.isClient();
    }

    /** The same thread, which waits. */
    ThreadState waiting() {
        return new ThreadState(id, name, virtual, "WAITING", carrier, blocker, owner, holds, stack);
    }

    /** Whether its stack shows that it holds a connection from a pool; one that asks for another is not counted. */
    boolean holdsConnection() {
        return stack.says(Sign.HOLDS_CONNECTION) && WaitReason.of(this) != WaitReason.CONNECTION;
    }
}
