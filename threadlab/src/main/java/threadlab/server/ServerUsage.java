package threadlab.server;

/**
 * What the JVM of a {@link ChildServer} has used, and what it holds now.
 *
 * @param cpuSeconds CPU time of the whole process since its start: requests, compiler and garbage collector
 * @param compiledSeconds how long the compiler's threads have worked since its start, by the clock: on busy CPUs, more
 *     than their CPU time
 * @param platformThreads live platform threads, including carriers; virtual threads and those of the compiler and the
 *     collector do not count
 * @param heapBytes the heap that is in use, garbage included
 */
public record ServerUsage(double cpuSeconds, double compiledSeconds, int platformThreads, long heapBytes) {

    /**
     * {@return what was used since another moment; for threads and heap, how much more there is}
     *
     * @param earlier the first moment
     */
    public ServerUsage since(ServerUsage earlier) {
        return new ServerUsage(
                cpuSeconds - earlier.cpuSeconds,
                compiledSeconds - earlier.compiledSeconds,
                platformThreads - earlier.platformThreads,
                heapBytes - earlier.heapBytes);
    }
}
