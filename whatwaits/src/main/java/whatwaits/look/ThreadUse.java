package whatwaits.look;

/**
 * The CPU time that a platform thread used within some time.
 *
 * @param thread its name
 * @param pool its name without the thread's own number
 * @param id its number; 0 for the JVM itself: compilers, collector
 * @param cpuMillis CPU time in milliseconds
 * @param cpus the mean, 1 for a thread that was always busy
 */
public record ThreadUse(String thread, String pool, long id, double cpuMillis, double cpus) {}
