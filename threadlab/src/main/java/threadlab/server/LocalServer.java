package threadlab.server;

import static java.util.Map.entry;

import java.net.BindException;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.PortInUseException;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.http.client.ReactorResourceFactory;

/**
 * A Spring Boot application on this machine's loopback address, made of classes of the notebook.
 *
 * <pre>{@code
 * var server = LocalServer.of("platform threads", Orders.class, Prices.class)
 *         .set("server.tomcat.threads.max", 200)
 *         .start();
 * Load.on(server.url("/orders"))…
 * server.close();
 * }</pre>
 *
 * <p>It is configured as {@code @SpringBootApplication} does it, but for the search for components: these are the classes
 * that are named. It is a Spring MVC application on Tomcat, or with the property {@code spring.main.web-application-type}
 * = {@code reactive} a WebFlux application on Netty. Properties have the names of Spring Boot. It has a data source if
 * {@code spring.datasource.url} is set, or if a class has such a bean.
 *
 * <p>In a JVM there is one server of a name: a cell that runs again replaces what it started before. All end with the
 * JVM. A server writes no log; what its requests fail with is said in the output, each kind of failure once.
 */
public final class LocalServer implements AutoCloseable {

    private static final String LOOPBACK = "127.0.0.1";
    private static final String PORT = "server.port";
    private static final String DATABASE = "spring.datasource.url";

    /** The loggers of what goes around SLF4J where nothing listens; the JVM forgets one that nobody holds. */
    private static final List<Logger> QUIET = Stream.of("org.apache", "org.springframework", "io.netty")
            .map(Logger::getLogger)
            .toList();

    /**
     * What holds of every server unless it is set otherwise. The two limits of Tomcat are above any number of clients here,
     * so that its threads are the limit, not its door.
     */
    private static final Map<String, Object> DEFAULTS = Map.ofEntries(
            entry("server.address", LOOPBACK),
            entry(PORT, 0),
            entry("server.tomcat.max-connections", 20_000),
            entry("server.tomcat.accept-count", 20_000),
            // a server that is closed does not wait for its requests
            entry("server.shutdown", "immediate"),
            entry("spring.web.error.include-message", "always"));

    /**
     * What runs in this JVM, by name. It is static because a server outlives the variable that held it: when a cell runs
     * again, only this knows the server that the cell started before.
     */
    private static final Map<String, LocalServer> RUNNING = new HashMap<>();

    /** Adds what {@code @SpringBootApplication} would, for an application that has no such class. */
    @EnableAutoConfiguration
    static final class AutoConfigured {}

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
         * Sets a property of Spring Boot.
         *
         * @param property its name, such as {@code spring.threads.virtual.enabled}
         * @param value its value
         * @return this builder
         * @throws IllegalArgumentException if it is the address, which is given
         */
        public Builder set(String property, Object value) {
            if (property.equals("server.address")) {
                throw new IllegalArgumentException(
                        "the address %s is refused: a server of a notebook listens on %s, where other machines cannot reach it"
                                .formatted(value, LOOPBACK));
            }
            properties.put(property, value);
            return this;
        }

        /**
         * Sets the port.
         *
         * @param port from 1 to 65,535; a free one if it is not set
         * @return this builder
         */
        public Builder port(int port) {
            if (port < 1 || port > 65_535) {
                throw new IllegalArgumentException(
                        "port(%,d) is out of range: it goes from 1 to 65,535; leave it out for a free one"
                                .formatted(port));
            }
            return set(PORT, port);
        }

        /**
         * Starts the server. What runs in this JVM under that name is closed first.
         *
         * @return the server, which answers
         * @throws IllegalStateException if it cannot start, with the reason in a sentence; nothing is left running then
         * @throws InterruptedException if the calling thread is interrupted; nothing is left running then
         */
        public LocalServer start() throws InterruptedException {
            synchronized (RUNNING) {
                if (RUNNING.containsKey(name)) {
                    RUNNING.get(name).close();
                }
                var started = Whole.toEnd(this::launch);
                RUNNING.put(name, started);
                if (Thread.interrupted()) {
                    started.close();
                    throw new InterruptedException("interrupted while the server \"" + name + "\" started");
                }
                return started;
            }
        }

        private LocalServer launch() {
            long begin = System.nanoTime();
            // otherwise Spring Boot would set up the log of the whole kernel
            System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
            QUIET.forEach(logger -> logger.setLevel(Level.OFF));
            var loader = classes.iterator().next().getClassLoader();
            Thread.currentThread().setContextClassLoader(loader);
            var application =
                    new SpringApplication(new DefaultResourceLoader(loader), classes.toArray(Class<?>[]::new));
            application.addPrimarySources(List.of(AutoConfigured.class));
            application.setBannerMode(Banner.Mode.OFF);
            application.setLogStartupInfo(false);
            if (!properties.containsKey(DATABASE)) {
                properties.putIfAbsent("spring.autoconfigure.exclude", DataSourceAutoConfiguration.class.getName());
            }
            var context = new AtomicReference<ConfigurableApplicationContext>();
            application.addInitializers(fresh -> {
                context.set(fresh);
                new Complaints(name).listenTo(fresh);
                if (fresh instanceof ReactiveWebServerApplicationContext reactive) {
                    reactive.registerBean(ReactorResourceFactory.class, Builder::eventLoops);
                }
            });
            try {
                // as arguments of the command line, properties are known from the first step on
                application.run(properties.entrySet().stream()
                        .map(property -> "--" + property.getKey() + "=" + property.getValue())
                        .toArray(String[]::new));
            } catch (RuntimeException failure) {
                throw new IllegalStateException(
                        "the server \"%s\" did not start: %s".formatted(name, reason(failure, context.get())));
            }
            if (context.get() instanceof WebServerApplicationContext web) {
                return new LocalServer(
                        name, context.get(), web.getWebServer().getPort(), (System.nanoTime() - begin) / 1e9);
            }
            context.get().close();
            throw new IllegalStateException(
                    "the server \"%s\" did not start: with spring.main.web-application-type = %s it is none; leave that out for Spring MVC, or set it to reactive for WebFlux"
                            .formatted(name, properties.get("spring.main.web-application-type")));
        }

        /** Its own: Spring Boot's are those of the whole JVM, and the first WebFlux server that closes would end them for all. */
        private static ReactorResourceFactory eventLoops() {
            var own = new ReactorResourceFactory();
            own.setUseGlobalResources(false);
            own.setShutdownQuietPeriod(Duration.ZERO);
            return own;
        }

        private String reason(RuntimeException failure, ConfigurableApplicationContext context) {
            var root = NestedExceptionUtils.getMostSpecificCause(failure);
            if (root instanceof BindException || root instanceof PortInUseException) {
                return "port %s is taken%s; take another one, or leave it out for a free one"
                        .formatted(properties.get(PORT), holder());
            }
            var reason = explanation(failure, context).orElseGet(() -> Names.of(root));
            return root instanceof NoSuchBeanDefinitionException
                    ? reason + " Name its class in LocalServer.of(…), too."
                    : reason;
        }

        private String holder() {
            return RUNNING.values().stream()
                    .filter(server -> String.valueOf(properties.get(PORT)).equals(String.valueOf(server.port)))
                    .findFirst()
                    .map(server -> " by the server \"%s\" of this notebook".formatted(server.name))
                    .orElse(" by another program");
        }
    }

    /** Spring Boot's own explanation of what stops an application; those for libraries that are not here are left out. */
    private static Optional<String> explanation(RuntimeException failure, ConfigurableApplicationContext context) {
        var arguments = SpringFactoriesLoader.ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                .and(Environment.class, context.getEnvironment());
        return SpringFactoriesLoader.forDefaultResourceLocation(context.getClassLoader())
                .load(FailureAnalyzer.class, arguments, (_, _, _) -> {})
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .map(analysis -> Names.inOneLine(analysis.getDescription()));
    }

    private final String name;
    private final ConfigurableApplicationContext context;
    private final int port;
    private final double seconds;

    private LocalServer(String name, ConfigurableApplicationContext context, int port, double seconds) {
        this.name = name;
        this.context = context;
        this.port = port;
        this.seconds = seconds;
    }

    /**
     * A server that is not started.
     *
     * @param name what messages call it; in a JVM there is one of a name
     * @param classes the controllers, configurations, aspects and other components
     * @return a builder
     */
    public static Builder of(String name, Class<?>... classes) {
        if (name == null || name.isBlank()) {
            throw new IllegalArgumentException("a server needs a name, such as \"virtual threads\"");
        }
        if (classes.length == 0) {
            throw new IllegalArgumentException(
                    "the server \"%s\" has no classes: name its controllers, as in LocalServer.of(\"%1$s\", Orders.class)"
                            .formatted(name));
        }
        return new Builder(name, new LinkedHashSet<>(List.of(classes)));
    }

    /**
     * The address of a resource.
     *
     * @param path from the first slash on, such as {@code /orders?delay=100}
     * @return an address that begins with {@code http://127.0.0.1:} and the port
     */
    public String url(String path) {
        if (!path.startsWith("/")) {
            throw new IllegalArgumentException(
                    "the path \"%s\" does not begin with a slash: write \"/%1$s\"".formatted(path));
        }
        return "http://" + LOOPBACK + ":" + port + path;
    }

    /**
     * The port on the loopback interface.
     *
     * @return a port number
     */
    public int port() {
        return port;
    }

    /**
     * The bean of a class, as Spring gives it to other beans: a proxy if an aspect is around it.
     *
     * @param <T> its type
     * @param type its class, or an interface
     * @return the bean
     * @throws IllegalArgumentException if there is no such bean, or more than one
     */
    public <T> T bean(Class<T> type) {
        try {
            return context.getBean(type);
        } catch (BeansException e) {
            throw new IllegalArgumentException("the server \"%s\" has no one bean %s: %s"
                    .formatted(name, type.getSimpleName(), Names.inOneLine(e.getMessage())));
        }
    }

    /**
     * Whether it answers.
     *
     * @return false once it is closed
     */
    public boolean isRunning() {
        return context.isActive();
    }

    /** Stops it at once, whatever its requests are doing; a second call does nothing. */
    @Override
    public void close() {
        synchronized (RUNNING) {
            RUNNING.remove(name, this);
            Whole.toEnd(() -> {
                context.close();
                return null;
            });
        }
    }

    /** Says where it listens. */
    @Override
    public String toString() {
        return isRunning()
                ? String.format(
                        Locale.ROOT,
                        "The server \"%s\" listens on port %d, for this machine only (ready in %.1f s).",
                        name,
                        port,
                        seconds)
                : "The server \"%s\" is closed.".formatted(name);
    }
}
