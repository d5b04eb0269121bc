package threadlab.server;

/**
 * What the JVM of a {@link ChildServer} has used, and what it holds now.
 *
 * @param cpuSeconds CPU time of the whole process since its start: requests, compiler and garbage collector
 * @param compiledSeconds for how long the compiler's threads have worked since its start; by the clock, so on busy CPUs
 *     it is more than their CPU time
 * @param collectedSeconds for how long the garbage collector has worked since its start, by the clock
 * @param platformThreads live platform threads, carriers among them; neither virtual threads nor those of the compiler
 *     and the collector count
 * @param heapBytes the heap that is in use, garbage included
 */
public record ServerUsage(
        double cpuSeconds, double compiledSeconds, double collectedSeconds, int platformThreads, long heapBytes) {

    /**
     * What was used between two moments.
     *
     * @param earlier the first moment
     * @return the differences; of threads and heap, how many more there are
     */
    public ServerUsage since(ServerUsage earlier) {
        return new ServerUsage(
                cpuSeconds - earlier.cpuSeconds,
                compiledSeconds - earlier.compiledSeconds,
                collectedSeconds - earlier.collectedSeconds,
                platformThreads - earlier.platformThreads,
                heapBytes - earlier.heapBytes);
    }
}
