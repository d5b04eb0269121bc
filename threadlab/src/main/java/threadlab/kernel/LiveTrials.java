package threadlab.kernel;

import java.util.UUID;
import java.util.function.Supplier;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import threadlab.support.Progress;
import threadlab.support.TrialsObserver;

/**
 * Shows a run on the page: a progress line that changes in place and, if asked for, a chart that is redrawn between two
 * trials. It pauses for a second after each drawing, because a chart takes as much CPU time as some trials.
 */
public final class LiveTrials implements TrialsObserver {

    private static final long REST_NANOS = 1_000_000_000;

    private final String line = UUID.randomUUID().toString();
    private final String picture = UUID.randomUUID().toString();
    private boolean begun;
    private boolean drawn;
    private long restsUntil = System.nanoTime();

    /** Made by the service loader; shows nothing where no kernel runs. */
    public LiveTrials() {}

    @Override
    public void told(Progress progress) {
        var data = new DisplayData(Html.inWords(progress));
        data.putHTML(Html.of(progress));
        display(line, begun, data);
        begun = true;
        if (progress.state() == Progress.State.FINISHED && progress.rows().containsColumn("contender")) {
            Notebook.results().ifPresent(results -> results.keepFigures(progress.rows()));
        }
    }

    @Override
    public void show(Supplier<?> value, boolean last) {
        if (Notebook.kernel() != null && (last || System.nanoTime() - restsUntil >= 0)) {
            display(picture, drawn, draw(value));
            drawn = true;
            restsUntil = System.nanoTime() + REST_NANOS;
        }
    }

    private static DisplayData draw(Supplier<?> value) {
        try {
            return Notebook.kernel().getRenderer().render(value.get());
        } catch (RuntimeException e) {
            // there may be too few rows for a chart, or all may have failed: keep running
            return new DisplayData("No chart yet: " + e.getMessage());
        }
    }

    /** Creates a place in the cell's output, or replaces its content. */
    private static void display(String place, boolean made, DisplayData data) {
        var kernel = Notebook.kernel();
        data.setDisplayId(place);
        if (made && kernel != null) {
            kernel.getIO().display.updateDisplay(data);
        } else if (kernel != null) {
            kernel.display(data);
        }
    }
}
