package threadlab.load;

/** The part of a phase that counts: requests that end in it, and the CPU time that is used in it. */
final class Window {

    private final Tally tally;
    private final long server;
    private CpuUsage usage;
    private long start;
    private double seconds;
    private LoadResult.Cpu cpu;

    /**
     * A window that is not open yet.
     *
     * @param tally counts from its beginning to its end
     * @param server the process whose CPU time is read; 0 for none
     */
    Window(Tally tally, long server) {
        this.tally = tally;
        this.server = server;
    }

    void begin() {
        usage = new CpuUsage(server);
        start = System.nanoTime();
        tally.counting(true);
    }

    void end() {
        seconds = (System.nanoTime() - start) / 1e9;
        tally.counting(false);
        cpu = usage.during(seconds);
    }

    /** When it has begun, on the clock of {@link System#nanoTime}. */
    long start() {
        return start;
    }

    /** Notes where the load stands, while the clock runs. */
    void note(Moments moments) {
        if (tally.counting()) {
            moments.all().add(tally.moment((System.nanoTime() - start) / 1e9));
        }
    }

    Tally tally() {
        return tally;
    }

    LoadResult measured() {
        return tally.measured(seconds, cpu);
    }
}
