package whatwaits.look;

/**
 * A JVM on this machine.
 *
 * @param pid the number of its process
 * @param main the main class or the jar, without arguments
 * @param java the version in the file {@code release} of its home; null if there is no such file
 * @param upSeconds since its start; NaN where the system does not say
 */
public record LocalJvm(long pid, String main, String java, double upSeconds) {}
