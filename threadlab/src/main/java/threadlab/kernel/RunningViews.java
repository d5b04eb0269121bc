package threadlab.kernel;

import static java.util.Map.entry;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Table;
import threadlab.cells.Javadoc;
import threadlab.plot.Plots;
import threadlab.running.Button;
import threadlab.running.Control;
import threadlab.running.LiveRun;
import threadlab.running.Moment;
import threadlab.running.Running;
import threadlab.running.Slider;
import threadlab.support.Numbers;
import threadlab.widget.Widget;

/**
 * Shows the one experiment that may go on between two cells, and ends it. Then a chart and words take the place of its
 * widget, since a stored notebook must need no kernel.
 */
final class RunningViews {

    private static final String MODULE = GuessViews.module(Running.class, "running.js");

    /** A shorter run has nothing to draw; in moments, ten a second. */
    private static final int DRAWN = 20;

    private static final AtomicReference<RunningViews> NOW = new AtomicReference<>();

    private record Band(String name, double from, double to) {}

    private final String place = UUID.randomUUID().toString();
    private final Running experiment;
    private final Widget widget;
    private final List<Band> bands = new ArrayList<>();
    private LiveRun run;

    private RunningViews(Running experiment) {
        this.experiment = experiment;
        var state = Map.of(
                "controls",
                        experiment.controls().stream().map(RunningViews::told).toList(),
                "lasts", experiment.lasts().toMillis() / 1e3,
                "values", values(""),
                "now", Map.of());
        widget = Widget.of(experiment.toString(), MODULE, state);
        widget.onMessage(content -> moved((Map<?, ?>) content));
    }

    /** Fills the output of a cell whose value is a running experiment, and begins it. */
    static void show(Running experiment, DisplayData shown) {
        end(LiveRun.End.CELL);
        var view = new RunningViews(experiment);
        shown.assign(view.widget.view());
        shown.setDisplayId(view.place);
        view.begin();
        NOW.set(view);
    }

    /** Ends what runs, if something does, and waits for that. */
    static void end(LiveRun.End why) {
        var view = NOW.getAndSet(null);
        if (view != null) {
            view.begun().end(why);
        }
    }

    private synchronized void begin() {
        run = experiment.begin(_ -> tell(), _ -> replace());
    }

    private synchronized LiveRun begun() {
        return run;
    }

    /** What the page knows of a slider or button from its beginning. */
    private static Map<String, ?> told(Control control) {
        return switch (control) {
            case Slider it ->
                Map.of("name", it.name(), "low", it.low(), "high", it.high(), "step", it.step(), "first", it.value());
            case Button it -> Map.of("name", it.name(), "down", it.down().toMillis());
        };
    }

    /** Where the sliders stand; the view that has moved one must not be told what it knows. */
    private Map<String, ?> values(Object by) {
        var all = experiment.controls().stream()
                .map(control -> control instanceof Slider slider ? slider.value() : 0)
                .toList();
        return Map.of("values", all, "by", by);
    }

    private void moved(Map<?, ?> content) {
        var control = experiment.controls().get(((Double) content.get("control")).intValue());
        switch (control) {
            case Slider slider -> {
                slider.set(((Double) content.get("value")).intValue());
                widget.set("values", values(content.get("by"))); // for other views
            }
            case Button button -> {
                if (button.press()) {
                    double from = begun().seconds();
                    synchronized (bands) {
                        bands.add(new Band(
                                button.name(), from, from + button.down().toMillis() / 1e3));
                    }
                }
            }
        }
    }

    private List<Band> bands() {
        synchronized (bands) {
            return List.copyOf(bands);
        }
    }

    private void tell() {
        var moments = begun().moments();
        if (moments.isEmpty()) {
            return;
        }
        var now = moments.getLast();
        var told = new TreeMap<String, Object>(Map.ofEntries(
                entry("seconds", now.seconds()),
                entry("arrived", now.arrived()),
                entry("perSecond", now.whole().perSecond()),
                entry("inside", now.whole().inside()),
                entry("product", now.whole().product()),
                entry("served", now.service().inside()),
                entry("servedProduct", now.service().product()),
                entry(
                        "bands",
                        bands().stream()
                                .map(each -> List.of(each.from, each.to))
                                .toList())));
        // what nobody has left has no latency, and JSON no NaN
        told.put("latency", finite(now.whole().seconds()));
        told.put("service", finite(now.service().seconds()));
        widget.set("now", told);
    }

    private static Double finite(double value) {
        return Double.isFinite(value) ? value : null;
    }

    private void replace() {
        NOW.compareAndSet(this, null);
        var words = words();
        var moments = begun().moments();
        DisplayData shown;
        if (moments.size() < DRAWN) {
            shown = new DisplayData(words);
        } else {
            shown = Notebook.kernel().getRenderer().render(chart(moments));
            shown.putText(words);
            shown.putHTML(shown.getData(MIMEType.TEXT_HTML) + "<p>" + Javadoc.escape(words) + "</p>");
        }
        shown.setDisplayId(place);
        Notebook.kernel().getIO().display.updateDisplay(shown);
        widget.close();
    }

    private Object chart(List<Moment> moments) {
        var rows = Table.create(
                DoubleColumn.create(
                        "seconds", moments.stream().mapToDouble(Moment::seconds).toArray()),
                DoubleColumn.create(
                        "L, counted",
                        moments.stream().mapToDouble(it -> it.whole().inside()).toArray()),
                DoubleColumn.create(
                        "λ · W",
                        moments.stream().mapToDouble(it -> it.whole().product()).toArray()));
        var chart = Plots.titled("How many were inside over time", Plots.overTime("inside", rows));
        bands().forEach(band -> Plots.span(chart, band.name, band.from, band.to));
        return chart;
    }

    private String words() {
        var run = begun();
        var how =
                switch (run.ended()) {
                    case TIME -> "Ended after %s s.";
                    case CELL -> "Ended after %s s, when the next cell began.";
                    case INTERRUPT -> "Interrupted after %s s.";
                    case CODE -> "Its code ended after %s s.";
                };
        return how.formatted(Numbers.rounded(run.seconds(), 2)) + " To run it again, run this cell alone.";
    }
}
