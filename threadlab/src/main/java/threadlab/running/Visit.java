package threadlab.running;

/** One visit to a running experiment. */
public final class Visit {

    private final Visitors visitors;
    private final double due;
    private double served = Double.NaN;
    private boolean gone;

    Visit(Visitors visitors, double due) {
        this.visitors = visitors;
        this.due = due;
    }

    /** Counts the end of its wait: a thread, or a permit, is its own now. */
    public synchronized void begins() {
        if (Double.isNaN(served) && !gone) {
            served = visitors.now();
            visitors.service().enter(served);
        }
    }

    /** Counts it out. */
    public synchronized void ends() {
        if (gone) {
            return;
        }
        gone = true;
        double now = visitors.now();
        visitors.whole().leave(due, now);
        if (!Double.isNaN(served)) {
            visitors.service().leave(served, now);
        }
    }
}
