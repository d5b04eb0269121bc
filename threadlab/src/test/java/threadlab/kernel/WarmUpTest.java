package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import jdk.jshell.Snippet;
import org.dflib.jjava.kernel.JavaKernel;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    private final JavaKernel kernel = JavaKernel.builder().name("test").build();

    /** A step that fails would end the warm-up, so that the first cells wait for what it should have loaded. */
    @Test
    void every_step_succeeds_and_leaves_no_declaration() {
        kernel.evalBuilder("import java.util.concurrent.*;\n" + NotebookExtension.IMPORTS)
                .eval();
        var before = declared();
        var warmUp = WarmUp.of(kernel, kernel.getJShell());
        int steps = 0;
        for (; warmUp.goesOn(); steps++) {
            warmUp.step();
        }
        assertEquals(10, steps);
        assertEquals(before, declared());
    }

    private List<Snippet> declared() {
        var shell = kernel.getJShell();
        return shell.snippets().filter(each -> shell.status(each).isActive()).toList();
    }

    @Test
    void the_first_cell_ends_it_after_any_step() {
        var warmUp = WarmUp.of(kernel, kernel.getJShell());
        warmUp.step();
        warmUp.end();
        assertFalse(warmUp.goesOn());
    }
}
