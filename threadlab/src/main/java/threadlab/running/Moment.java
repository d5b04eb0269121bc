package threadlab.running;

/**
 * What a running experiment did in the second before a moment.
 *
 * @param seconds the moment, since the experiment began
 * @param arrived how many arrived per second
 * @param whole Little's law for all that was inside, in the queue or served
 * @param service the same for what was served
 */
public record Moment(double seconds, double arrived, Law whole, Law service) {}
