package threadlab.running;

/**
 * Counts for the page who is inside an experiment: a visit waits in a queue, is served, and leaves. All methods may be
 * called from any thread.
 */
public final class Visitors {

    private final long begun = System.nanoTime();
    private final Box whole = new Box();
    private final Box service = new Box();
    private long arrived;

    /** Of an experiment that begins now, without visits. */
    Visitors() {}

    /**
     * Counts a visit in.
     *
     * @param due when it was due, as a {@link System#nanoTime}: its latency counts from here, even if it came late
     * @return the visit
     */
    public Visit arrives(long due) {
        synchronized (this) {
            arrived++;
        }
        double at = seconds(due);
        whole.enter(at);
        return new Visit(this, at);
    }

    /** Where all visits are, and where those are that are served. */
    Box whole() {
        return whole;
    }

    Box service() {
        return service;
    }

    synchronized long arrived() {
        return arrived;
    }

    double now() {
        return seconds(System.nanoTime());
    }

    private double seconds(long nanos) {
        return (nanos - begun) / 1e9;
    }
}
