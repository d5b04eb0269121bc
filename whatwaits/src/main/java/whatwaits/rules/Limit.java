package whatwaits.rules;

/**
 * One limited resource and how much of it is in use.
 *
 * @param kind which kind of resource
 * @param instance which one of that kind, such as a pool or a lock; empty where there is only one
 * @param seenIn where the figures are from
 * @param figures they
 */
public record Limit(Kind kind, String instance, String seenIn, Figures figures) {

    /**
     * Figures, each NaN where it is not known.
     *
     * @param resources how many of that kind they are of: 1, or the locks or semaphores of one line
     * @param inUse how many of them are in use
     * @param of how many there are
     * @param waiting threads that want one
     */
    public record Figures(int resources, double inUse, double of, double waiting) {}

    /** One of which no figure is known yet. */
    static Limit of(Kind kind, String instance, String seenIn) {
        return new Limit(kind, instance, seenIn, new Figures(1, Double.NaN, Double.NaN, Double.NaN));
    }

    Limit inUse(double inUse, double of) {
        return with(new Figures(figures.resources, inUse, of, figures.waiting));
    }

    Limit waiting(double threads) {
        return with(new Figures(figures.resources, figures.inUse, figures.of, threads));
    }

    Limit resources(int many) {
        return with(new Figures(many, figures.inUse, figures.of, figures.waiting));
    }

    private Limit with(Figures other) {
        return new Limit(kind, instance, seenIn, other);
    }

    /** {@return how many of it are in use; NaN if that is not known} */
    public double inUse() {
        return figures.inUse;
    }

    /** {@return how many of it there are; NaN if that is not known} */
    public double of() {
        return figures.of;
    }

    /** {@return how many threads want one; NaN if that is not known} */
    public double waiting() {
        return figures.waiting;
    }

    int resources() {
        return figures.resources;
    }

    /** A kind of limited resource. */
    public enum Kind {
        /** A lock, or locks of one line, such as one for each key. */
        LOCK("the lock "),
        /** The permits of a semaphore. */
        PERMITS("permits of "),
        /** Connections of a client to something other than a database: an HTTP service, Redis. */
        CLIENT_CONNECTIONS("connections of a client"),
        /** Connections to a database. */
        CONNECTIONS("connections"),
        /** Room in a queue, or a taker of its elements. */
        QUEUE("room in "),
        /** The answers of another program. */
        REMOTE("the other side"),
        /** A pool of platform threads. */
        THREADS("threads of "),
        /** A result, or the last one at a latch or a barrier, which no thread is left to bring. */
        SIGNAL("whoever ends the wait for "),
        /** The one thread of a timer. */
        TIMER("the thread of the timer "),
        /** The carriers of virtual threads. */
        CARRIERS("carriers"),
        /** The heap, which its collector cannot keep free: all threads wait while it collects. */
        MEMORY("the heap"),
        /** The one CPU that a thread can use. */
        THREAD("the CPU of one thread, "),
        /** The CPUs of this program. */
        CPUS("CPUs"),
        /** The CPUs of the machine, which other programs keep busy. */
        MACHINE("the machine's CPUs");

        private final String words;

        Kind(String words) {
            this.words = words;
        }
    }

    /** {@return its name for people, such as {@code connections} or {@code threads of http-nio-8080-exec}} */
    public String name() {
        if (figures.resources == 1) {
            boolean one = kind == Kind.CONNECTIONS || kind == Kind.CLIENT_CONNECTIONS;
            return kind.words
                    + (kind == Kind.REMOTE
                            ? " (" + instance + ")"
                            : (one && !instance.isEmpty() ? " of " : "") + instance);
        }
        var many = kind == Kind.LOCK
                ? Text.number(figures.resources) + " locks"
                : kind.words + figures.resources + " semaphores";
        return many + " of one line, such as " + instance;
    }
}
