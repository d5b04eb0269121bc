package threadlab.running;

/** Counts what enters a box and what leaves it, at times in seconds from one beginning. */
final class Box {

    /**
     * What was counted up to a moment.
     *
     * @param at the moment, in seconds
     * @param left how many had left
     * @param stayed the seconds that these had been inside, together
     * @param spent all seconds that anything had been inside, which is the area below the number inside over time
     */
    record Count(double at, long left, double stayed, double spent) {

        /** What is true of the time since an earlier count. */
        Law since(Count earlier) {
            double seconds = at - earlier.at;
            long gone = left - earlier.left;
            double own = stayed - earlier.stayed;
            return new Law((spent - earlier.spent) / seconds, gone / seconds, own / gone, own / seconds);
        }
    }

    private long inside;
    /** The sum of the times at which those inside have entered. */
    private double entries;

    private long left;
    private double stayed;

    synchronized void enter(double at) {
        inside++;
        entries += at;
    }

    synchronized void leave(double entered, double at) {
        inside--;
        entries -= entered;
        left++;
        stayed += at - entered;
    }

    synchronized Count count(double at) {
        return new Count(at, left, stayed, stayed + inside * at - entries);
    }
}
