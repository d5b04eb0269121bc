package whatwaits.rules;

/** What a thread waits for. */
public enum WaitReason {
    /** For nothing: it computes, or waits for a CPU. */
    NOTHING("nothing"),
    /** For a carrier: a virtual thread that could go on. */
    CARRIER("a carrier"),
    /** For a lock that another thread holds: {@code synchronized}, {@code ReentrantLock}, a class being initialized. */
    LOCK("a lock"),
    /** For a connection from a pool. */
    CONNECTION("a connection"),
    /** For a permit of a semaphore. */
    PERMIT("a permit"),
    /** For the other end of a socket. */
    SOCKET("a socket"),
    /** For a file, or for another process. */
    FILE("a file"),
    /** For the next element of a queue, or for room in it. */
    QUEUE("a queue"),
    /** For the next task: an idle thread of a pool. */
    TASK("a task"),
    /** For the result of another task or thread. */
    RESULT("a result"),
    /** For time to pass. */
    SLEEP("a time"),
    /**
     * For a condition of the program: {@code Object.wait}, {@code Condition.await}, a latch, {@code LockSupport.park}.
     */
    CONDITION("a condition");

    private final String words;

    WaitReason(String words) {
        this.words = words;
    }

    /** The words for it in tables. */
    @Override
    public String toString() {
        return words;
    }
}
