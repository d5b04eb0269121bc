package threadlab.cells;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import jdk.jshell.JShell;
import org.junit.jupiter.api.Test;

/** Of SLF4J, which has no log here: tests/notebooks/test_kernel.py. */
class CellLogTest {

    private static final class Terminal extends Handler {
        private final List<String> lines = new ArrayList<>();

        @Override
        public void publish(LogRecord record) {
            if (isLoggable(record)) {
                lines.add(record.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void the_cell_shows_what_its_classes_log_under_any_name_and_the_terminal_what_others_do() {
        var terminal = new Terminal();
        Logger.getLogger("").addHandler(terminal);
        CellLog.install();
        var err = System.err;
        var shown = new ByteArrayOutputStream();
        System.setErr(new PrintStream(shown, true, UTF_8));
        try (var shell = JShell.builder().executionEngine("local").build()) {
            shell.eval("import java.util.logging.*;");
            shell.eval("class Tea { static Logger log = Logger.getLogger(Tea.class.getName()); }");
            shell.eval("Tea.log.log(Level.WARNING, \"{0} is cold\", 42);");
            shell.eval("var log = System.getLogger(\"java.util\");");
            shell.eval("log.log(System.Logger.Level.ERROR, \"no tea\", new Error(\"no pot\") {"
                    + " public void printStackTrace() { System.err.println(this.getMessage()); } });");
            shell.eval("java.util.List.of(\"by reference\").forEach(Logger.getLogger(\"shop\")::warning);");
            Logger.getLogger("shop").warning("of a library");
            shell.eval("Tea.log.info(\"hidden\");");
            shell.eval("Logger.getLogger(\"\").setLevel(Level.INFO);");
            shell.eval("Tea.log.info(\"news\");");
            Logger.getLogger("shop").info("nothing new");
        } finally {
            System.setErr(err);
        }
        assertEquals("""
                WARNING Tea: 42 is cold
                SEVERE java.util: no tea
                no pot
                WARNING shop: by reference
                INFO Tea: news
                """, shown.toString(UTF_8).replace("\r", ""));
        assertEquals(List.of("of a library"), terminal.lines);
    }
}
