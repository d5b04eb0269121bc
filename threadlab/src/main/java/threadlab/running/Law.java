package threadlab.running;

/**
 * The three numbers of Little's law, all measured over the same stretch of time, each from its own counts. Where the box
 * is as full at the end as at the beginning, {@code inside} and {@code product} agree; otherwise they need not.
 *
 * @param inside L, how many were inside, averaged over the time
 * @param perSecond λ, how many left per second
 * @param seconds W, how long those that left had been inside, on average; NaN if none left
 * @param product λ · W; 0 if none left
 */
public record Law(double inside, double perSecond, double seconds, double product) {}
