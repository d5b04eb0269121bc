package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.dflib.jjava.jupyter.channels.JupyterOutputStream;
import org.dflib.jjava.jupyter.channels.Loop;
import org.dflib.jjava.jupyter.channels.ShellReplyEnvironment;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.kernel.JavaKernel;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * The faults of JJava 1.0a8 for which this package has repairs. A test that fails here is good news: JJava has repaired
 * the fault, and what {@code threadlab/kernel.md} names beside it can go.
 */
class JJavaFaultsTest {

    private static final JavaKernel KERNEL = JavaKernel.builder().name("stock").build();

    private static Object run(String cell) {
        return KERNEL.evalBuilder(cell).resolveMagics().eval();
    }

    @AfterAll
    static void close() {
        KERNEL.getJShell().close();
    }

    @Test
    void a_comment_above_an_import_resets_variables() {
        run("String kept = \"kept\";");
        run("// c\nimport java.util.zip.*;");
        assertNull(run("kept"));
    }

    @Test
    void a_variable_is_reset_when_another_is_declared_anew() {
        run("var t = 1; var of = \"t is \" + t;");
        run("var t = 2;");
        assertNull(run("of"));
    }

    @Test
    void a_variable_is_gone_when_its_new_declaration_is_refused() {
        run("int x = 1;");
        assertThrows(RuntimeException.class, () -> run("int x = \"a\";"));
        assertThrows(RuntimeException.class, () -> run("x"));
    }

    @Test
    void the_result_of_a_return_is_missing() {
        assertThrows(IllegalStateException.class, () -> run("return 3;"));
    }

    @Test
    void magics_are_found_inside_text_blocks() {
        assertNotEquals("%s\n", run("\"\"\"\n%s\n\"\"\""));
    }

    @Test
    void the_call_of_a_magic_does_not_compile_beside_a_variable_named_org() {
        run("var org = \"x\";");
        var refused = assertThrows(RuntimeException.class, () -> run("%time 1"));
        assertEquals("CompilationException", refused.getClass().getSimpleName());
    }

    @Test
    void values_without_end_and_null_cannot_be_rendered() {
        var first = new ArrayList<Object>();
        first.add(List.of(first));
        assertThrows(StackOverflowError.class, () -> new Renderer().render(first));
        assertThrows(NullPointerException.class, () -> new Renderer().render(null));
    }

    @Test
    void what_an_exception_suppresses_is_lost() {
        run("var two = new IllegalStateException(); two.addSuppressed(new RuntimeException());");
        var thrown = assertThrows(RuntimeException.class, () -> run("throw two;"));
        assertEquals(0, thrown.getCause().getSuppressed().length);
    }

    @Test
    void an_error_ends_the_loop_of_a_channel() throws Exception {
        var loop = new Loop("loop", 0, () -> {
            throw new StackOverflowError();
        });
        loop.setUncaughtExceptionHandler((_, _) -> {});
        loop.start();
        loop.join();
    }

    @Test
    void each_line_is_a_message_of_its_own() {
        var messages = new AtomicInteger();
        var nowhere = new ShellReplyEnvironment(null, null, null, null) {};
        var stream = new JupyterOutputStream(nowhere, (_, _) -> messages.incrementAndGet());
        var out = new PrintStream(stream, true);
        out.println("a");
        out.println("b");
        assertEquals(2, messages.get());
    }
}
