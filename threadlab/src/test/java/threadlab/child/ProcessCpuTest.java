package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ProcessCpuTest {

    @Test
    void reads_what_ps_prints_on_macos_and_on_linux() {
        assertEquals(1.23, ProcessCpu.parse("0:01.23"), 1e-9);
        assertEquals(754.5, ProcessCpu.parse("12:34.50"), 1e-9);
        assertEquals(3_723, ProcessCpu.parse("01:02:03"), 1e-9);
        assertEquals(2 * 86_400 + 3 * 3_600 + 4 * 60 + 5, ProcessCpu.parse("2-03:04:05"), 1e-9);
        assertEquals(Double.NaN, ProcessCpu.parse(""));
    }

    @Test
    void the_system_and_ps_agree_about_this_process() {
        long own = ProcessHandle.current().pid();
        double ps = ProcessCpu.askPs(own);
        if (Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "ps")))) {
            // the ps of Linux omits fractions of a second
            assertEquals(ps, ProcessCpu.seconds(own), 1.5);
            assertTrue(ProcessCpu.seconds(own) > 0);
        } else {
            assertEquals(Double.NaN, ps);
        }
    }

    @Test
    void what_has_ended_has_none() throws Exception {
        var ended = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-version")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        ended.waitFor();
        assertEquals(Double.NaN, ProcessCpu.seconds(ended.pid()));
    }
}
