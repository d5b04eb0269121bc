package model;

/**
 * One part of a request.
 *
 * @param kind what it does
 * @param ms how long it computes or waits
 * @param from the start of the time in which it waits until {@code until} instead
 * @param until the end of that time
 * @param place the number of the place that it enters or leaves
 */
public record Step(Kind kind, double ms, double from, double until, int place) {

    /** What a part of a request does. */
    public enum Kind {
        /** Uses a CPU. */
        COMPUTE,
        /** Waits; a virtual thread leaves its carrier meanwhile. */
        WAIT,
        /** Waits, and a virtual thread holds its carrier: it is pinned. */
        HOLD,
        /** Waits and holds its carrier, for which the scheduler adds another. */
        COMPENSATED,
        /** Wants a place, and waits for it. */
        ENTER,
        /** Gives a place back. */
        LEAVE
    }

    /**
     * {@return computing for some time}
     *
     * @param ms how long, alone on a CPU
     */
    public static Step compute(double ms) {
        return new Step(Kind.COMPUTE, ms, 0, 0, 0);
    }

    /**
     * {@return a wait that frees the carrier}
     *
     * @param ms how long
     */
    public static Step waits(double ms) {
        return waits(Kind.WAIT, ms);
    }

    /**
     * {@return a wait}
     *
     * @param kind {@code WAIT}, {@code HOLD} or {@code COMPENSATED}
     * @param ms how long
     */
    public static Step waits(Kind kind, double ms) {
        return new Step(kind, ms, 0, 0, 0);
    }

    /**
     * {@return a wait for the end of some time, for those who come within it}
     *
     * @param kind as above
     * @param from its start in ms
     * @param until its end in ms
     */
    public static Step stopped(Kind kind, double from, double until) {
        return new Step(kind, 0, from, until, 0);
    }

    /**
     * {@return the wish for a place}
     *
     * @param place its number in the scenario
     */
    public static Step enter(int place) {
        return new Step(Kind.ENTER, 0, 0, 0, place);
    }

    /**
     * {@return the return of a place}
     *
     * @param place its number in the scenario
     */
    public static Step leave(int place) {
        return new Step(Kind.LEAVE, 0, 0, 0, place);
    }

    double lasts(double now) {
        return from <= now && now < until ? until - now : ms;
    }
}
