package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.rules.Circle;
import whatwaits.rules.Verdict;

/** Circles in running programs. */
@Tag("deep")
class CirclesTest {

    @TempDir
    Path folder;

    private Process start(int java, String circle) throws IOException {
        var command = List.of(
                Watched.JAVAS.get(java).resolve("bin/java").toString(), "-cp", folder.toString(), "Circles", circle);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static Verdict verdict(Process program) throws Exception {
        assertEquals("ready", program.inputReader().readLine());
        try (var jvm = Jvm.attach(program.pid())) {
            return Verdict.of(jvm.observe(Duration.ofSeconds(1)));
        }
    }

    @Test
    void circles_of_a_running_program_are_named_and_what_the_jvm_names_is_proven() throws Exception {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var program = "dumps/Circles.java";
        assertEquals(0, compiler.run(null, null, null, "--release", "21", "-d", folder.toString(), program));
        int java = Runtime.version().feature();
        var proven = new LinkedHashMap<String, Boolean>(Map.of(
                "locks-platform",
                true,
                "lock-and-monitor",
                false,
                "upgrade-alone",
                false,
                "initializer-and-task",
                false));
        var running = new LinkedHashMap<String, Process>();
        var healthy = start(java, "readers");
        try {
            for (String circle : proven.keySet()) {
                running.put(circle, start(java, circle));
            }
            if (Watched.javas().contains(21)) {
                running.put("monitors-ring", start(21, "monitors-ring"));
                proven.put("monitors-ring", true);
            }
            for (var one : running.entrySet()) {
                var verdict = verdict(one.getValue());
                var circles = verdict.dump().circles();
                assertEquals(
                        List.of(proven.get(one.getKey())),
                        circles.stream().map(Circle::proven).toList(),
                        one.getKey() + verdict.dump());
                assertTrue(verdict.toString().contains("A circle ("), verdict.toString());
            }
            var verdict = verdict(healthy);
            assertEquals(List.of(), verdict.dump().circles(), verdict.toString());
        } finally {
            var all = new ArrayList<>(running.values());
            all.add(healthy);
            all.forEach(process -> process.destroyForcibly().onExit().join());
        }
    }
}
