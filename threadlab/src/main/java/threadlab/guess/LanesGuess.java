package threadlab.guess;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;
import threadlab.support.Arguments;
import threadlab.support.Numbers;

/** A guess of what happens when: named bars of given lengths on lanes along a time axis in ms. */
public final class LanesGuess extends Guess {

    private static final int MOST_LANES = 8;
    private static final int MOST_BARS = 24;

    private record Kind(String name, double ms) {}

    /**
     * A bar that the reader has placed.
     *
     * @param name its name
     * @param lane the place of its lane, 0 on top
     * @param from when it begins, in ms
     * @param until when it ends, in ms
     */
    public record Bar(String name, int lane, double from, double until) {}

    private final List<String> lanes;
    private final double axis;
    private final List<Kind> kinds = new ArrayList<>();

    private LanesGuess(Axis lanes, double ms) {
        super(lanes.about, "from (ms)");
        this.lanes = lanes.lanes;
        axis = ms;
    }

    /** A guess that still lacks its time axis. */
    public static final class Axis {

        private final String about;
        private final List<String> lanes;

        Axis(String about, String... lanes) {
            this.about = about;
            this.lanes = different("lanes", MOST_LANES, lanes);
        }

        /**
         * Sets the time axis, which begins at 0.
         *
         * @param ms its length in ms, which should not tell the end of what is guessed
         * @return the guess, still without bars: add some
         */
        public LanesGuess upTo(double ms) {
            Arguments.require(ms > 0 && Double.isFinite(ms), "a time axis of %s ms has no room: give more than 0", ms);
            return new LanesGuess(this, ms);
        }

        @Override
        public String toString() {
            return "\"" + about + "\" has no time axis yet: add upTo(…) with its length in ms.";
        }
    }

    /**
     * Adds bars that the reader may place.
     *
     * @param ms their length, in ms
     * @param names a name for each; those of the same thread or task may be the same
     * @return this guess
     */
    public LanesGuess bars(double ms, String... names) {
        var wrong = "a bar of %s ms does not fit on an axis of %s ms: give a length above 0 that does";
        Arguments.require(ms > 0 && ms <= axis, wrong, ms, axis);
        synchronized (kinds) {
            Arguments.inRange("the number of bars", kinds.size() + names.length, 1, MOST_BARS);
            List.of(names).forEach(name -> kinds.add(new Kind(name, ms)));
        }
        return this;
    }

    private List<Kind> kinds() {
        synchronized (kinds) {
            return List.copyOf(kinds);
        }
    }

    /**
     * Types where a bar is: the next one of this name that has no place yet.
     *
     * @param name the name of the bar
     * @param lane the name of its lane
     * @param from when it begins, in ms
     * @return this guess
     */
    public LanesGuess put(String name, String lane, double from) {
        var all = kinds();
        var marks = new TreeMap<Integer, Mark>();
        marks().forEach(mark -> marks.put(mark.n(), mark));
        for (int n = 1; n <= all.size(); n++) {
            if (all.get(n - 1).name.equals(name) && !marks.containsKey(n)) {
                marks.put(n, new Mark(n, lane, from));
                set(List.copyOf(marks.values()));
                return this;
            }
        }
        var names = all.stream().map(Kind::name).toList();
        throw new IllegalArgumentException(
                "no bar \"%s\" is left to be placed: the bars are %s".formatted(name, names));
    }

    @Override
    void check(List<Mark> made) {
        var all = kinds();
        for (var mark : made) {
            Arguments.inRange("the number of a bar", mark.n(), 1, all.size());
            Arguments.require(
                    lanes.contains(mark.words()), "there is no lane \"%s\": give one of %s", mark.words(), lanes);
            double last = axis - all.get(mark.n() - 1).ms;
            var wrong = "a bar from %s ms is not on the axis: give 0 to %s";
            Arguments.require(mark.value() >= 0 && mark.value() <= last, wrong, mark.value(), last);
        }
    }

    /**
     * What the reader has placed.
     *
     * @return the bars, by lane and time; empty without a guess
     */
    public List<Bar> placed() {
        var all = kinds();
        return marks().stream()
                .map(mark -> {
                    var kind = all.get(mark.n() - 1);
                    int lane = lanes.indexOf(mark.words());
                    return new Bar(kind.name, lane, mark.value(), mark.value() + kind.ms);
                })
                .sorted(Comparator.comparingInt(Bar::lane).thenComparing(Bar::from))
                .toList();
    }

    /**
     * When the last bar ends.
     *
     * @return in ms; empty while a bar has no place
     */
    public OptionalDouble end() {
        var placed = placed();
        return placed.size() < kinds().size()
                ? OptionalDouble.empty()
                : placed.stream().mapToDouble(Bar::until).max();
    }

    /**
     * By how much the reader was wrong about the end of the last bar.
     *
     * @param measured when it ended, in ms
     * @return a sentence; empty while a bar has no place, or if nothing was measured
     */
    public String gap(double measured) {
        measured(Double.isFinite(measured) ? List.of(new Mark(kinds().size(), "", measured)) : List.of());
        var mine = end();
        if (mine.isEmpty() || !Double.isFinite(measured)) {
            return "";
        }
        return "Your last bar ends at %s ms; it was %s ms: %s."
                .formatted(
                        Numbers.rounded(mine.getAsDouble(), 3),
                        Numbers.rounded(measured, 3),
                        FigureGuess.wrong("drew", mine.getAsDouble(), measured));
    }

    /**
     * Compares the end of the last bar with what came out.
     *
     * @param measured when it ended, in ms
     * @return a sentence, as the last line of a cell
     */
    public Gap was(double measured) {
        var gap = gap(measured);
        var words = gap.isEmpty() ? "It was %s ms.".formatted(Numbers.rounded(measured, 3)) : gap;
        return new Gap(this, words, Double.isFinite(measured) ? Map.of("end", measured) : Map.of());
    }

    @Override
    public Map<String, ?> spec() {
        var bars = kinds().stream().map(kind -> List.of(kind.name, kind.ms)).toList();
        return Map.of("kind", "lanes", "lanes", lanes, "axis", axis, "bars", bars);
    }

    @Override
    String typing() {
        var first = kinds().isEmpty() ? "…" : kinds().getFirst().name;
        return ".put(\"%s\", \"%s\", 0) and so on: a bar, its lane, and when it begins in ms"
                .formatted(first, lanes.getFirst());
    }

    @Override
    public String told() {
        return placed().stream()
                .map(bar ->
                        "%s on %s from %s ms".formatted(bar.name, lanes.get(bar.lane), Numbers.rounded(bar.from, 3)))
                .collect(Collectors.joining(", "));
    }
}
