package threadlab.server;

import static java.util.Map.entry;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.BeansException;
import org.springframework.context.ConfigurableApplicationContext;
import threadlab.support.Arguments;

/**
 * A Spring Boot application on this machine's loopback address, made of the notebook's classes.
 *
 * <pre>{@code
 * var server = LocalServer.of("platform threads", Orders.class, Prices.class)
 *         .set("server.tomcat.threads.max", 200)
 *         .start();
 * Load.on(server.url("/orders"))…
 * server.close();
 * }</pre>
 *
 * <p>It is configured as by {@code @SpringBootApplication}, except for the component scan: the components are the named
 * classes. It is a Spring MVC application on Tomcat or, with the property {@code spring.main.web-application-type} =
 * {@code reactive}, a WebFlux application on Netty. Properties have Spring Boot's names. It has a data source if
 * {@code spring.datasource.url} is set, or if a class has such a bean, and Hibernate if a property of
 * {@code spring.jpa} is set.
 *
 * <p>A JVM has at most one server of each name: a cell that runs again replaces the one that it started before. All end
 * with the JVM. A server writes no log; request failures are printed, each kind once.
 */
public final class LocalServer implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";

    /**
     * The default settings of every server. Tomcat's two limits are above any number of clients here, so that its
     * threads are the limit, not its connections.
     */
    private static final Map<String, Object> DEFAULTS = Map.ofEntries(
            entry("server.address", LOOPBACK),
            entry("server.port", 0),
            entry("server.tomcat.max-connections", 20_000),
            entry("server.tomcat.accept-count", 20_000),
            // a closing server does not wait for its requests
            entry("server.shutdown", "immediate"),
            entry("spring.web.error.include-message", "always"));

    private static final OneOfAName<LocalServer> RUNNING = new OneOfAName<>();

    /** A server that is not started. */
    public static final class Builder {

        private final String name;
        private final Set<Class<?>> classes;
        private final Map<String, Object> properties = new HashMap<>(DEFAULTS);

        private Builder(String name, Set<Class<?>> classes) {
            this.name = name;
            this.classes = classes;
        }

        /**
         * Sets a Spring Boot property.
         *
         * @param property its name, such as {@code spring.threads.virtual.enabled}
         * @param value its value
         * @return this builder
         * @throws IllegalArgumentException if it is the address, which is fixed
         */
        public Builder set(String property, Object value) {
            if (property.equals("server.address")) {
                throw new IllegalArgumentException(
                        "the address %s is refused: a notebook's server listens on %s, where other machines cannot reach it"
                                .formatted(value, LOOPBACK));
            }
            properties.put(property, value);
            return this;
        }

        /**
         * Starts the server. One running in this JVM under that name is closed first.
         *
         * @return the server, ready to answer
         * @throws IllegalStateException if it cannot start, with the reason in a sentence; nothing is left running
         * @throws InterruptedException if the calling thread is interrupted; nothing is left running
         */
        public LocalServer start() throws InterruptedException {
            var launcher = new SpringLauncher(name, classes, properties);
            return RUNNING.replace(name, () -> OneOfAName.uninterrupted(() -> new LocalServer(name, launcher)));
        }

        /**
         * Starts the server in a separate JVM, on the kernel's Java, with a heap of at most 256 MiB. A child running
         * under that name is closed first.
         *
         * @param options further options for that JVM, such as {@code -Xmx512m}
         * @return the server, ready to answer
         * @throws IllegalStateException if it cannot start, with the reason in a sentence; nothing is left running
         * @throws IllegalArgumentException if a class uses a variable of the notebook
         * @throws InterruptedException if the calling thread is interrupted; nothing is left running
         */
        public ChildServer startChild(String... options) throws InterruptedException {
            return ChildServer.start(name, classes, properties, List.of(options));
        }
    }

    private final String name;
    private final ConfigurableApplicationContext context;
    private final int port;
    private final double seconds;

    private LocalServer(String name, SpringLauncher launcher) {
        long begin = System.nanoTime();
        this.name = name;
        context = launcher.launch();
        port = SpringLauncher.port(context);
        seconds = (System.nanoTime() - begin) / 1e9;
    }

    /**
     * {@return the builder of a server that is not started}
     *
     * @param name its name in messages; a JVM has at most one server of each name
     * @param classes the controllers, configurations, aspects and other components
     */
    public static Builder of(String name, Class<?>... classes) {
        Arguments.notBlank(name, "a server needs a name, such as \"virtual threads\"");
        if (classes.length == 0) {
            throw new IllegalArgumentException(
                    "the server \"%s\" has no classes: name its controllers, as in LocalServer.of(\"%1$s\", Orders.class)"
                            .formatted(name));
        }
        return new Builder(name, new LinkedHashSet<>(List.of(classes)));
    }

    /**
     * {@return the address of a resource, which begins with {@code http://127.0.0.1:} and the port}
     *
     * @param path starting with a slash, such as {@code /orders?delay=100}
     */
    public String url(String path) {
        return url(port, path);
    }

    static String url(int port, String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(
                    "the path \"%s\" does not begin with a slash: write \"/%1$s\"".formatted(path));
        }
        return "http://" + LOOPBACK + ":" + port + path;
    }

    int port() {
        return port;
    }

    /**
     * {@return the bean of a class, as Spring injects it into other beans: a proxy if an aspect applies to it}
     *
     * @param <T> its type
     * @param type its class, or an interface
     * @throws IllegalArgumentException if there is no such bean, or more than one
     */
    public <T> T bean(Class<T> type) {
        try {
            return context.getBean(type);
        } catch (BeansException e) {
            throw new IllegalArgumentException("the server \"%s\" does not have exactly one bean %s: %s"
                    .formatted(name, type.getSimpleName(), CellNames.inOneLine(e.getMessage())));
        }
    }

    /** {@return whether it answers; not once it is closed} */
    public boolean isRunning() {
        return context.isActive();
    }

    /** Stops it at once, whatever its requests are doing; a second call does nothing. */
    @Override
    public void close() {
        RUNNING.end(name, this, () -> {
            context.close();
            return null;
        });
    }

    /** Says where it listens. */
    @Override
    public String toString() {
        return isRunning()
                ? "The server \"%s\" listens on port %d, for this machine only (ready in %.1f s)."
                        .formatted(name, port, seconds)
                : "The server \"%s\" is closed.".formatted(name);
    }
}
