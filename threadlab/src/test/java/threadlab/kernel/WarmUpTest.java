package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.List;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import org.dflib.jjava.kernel.JavaKernel;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    /** A step that fails would end the warm-up, so that the first cells wait for what it should have loaded. */
    @Test
    void every_step_succeeds_and_leaves_no_declaration_and_the_first_cell_ends_it() {
        var kernel = JavaKernel.builder().name("test").build();
        try (var shell = kernel.getJShell()) {
            kernel.evalBuilder("import java.util.concurrent.*;\n" + NotebookExtension.IMPORTS)
                    .eval();
            var before = declared(shell);
            var warmUp = WarmUp.of(kernel, shell);
            int steps = 0;
            for (; warmUp.goesOn(); steps++) {
                warmUp.step();
            }
            assertEquals(10, steps);
            assertEquals(before, declared(shell));
            var ended = WarmUp.of(kernel, shell);
            ended.step();
            ended.end();
            assertFalse(ended.goesOn());
            System.setProperty("threadlab.warmUp", "false");
            assertFalse(WarmUp.of(kernel, shell).goesOn(), "a grader pays for no warm-up");
            System.clearProperty("threadlab.warmUp");
        }
    }

    private static List<Snippet> declared(JShell shell) {
        return shell.snippets().filter(each -> shell.status(each).isActive()).toList();
    }
}
