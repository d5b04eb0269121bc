package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import whatwaits.rules.Advice;
import whatwaits.rules.Limit;

class AdviceTest {

    private static final Path DUMPS = Path.of("src/test/resources/whatwaits/rules");

    private static String on(Limit.Kind kind, String instance) {
        return Advice.on(new Limit(kind, instance, "a test", new Limit.Figures(1, 2, 2, 5)))
                .todo();
    }

    @Test
    void each_kind_of_limit_has_an_advice_of_its_own() {
        var all = Stream.of(Limit.Kind.values()).map(kind -> on(kind, "shop")).collect(Collectors.toSet());
        assertEquals(Limit.Kind.values().length, all.size());
        for (String loop : List.of("vert.x-eventloop-thread", "reactor-http-epoll", "HTTP-Dispatcher")) {
            assertTrue(on(Limit.Kind.THREADS, loop).startsWith("An event loop "), loop);
        }
        assertFalse(on(Limit.Kind.THREADS, "http-nio-8080-exec").startsWith("An event loop "));
    }

    @ParameterizedTest
    @CsvSource({
        "monitors, take the locks in the same order",
        "permits, take all permits at once",
        "connections, let a request hold one connection",
        "future-and-lock, let no task wait"
    })
    void a_circle_is_avoided_by_what_its_threads_wait_for(String circle, String advice) {
        var told = Told.by("read", DUMPS.resolve("circles/" + circle + ".json").toString());
        assertTrue(told.says("Do: None of these threads goes on: " + advice), told.out());
    }
}
