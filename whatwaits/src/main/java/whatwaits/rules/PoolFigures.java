package whatwaits.rules;

/**
 * What a service reports about one of its pools; figures are NaN where it reports none.
 *
 * @param kind {@code CONNECTIONS} or {@code THREADS}
 * @param pool its name, such as {@code HikariPool-1} or {@code http-nio-8080}
 * @param inUse how many of its connections or threads are in use
 * @param of how many it may have
 * @param waiting threads that wait for one
 */
public record PoolFigures(Limit.Kind kind, String pool, double inUse, double of, double waiting) {}
