package threadlab.kernel;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import jdk.jshell.JShell;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.plot.ChartImage;
import threadlab.plot.Plots;

/**
 * While the reader reads, loads what the first cells would otherwise wait for: the compiler of cells and the libraries
 * for tables and charts. It runs in short steps, in the thread that serves the page, so a cell waits for one step at
 * most. The first cell ends the warm-up, so it shares no CPU with an experiment. Its declarations are dropped; it
 * starts no thread and writes no file. The AOT cache is also trained with it: {@code tools/bootstrap/train.py} waits
 * for it before its own cells.
 */
final class WarmUp {

    /** Code as in a notebook, but in blocks, which leave no variable. */
    private static final List<String> CELLS = List.of(
            "{ var n = 1; }",
            "\"warm\".length()",
            """
            void warm(ExecutorService executor, int n) {
                try (executor) {
                    for (int i = 0; i < n; i++)
                        executor.submit(() -> { Thread.sleep(1); return null; });
                }
            }
            """,
            """
            { Table t = Table.create("t", StringColumn.create("contender", "a"), StringColumn.create("kind", "virtual"),
                IntColumn.create("n", new int[] {1}), DoubleColumn.create("seconds", 1.0), StringColumn.create("outcome", "ok"));
              Plots.timings(t); }
            """,
            "Table.create(\"t\", IntColumn.create(\"n\", new int[] {1}))");

    private static final int DRAWINGS = 4;

    private final Queue<Runnable> steps = new ArrayDeque<>();

    private WarmUp() {}

    static WarmUp none() {
        return new WarmUp();
    }

    /** None with {@code -Dthreadlab.warmUp=false}: a grader sends its first cell at once, and draws nothing. */
    static WarmUp of(BaseKernel kernel, JShell shell) {
        var warmUp = new WarmUp();
        if (System.getProperty("threadlab.warmUp", "").equals("false")) {
            return warmUp;
        }
        CELLS.forEach(cell -> warmUp.steps.add(() -> run(cell, kernel, shell)));
        for (int i = 0; i < DRAWINGS; i++) {
            warmUp.steps.add(WarmUp::draw);
        }
        warmUp.steps.add(System::gc);
        return warmUp;
    }

    boolean goesOn() {
        return !steps.isEmpty();
    }

    void step() {
        try {
            steps.remove().run();
        } catch (RuntimeException | LinkageError e) {
            end(); // the first cell that needs what is missing reports it
        }
    }

    void end() {
        steps.clear();
    }

    private static void draw() {
        var trials = Table.create(
                "warm-up",
                StringColumn.create("contender", "platform", "platform", "virtual", "virtual"),
                StringColumn.create("kind", "platform", "platform", "virtual", "virtual"),
                IntColumn.create("n", 10, 100, 10, 100),
                IntColumn.create("trial", 1, 1, 1, 1),
                DoubleColumn.create("seconds", 0.1, 1.0, 0.1, 0.1),
                StringColumn.create("outcome", "ok", "ok", "ok", "ok"));
        ChartImage.base64(Plots.timings(trials));
        Html.of(trials);
    }

    private static void run(String cell, BaseKernel kernel, JShell shell) {
        var before = new HashSet<>(shell.snippets().toList());
        try {
            kernel.evalBuilder(cell).resolveMagics().renderResults().eval();
        } finally {
            var added = shell.snippets().filter(snippet -> !before.contains(snippet));
            added.toList().forEach(shell::drop);
        }
    }
}
