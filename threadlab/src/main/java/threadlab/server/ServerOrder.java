package threadlab.server;

import java.util.List;
import java.util.Map;

/**
 * What the JVM of a {@link ChildServer} starts, and where its parent waits. It is passed as JSON in the child's
 * environment, which other users cannot read, because a property may be a password.
 *
 * @param name the server's name in messages
 * @param classes the full names of the classes that the application is made of
 * @param properties Spring Boot properties
 * @param door the port on the loopback interface where the parent waits
 * @param password what the child sends there first
 */
record ServerOrder(String name, List<String> classes, Map<String, String> properties, int door, String password) {

    /** The environment variable. */
    static final String VARIABLE = "THREADLAB_SERVER";
}
