package threadlab.kernel;

import java.util.UUID;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import threadlab.measure.Progress;
import threadlab.measure.TrialsObserver;

/**
 * Shows a run on the page: a progress line that changes in place and, if asked for, a chart that is redrawn between two
 * trials. It pauses for a second after each drawing, because a chart takes as much CPU time as some trials.
 */
final class LiveTrials implements TrialsObserver {

    private static final long REST_NANOS = 1_000_000_000;

    private final BaseKernel kernel;
    private final Spot line;
    private final Spot picture;
    private int rows;
    private int drawn;
    private long restsUntil = System.nanoTime();

    LiveTrials(BaseKernel kernel) {
        this.kernel = kernel;
        this.line = new Spot();
        this.picture = new Spot();
    }

    @Override
    public void told(Progress progress) {
        var data = new DisplayData(Html.inWords(progress));
        data.putHTML(Html.of(progress));
        line.show(data);
        if (progress.state() == Progress.State.FINISHED && progress.rows().containsColumn("contender")) {
            Notebook.results().ifPresent(results -> results.keepFigures(progress.rows()));
        }
        if (progress.picture() != null && isDue(progress)) {
            drawn = progress.rows().rowCount();
            picture.show(draw(progress));
            restsUntil = System.nanoTime() + REST_NANOS;
        }
    }

    /** A chart is due when there is a new row, between two trials; while one runs, nothing is drawn. */
    private boolean isDue(Progress progress) {
        boolean ended = progress.state() != Progress.State.RUNNING;
        boolean between = ended || progress.rows().rowCount() > rows;
        rows = progress.rows().rowCount();
        boolean rested = System.nanoTime() - restsUntil >= 0;
        return between && rows > drawn && (ended || rested);
    }

    private DisplayData draw(Progress progress) {
        try {
            return kernel.getRenderer().render(progress.picture().apply(progress.rows()));
        } catch (RuntimeException e) {
            // there may be too few rows for a chart, or all may have failed: keep running
            return new DisplayData("No chart yet: " + e.getMessage());
        }
    }

    /** A place in the cell's output: the first display creates it, later ones replace its content. */
    private final class Spot {
        private final String id = UUID.randomUUID().toString();
        private boolean made;

        void show(DisplayData data) {
            data.setDisplayId(id);
            if (made) {
                kernel.getIO().display.updateDisplay(data);
            } else {
                kernel.display(data);
                made = true;
            }
        }
    }

    /** Found by {@link java.util.ServiceLoader}; shows nothing where no kernel runs. */
    public static final class Factory implements TrialsObserver.Factory {

        /** Made by the service loader. */
        public Factory() {}

        @Override
        public TrialsObserver get() {
            var kernel = Notebook.kernel();
            return kernel == null ? progress -> {} : new LiveTrials(kernel);
        }
    }
}
