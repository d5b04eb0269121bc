package threadlab.server;

import java.util.List;
import java.util.Map;

/**
 * What the JVM of a {@link ChildServer} starts.
 *
 * @param name the server's name in messages
 * @param classes the full names of the classes that the application is made of
 * @param properties Spring Boot properties
 */
record ServerOrder(String name, List<String> classes, Map<String, String> properties) {
    /**
     * Whether it has started.
     *
     * @param port where it listens; 0 if it does not
     * @param fault why not
     */
    record Started(int port, String fault) {}

    /**
     * Asks for a {@link ServerUsage}.
     *
     * @param heapInUse whether a garbage collection comes first
     */
    record Question(boolean heapInUse) {}
}
