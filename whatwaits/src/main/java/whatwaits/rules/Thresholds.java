package whatwaits.rules;

/** Each figure from which on something is judged, once, with its reason. Shares are of 1. */
public final class Thresholds {

    /** CPUs and carriers of which this share is in use are full: readings between two changes rarely show all. */
    public static final double FULL = 0.85;

    /** A machine of which this share is busy is full: some of it always goes to interrupts and to reading this. */
    public static final double FULL_MACHINE = 0.9;

    /** A thread with less of a CPU does not compute: it would have one for itself. */
    private static final double STILL = 0.1;

    /** The same on a full machine, where a thread that computes may get little. */
    private static final double STILL_ON_FULL_MACHINE = 0.005;

    /** Still carriers are mounted for this share of the time: one that a thread passes is mounted for a moment. */
    static final double MOUNTED = 0.8;

    /** Of the CPUs, what threads that seem to compute use at least: others wait in native code. */
    static final double COMPUTING = 0.7;

    /** Threads that wait for a CPU, the mean: with fewer, requests need hardly any. */
    static final double STARVED = 0.25;

    /** Share of the time in full collections that holds requests up: a healthy program has hardly any. */
    static final double COLLECTING = 0.2;

    /** The same that is worth a question: on a busy machine they take longer than their CPU time says. */
    static final double COLLECTS = 0.05;

    /** Share of the time in pauses of the collector that is worth a line: it is part of each latency. */
    public static final double PAUSED = 0.1;

    /** Share of the carriers' time in which they were pinned, from which on that is named. */
    public static final double PINNED = 0.1;

    /** Shares of time below this are not worth a word: they are within what two looks differ by. */
    public static final double LITTLE = 0.01;

    /** With more locks than this, threads that wait for one alone are grouped by their stack: nobody reads so many. */
    static final int LOCKS = 10;

    /** A younger thread has computed more of its life than it will: it has started. */
    static final double LIFE = 10;

    /** A thread with more of a CPU has moved between two looks that show it at the same line. */
    static final double STANDS = 0.0001;

    /** A virtual thread that answers a request every 300 ms uses about this of a CPU: small services need some 0.3 ms each. */
    static final double GOES_ON = 0.001;

    /** So many looks besides the dump show whether somebody waits all the time. */
    static final int LOOKS = 2;

    /** A program with less of a CPU is not held up by those that use the machine's. */
    static final double USES = 0.1;

    /** Of so many threads on equal stacks none has the lock that others want: one at most could. */
    static final int ALIKE = 3;

    /** Among more threads near the line that takes a lock, which of them has it cannot be told. */
    static final int HOLDERS = 1_000;

    /** Bytes of a heap that Flight Recorder and a dump together may need: they are not started with less. */
    public static final double HEAP = 4 << 20;

    /**
     * Bytes of a heap that may be walked to find who owns a lock, while all threads stand still: some 40 ms, with ZGC 100,
     * as measured on full heaps of small objects.
     */
    public static final double WALKED = 128 << 20;

    /** A dump of more threads is taken only on request: it stops some of them for as long as it takes. */
    public static final int THREADS = 20_000;

    private Thresholds() {}

    /**
     * {@return the share of a CPU below which a thread does not compute}
     *
     * @param machine share of the machine's CPUs that is busy; NaN where it is not known
     */
    public static double still(double machine) {
        return machine >= FULL_MACHINE ? STILL_ON_FULL_MACHINE : STILL;
    }
}
