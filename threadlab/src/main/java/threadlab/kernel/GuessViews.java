package threadlab.kernel;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import threadlab.guess.Guess;
import threadlab.widget.Widget;

/**
 * Lets a reader guess on the page and keeps each guess on disk, so that it is offered again after a restart. When a
 * guess has been compared, words take the place of its widget: a stored notebook holds no widget, which would need this
 * kernel.
 */
final class GuessViews {

    private record View(Guess guess, Widget widget, String place) {}

    private static final String MODULE = module(Guess.class, "guess.js");

    /** By what is guessed: a cell that runs again replaces its widget. */
    private static final Map<String, View> OPEN = new LinkedHashMap<>();

    private GuessViews() {}

    /** The source of a widget's module, which lies beside a class. */
    static String module(Class<?> beside, String name) {
        try (var file = beside.getResourceAsStream(name)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fills the output of a cell whose value is a guess. */
    static void show(Guess guess, DisplayData shown) {
        boolean typed = !guess.marks().isEmpty();
        if (typed) {
            keep(guess);
        } else {
            Notebook.results().ifPresent(results -> results.recall(guess));
        }
        var widget = Widget.of(guess.toString(), MODULE, state(guess, !typed));
        widget.onMessage(content -> drawn(guess, widget, (Map<?, ?>) content));
        var view = new View(guess, widget, UUID.randomUUID().toString());
        synchronized (OPEN) {
            var before = OPEN.put(guess.about(), view);
            if (before != null) {
                before.widget.close();
            }
        }
        shown.assign(widget.view());
        shown.setDisplayId(view.place);
    }

    /** What the module's {@code guess} takes. */
    private static Map<String, ?> state(Guess guess, boolean fromDisk) {
        var spec = spec(guess);
        spec.put("kept", fromDisk && !guess.marks().isEmpty());
        return Map.of("spec", spec, "guess", told(guess, ""));
    }

    private static Map<String, Object> spec(Guess guess) {
        var spec = new LinkedHashMap<String, Object>(guess.spec());
        spec.put("about", guess.about());
        spec.put("figure", guess.figure());
        return spec;
    }

    /** The guess as the page knows it; the view that has made it must not be told what it knows. */
    private static Map<String, ?> told(Guess guess, Object by) {
        return Map.of("marks", marks(guess.marks()), "by", by);
    }

    private static List<Map<String, ?>> marks(List<Guess.Mark> marks) {
        return marks.stream()
                .<Map<String, ?>>map(mark -> Map.of("n", mark.n(), "words", mark.words(), "value", mark.value()))
                .toList();
    }

    private static void drawn(Guess guess, Widget widget, Map<?, ?> content) {
        guess.set(((List<?>) content.get("guess"))
                .stream()
                        .map(Map.class::cast)
                        .map(mark ->
                                new Guess.Mark(((Double) mark.get("n")).intValue(), (String) mark.get("words"), (Double)
                                        mark.get("value")))
                        .toList());
        widget.set("guess", told(guess, content.get("by"))); // for other views
        keep(guess);
    }

    private static void keep(Guess guess) {
        Notebook.results().ifPresent(results -> results.keepGuess(guess));
    }

    /** Puts words in the place of a guess's widget; a page elsewhere can ask again, and then show what was measured. */
    static void end(Guess guess, Map<String, ?> was) {
        keep(guess);
        View view;
        synchronized (OPEN) {
            view = OPEN.get(guess.about());
            if (view == null || view.guess != guess) {
                return;
            }
            OPEN.remove(guess.about());
        }
        var words = guess.marks().isEmpty()
                ? "Nobody guessed “" + guess.about() + "” here. To guess, run this cell."
                : guess + " To guess again, run this cell.";
        var shown = new DisplayData(words);
        var html = Html.guess(words);
        boolean open = guess.marks().isEmpty() && !was.isEmpty();
        var told = Map.of("spec", spec(guess), "was", was, "measured", marks(guess.measured()));
        shown.putHTML(open ? Html.asked(html, new Gson().toJson(told)) : html);
        shown.setDisplayId(view.place);
        Notebook.kernel().getIO().display.updateDisplay(shown);
        view.widget.close();
    }
}
