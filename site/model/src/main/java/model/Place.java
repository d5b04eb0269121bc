package model;

/**
 * Something that so many requests may have at a time: a lock (room for one), permits, connections.
 *
 * @param room how many
 * @param patience how long a request waits for it in ms before it is refused; 0: not at all, infinite: for ever
 * @param pins whether a virtual thread that waits for it holds its carrier
 */
public record Place(int room, double patience, boolean pins) {

    /**
     * {@return one for which everybody waits as long as it takes}
     *
     * @param room how many may have it
     */
    public static Place of(int room) {
        return new Place(room, Double.POSITIVE_INFINITY, false);
    }

    /**
     * {@return a concurrency limit that refuses at once when it is met}
     *
     * @param permits how many it lets in
     */
    public static Place limit(int permits) {
        return new Place(permits, 0, false);
    }
}
