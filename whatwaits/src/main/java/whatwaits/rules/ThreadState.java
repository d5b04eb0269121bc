package whatwaits.rules;

import java.util.List;

/** One thread at one moment. */
public final class ThreadState {

    private final long id;
    private final String name;
    private final boolean virtual;
    private final String state;
    private final long carrier;
    private final String blocker;
    private final long owner;
    private final List<String> holds;
    private final Stack stack;

    /** Found once, when somebody asks: it takes longer than all else that is asked of a thread. */
    private WaitReason waits;

    /**
     * A thread.
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
    public ThreadState(
            long id,
            String name,
            boolean virtual,
            String state,
            long carrier,
            String blocker,
            long owner,
            List<String> holds,
            Stack stack) {
        this.id = id;
        this.name = name;
        this.virtual = virtual;
        this.state = state;
        this.carrier = carrier;
        this.blocker = blocker;
        this.owner = owner;
        this.holds = holds;
        this.stack = stack;
    }

    ThreadState withId(long other) {
        return new ThreadState(other, name, virtual, state, carrier, blocker, owner, holds, stack);
    }

    /** {@return its number} */
    public long id() {
        return id;
    }

    /** {@return its name; empty for most virtual threads} */
    public String name() {
        return name;
    }

    /** {@return whether it is a virtual thread} */
    public boolean virtual() {
        return virtual;
    }

    /** {@return its state; null where it is not known} */
    public String state() {
        return state;
    }

    /** {@return the number of its carrier; 0 if it has none, or that is not known} */
    public long carrier() {
        return carrier;
    }

    /** {@return what it is parked on or blocked by; null if nothing} */
    public String blocker() {
        return blocker;
    }

    /** {@return the number of the thread that owns the blocker; 0 if it is not known} */
    public long owner() {
        return owner;
    }

    /** {@return the monitors that it has entered, where they are known} */
    public List<String> holds() {
        return holds;
    }

    /** {@return its frames} */
    public Stack stack() {
        return stack;
    }

    /** {@return what it waits for} */
    public WaitReason waits() {
        if (waits == null) {
            waits = WaitReason.of(this);
        }
        return waits;
    }

    /** {@return its name or, where it has none, its number} */
    public String label() {
        return name.isBlank() ? (virtual ? "virtual thread #" : "thread #") + id : name;
    }

    /** Whether it holds its carrier. Dumps before Java 25 do not say: there, the stack decides. */
    boolean isMounted() {
        if (!virtual || stack.frames().isEmpty()) {
            return false;
        }
        boolean said = state != null || carrier != 0;
        return said && !stack.says(Sign.PINNED) ? carrier != 0 : !stack.ends(Sign.UNMOUNTS);
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

    /** The same thread, where another source names who owns what it waits for. */
    ThreadState ownedBy(long thread) {
        return new ThreadState(id, name, virtual, state, carrier, blocker, thread, holds, stack);
    }

    /** The same thread, which waits. */
    ThreadState waiting() {
        return new ThreadState(id, name, virtual, "WAITING", carrier, blocker, owner, holds, stack);
    }

    /** Whether a look at another moment shows it where it was; null if that does not show it. */
    boolean isStillAt(ThreadState other) {
        return other != null
                && other.waits() == waits()
                // whoever writes and then reads goes on
                && other.stack().says(Sign.GOES_OUT) == stack.says(Sign.GOES_OUT)
                && other.stack().path().equals(stack.path());
    }

    /**
     * Whether it has waited ever since. Of a virtual thread at the same line, another object that it waits for says that
     * it went on meanwhile, as with each answer of a CompletableFuture; an address in a print may only have moved.
     */
    boolean waitsStill(ThreadState other) {
        return isStillAt(other) && (!virtual || isMounted() || other.isMounted() || sameObject(other));
    }

    private boolean sameObject(ThreadState other) {
        return blocker == null || other.blocker == null || blocker.equals(other.blocker);
    }

    /** Whether it answers a request. */
    boolean isRequest() {
        return stack.says(Sign.SERVES) && stack.has(Frame::isOwn);
    }

    /**
     * Whether it waits for another program: it has asked, as is seen of the library that asks, or connects or writes,
     * for which nobody waits without need.
     */
    boolean asks() {
        boolean known = stack.library() != null || stack.says(Sign.HOLDS_CONNECTION) || stack.says(Sign.ASKS);
        boolean socket = waits() == WaitReason.SOCKET && !WaitReason.listens(this);
        boolean writes = stack.ends(Sign.WRITES_FILE) && waits() == WaitReason.FILE;
        return socket && (known || isRequest() || stack.says(Sign.GOES_OUT)) || writes;
    }

    /** Whether its stack shows that it holds a connection from a pool; one that asks for another is not counted. */
    boolean holdsConnection() {
        return stack.says(Sign.HOLDS_CONNECTION) && waits() != WaitReason.CONNECTION;
    }
}
