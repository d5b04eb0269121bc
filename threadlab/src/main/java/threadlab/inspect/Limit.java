package threadlab.inspect;

/**
 * One limited resource; figures are NaN where they are not known.
 *
 * @param name such as {@code connections}
 * @param inUse how many of them are in use
 * @param of how many there are
 * @param waiting threads that want one
 * @param met whether it holds requests up
 * @param seenIn where the figures are from
 */
record Limit(String name, double inUse, double of, double waiting, boolean met, String seenIn) {}
