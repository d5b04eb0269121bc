package threadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import threadlab.Expect;

/** Real servers in JVMs of their own: about 2 s each on one CPU. */
@Timeout(90)
@Tag("deep")
class ChildServerTest {

    @RestController
    static class Hello {
        private final String greeting;

        Hello(@Value("${greeting:hello}") String greeting) {
            this.greeting = greeting;
        }

        @GetMapping("/who")
        String who() {
            return "%s from %d on %s"
                    .formatted(greeting, ProcessHandle.current().pid(), Thread.currentThread());
        }

        @GetMapping("/bad")
        String bad() {
            throw new IllegalStateException("no tea");
        }

        @GetMapping("/end")
        String end() {
            Runtime.getRuntime().halt(3);
            return "";
        }
    }

    @AfterEach
    void no_child_is_left() throws IOException {
        Expect.nothingLeft();
    }

    private static String get(String url) throws IOException {
        try (var answer = URI.create(url).toURL().openStream()) {
            return new String(answer.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @Test
    void answers_from_its_own_process_and_says_what_that_uses() throws Exception {
        var hello = LocalServer.of("hello", Hello.class)
                .set("greeting", "a \"secret\" ü")
                .set("spring.threads.virtual.enabled", true);
        var first = hello.startChild("-XX:TieredStopAtLevel=1");
        try (var second = hello.startChild("-XX:TieredStopAtLevel=1")) {
            assertFalse(first.isRunning(), "one of a name");
            assertEquals("The server \"hello\" is closed.", first.toString());
            assertThrows(IllegalStateException.class, first::usage);
            var answer = get(second.url("/who"));
            assertTrue(answer.startsWith("a \"secret\" ü from %d on VirtualThread".formatted(second.pid())), answer);
            assertTrue(second.toString().contains("process " + second.pid()), second::toString);
            var before = second.usage();
            for (int i = 0; i < 500; i++) {
                get(second.url("/who"));
            }
            var used = second.usage().since(before);
            var system = ProcessHandle.of(second.pid())
                    .flatMap(process -> process.info().totalCpuDuration())
                    .orElseThrow();
            assertTrue(used.cpuSeconds() > 0.02 && used.cpuSeconds() < 20, used::toString);
            assertEquals(system.toMillis() / 1e3, second.usage().cpuSeconds(), 0.3);
            assertTrue(used.compiledSeconds() > 0, used::toString);
            assertTrue(before.platformThreads() > 5 && before.platformThreads() < 60, before::toString);
            Thread.currentThread().interrupt();
            assertTrue(second.usage().platformThreads() > 5);
            assertTrue(Thread.interrupted(), "an interrupt waits for the answer");
            long heap = second.heapInUse();
            assertTrue(heap > 5_000_000 && heap < 60_000_000, () -> "%,d bytes".formatted(heap));
        }
    }

    @Test
    void says_in_one_line_why_it_does_not_start() {
        var broken = LocalServer.of("broken", LocalServerTest.Broken.class);
        assertEquals(
                "the server \"broken\" did not start: IllegalStateException: the kettle is cold",
                assertThrows(IllegalStateException.class, broken::startChild).getMessage());
        refused("the server \"small\" did not start: its JVM", () -> LocalServer.of("small", Hello.class)
                .startChild("-Xmx1k"));
    }

    @Test
    void what_it_prints_and_its_end_are_told() throws Exception {
        var out = System.out;
        var printed = new ByteArrayOutputStream();
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try (var server = LocalServer.of("hello", Hello.class).startChild()) {
            assertThrows(IOException.class, () -> get(server.url("/bad")));
            assertThrows(IOException.class, () -> get(server.url("/end")));
            Expect.await(
                    "the words about its end",
                    () -> printed.toString(StandardCharsets.UTF_8).lines().count() == 2);
            assertFalse(server.isRunning());
        } finally {
            System.setOut(out);
        }
        var lines = printed.toString(StandardCharsets.UTF_8).lines().toList();
        assertEquals("The server \"hello\" failed at GET /bad: IllegalStateException: no tea", lines.get(0));
        assertTrue(lines.get(1).startsWith("The server \"hello\" has ended: its JVM"), lines::toString);
    }

    @Test
    void an_interrupt_ends_the_start() throws Exception {
        Thread.currentThread().interrupt();
        assertThrows(InterruptedException.class, () -> LocalServer.of("hello", Hello.class)
                .startChild());
    }

    /** A class as in the kernel, nested in a class that holds the variables of the cell. */
    private static Class<?> cell(Path folder, String name) throws Exception {
        var source = Files.writeString(folder.resolve("Cells.java"), """
                package REPL;
                class $JShell$1 { public static class Price { int of() { return 3; } } }
                class $JShell$2 { public static int rate = 2; }
                class $JShell$3 { public static class Shop { $JShell$1.Price[] prices; } }
                class $JShell$4 { public static class Bank { int rate() { return $JShell$2.rate; } } }
                """);
        assertEquals(
                0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-d", folder.toString(), "" + source));
        var loader =
                new java.net.URLClassLoader(new java.net.URL[] {folder.toUri().toURL()});
        return loader.loadClass(name);
    }

    @Test
    void the_classes_of_cells_go_with_all_that_they_use(@TempDir Path folder) throws Exception {
        Map<String, byte[]> files = CellClasses.of(List.of(Hello.class, cell(folder, "REPL.$JShell$3$Shop")));
        assertEquals(
                List.of("REPL.$JShell$1", "REPL.$JShell$1$Price", "REPL.$JShell$3", "REPL.$JShell$3$Shop"),
                List.copyOf(files.keySet()));
    }

    @Test
    void a_variable_of_the_notebook_is_refused(@TempDir Path folder) throws Exception {
        var bank = cell(folder, "REPL.$JShell$4$Bank");
        refused("Bank uses the variable rate of the notebook", () -> CellClasses.of(List.of(bank)));
    }
}
