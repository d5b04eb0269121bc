package threadlab.attach;

/** What a thread waits for. */
public enum WaitsFor {
    /** For nothing: it computes, or waits for a CPU. */
    NOTHING("computes"),
    /** For a carrier: a virtual thread that could go on. */
    CARRIER("carrier"),
    /** For a lock that another thread holds: {@code synchronized}, {@code ReentrantLock}, a class initializer. */
    LOCK("lock"),
    /** For a connection of a pool. */
    CONNECTION("connection"),
    /** For a permit of a semaphore. */
    PERMIT("permit"),
    /** For the other end of a socket. */
    SOCKET("socket"),
    /** For a file or another process. */
    FILE("file"),
    /** For the next element of a queue: also an idle thread of a pool. */
    QUEUE("queue"),
    /** For the result of another task or thread. */
    RESULT("result"),
    /** For time to go by. */
    SLEEP("sleep"),
    /** For a condition of the program: {@code Object.wait}, {@code Condition.await}, {@code LockSupport.park}. */
    CONDITION("condition");

    private final String word;

    WaitsFor(String word) {
        this.word = word;
    }

    /** The word for it in tables. */
    @Override
    public String toString() {
        return word;
    }
}
