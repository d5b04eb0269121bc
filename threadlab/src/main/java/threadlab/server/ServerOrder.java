package threadlab.server;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.List;
import java.util.Map;

/**
 * What the JVM of a {@link ChildServer} shall start, and whom it tells of it. It travels in the child's environment, for
 * a property may be a password.
 *
 * @param name what messages call the server
 * @param classes the full names of the classes that the application is made of
 * @param properties those of Spring Boot
 * @param door the port on the loopback interface where the parent waits
 * @param password what the child says first there
 */
record ServerOrder(String name, List<String> classes, Map<String, String> properties, int door, String password)
        implements Serializable {

    /** The variable of the environment. */
    static final String VARIABLE = "THREADLAB_SERVER";

    String inOneLine() {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(this);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    static ServerOrder of(String line) throws IOException, ClassNotFoundException {
        try (var in = new ObjectInputStream(
                new ByteArrayInputStream(Base64.getDecoder().decode(line)))) {
            return (ServerOrder) in.readObject();
        }
    }
}
