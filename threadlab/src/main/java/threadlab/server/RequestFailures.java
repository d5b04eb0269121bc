package threadlab.server;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.ErrorResponse;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import reactor.core.publisher.Mono;

/**
 * Prints each distinct request failure (an exception at a place) of a server once: 1,000 requests that fail alike give
 * one sentence. The client still gets Spring's answer, with status 500.
 */
final class RequestFailures {

    private final String server;
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    RequestFailures(String server) {
        this.server = server;
    }

    void reportFrom(ConfigurableApplicationContext context) {
        var beans = context.getBeanFactory();
        beans.registerSingleton("requestFailuresOfMvc", new Mvc());
        beans.registerSingleton("requestFailuresOfWebFlux", new WebFlux());
    }

    private void report(String request, Throwable failure) {
        if (failure instanceof ErrorResponse response
                && !response.getStatusCode().is5xxServerError()) {
            return; // the client's mistake
        }
        var root = NestedExceptionUtils.getMostSpecificCause(failure);
        var where = where(failure);
        if (said.add(root.getClass() + where)) {
            var advice = String.valueOf(root.getMessage()).contains("Too many open files")
                    ? ": close with try (…) what it opens, or raise the limit with ulimit -n."
                    : "";
            System.out.println("The server \"%s\" failed at %s: %s%s%s"
                    .formatted(server, request, CellNames.of(root), where, advice));
        }
    }

    /** The reader's own method that comes first in the traces of a failure and its causes. */
    private static String where(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            for (StackTraceElement frame : cause.getStackTrace()) {
                if (frame.getClassName().startsWith(CellNames.PREFIX)) {
                    return " (in %s)".formatted(CellNames.plain(frame.getClassName() + "." + frame.getMethodName()));
                }
            }
        }
        return "";
    }

    /** Comes last: it sees only what no handler of the application has resolved. */
    @Order(Ordered.LOWEST_PRECEDENCE)
    private final class Mvc implements HandlerExceptionResolver {
        @Override
        public ModelAndView resolveException(
                HttpServletRequest request, HttpServletResponse response, Object handler, Exception failure) {
            report(request.getMethod() + " " + request.getRequestURI(), failure);
            return null;
        }
    }

    /** Comes just before the handler that writes Spring Boot's answer, which is at -1. */
    @Order(-2)
    private final class WebFlux implements WebExceptionHandler {
        @Override
        public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
            var request = exchange.getRequest();
            report(request.getMethod() + " " + request.getPath(), failure);
            return Mono.error(failure);
        }
    }
}
