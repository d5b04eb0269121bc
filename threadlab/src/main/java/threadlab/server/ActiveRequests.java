package threadlab.server;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.ServerHttpObservationFilter;

/**
 * Counts the requests that a server works on, at the path {@code /active}: Spring's observations {@code
 * http.server.requests} that have started and not stopped, as Micrometer's {@code http.server.requests.active} does. One
 * of the classes of a {@link LocalServer} with Spring MVC.
 */
@RestController
public class ActiveRequests implements ObservationHandler<Observation.Context> {

    private final AtomicInteger active = new AtomicInteger();

    /** Begins at none. */
    public ActiveRequests() {}

    /** {@return how many, without the one that asks} */
    @GetMapping("/active")
    public int others() {
        return active.get() - 1;
    }

    /** {@return the filter in which Spring observes each request} */
    @Bean
    public ServerHttpObservationFilter observed() {
        var observations = ObservationRegistry.create();
        observations.observationConfig().observationHandler(this);
        return new ServerHttpObservationFilter(observations);
    }

    @Override
    public boolean supportsContext(Observation.Context any) {
        return true;
    }

    @Override
    public void onStart(Observation.Context begun) {
        active.incrementAndGet();
    }

    @Override
    public void onStop(Observation.Context ended) {
        active.decrementAndGet();
    }
}
