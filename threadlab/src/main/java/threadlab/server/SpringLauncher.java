package threadlab.server;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.reactive.context.ReactiveWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.http.client.ReactorResourceFactory;
import threadlab.child.NativeLimits;

/** Starts a Spring Boot application made of named classes, and says in a sentence why one does not start. */
final class SpringLauncher {

    private static final String DATABASE = "spring.datasource.url";

    /** Hibernate takes a second to start, so a server has it only if one of these properties is set. */
    private static final String JPA = "spring.jpa.";

    /** Loggers of libraries that bypass SLF4J. The list keeps them: the JVM drops unreferenced loggers. */
    private static final List<Logger> QUIET = Stream.of(
                    "org.apache", "org.springframework", "org.hibernate", "io.netty")
            .map(Logger::getLogger)
            .toList();

    /** Adds what {@code @SpringBootApplication} would, for an application that has no such class. */
    @EnableAutoConfiguration
    static final class AutoConfigured {}

    private final String name;
    private final Set<Class<?>> classes;
    private final Map<String, Object> properties;

    SpringLauncher(String name, Set<Class<?>> classes, Map<String, Object> properties) {
        this.name = name;
        this.classes = classes;
        this.properties = properties;
    }

    /**
     * {@return the context of the started application, which is that of a web server}
     *
     * @throws IllegalStateException if it does not start, with the reason in a sentence; nothing is left running then
     */
    ConfigurableApplicationContext launch() {
        // otherwise Spring Boot would set up logging for the whole kernel
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
        // which would wait for ever for its thread if the system refuses that
        System.setProperty("spring.backgroundpreinitializer.ignore", "true");
        QUIET.forEach(logger -> logger.setLevel(Level.OFF));
        var loader = classes.iterator().next().getClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        var application = new SpringApplication(new DefaultResourceLoader(loader), classes.toArray(Class<?>[]::new));
        application.addPrimarySources(List.of(AutoConfigured.class));
        application.setBannerMode(Banner.Mode.OFF);
        application.setLogStartupInfo(false);
        var unused = new ArrayList<String>();
        if (!properties.containsKey(DATABASE)) {
            unused.add(DataSourceAutoConfiguration.class.getName());
        }
        if (properties.keySet().stream().noneMatch(property -> property.startsWith(JPA))) {
            unused.add(HibernateJpaAutoConfiguration.class.getName());
        }
        properties.putIfAbsent("spring.autoconfigure.exclude", String.join(",", unused));
        var context = new AtomicReference<ConfigurableApplicationContext>();
        application.addInitializers(fresh -> {
            context.set(fresh);
            new RequestFailures(name).reportFrom(fresh);
            if (fresh instanceof ReactiveWebServerApplicationContext reactive) {
                reactive.registerBean(ReactorResourceFactory.class, SpringLauncher::eventLoops);
            }
        });
        try {
            // as command-line arguments, properties are known from the first step
            application.run(properties.entrySet().stream()
                    .map(property -> "--" + property.getKey() + "=" + property.getValue())
                    .toArray(String[]::new));
        } catch (OutOfMemoryError failure) {
            if (refusedThread(failure)) {
                throw notStarted(NativeLimits.metHere() + ".");
            }
            throw failure;
        } catch (RuntimeException failure) {
            throw notStarted(reason(failure, context.get()));
        }
        return context.get();
    }

    static int port(ConfigurableApplicationContext context) {
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    /**
     * Its own event loops: Spring Boot's are the whole JVM's, and the first WebFlux server to close would end them for
     * all.
     */
    private static ReactorResourceFactory eventLoops() {
        var own = new ReactorResourceFactory();
        own.setUseGlobalResources(false);
        own.setShutdownQuietPeriod(Duration.ZERO);
        return own;
    }

    private IllegalStateException notStarted(String why) {
        return new IllegalStateException("the server \"%s\" did not start: %s".formatted(name, why));
    }

    private static boolean refusedThread(Throwable failure) {
        return String.valueOf(failure.getMessage()).contains("create native thread");
    }

    private String reason(RuntimeException failure, ConfigurableApplicationContext context) {
        var root = NestedExceptionUtils.getMostSpecificCause(failure);
        if (refusedThread(root)) {
            return NativeLimits.metHere() + ".";
        }
        var reason = explanation(failure, context).orElseGet(() -> CellNames.of(root));
        return root instanceof NoSuchBeanDefinitionException
                ? reason + " Name its class in LocalServer.of(…) as well."
                : reason;
    }

    /** Spring Boot's own explanation of why an application does not start, without analyzers for absent libraries. */
    private static Optional<String> explanation(RuntimeException failure, ConfigurableApplicationContext context) {
        var arguments = SpringFactoriesLoader.ArgumentResolver.of(BeanFactory.class, context.getBeanFactory())
                .and(Environment.class, context.getEnvironment());
        return SpringFactoriesLoader.forDefaultResourceLocation(context.getClassLoader())
                .load(FailureAnalyzer.class, arguments, (_, _, _) -> {})
                .stream()
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .map(analysis -> CellNames.inOneLine(analysis.getDescription()));
    }
}
