package threadlab.guess;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import threadlab.support.Arguments;

/** A guess that is an order. */
public final class OrderGuess extends Guess {

    private static final int MOST = 7;

    private final List<String> items;

    OrderGuess(String about, String... items) {
        super(about, "order");
        this.items = different("items", MOST, items);
        Arguments.inRange("the number of items", items.length, 2, MOST);
    }

    /**
     * Types the guess.
     *
     * @param ordered all items, the first first
     * @return this guess
     */
    public OrderGuess is(String... ordered) {
        complete(List.of(ordered));
        set(places(List.of(ordered)));
        return this;
    }

    private List<Mark> places(List<String> ordered) {
        return IntStream.range(0, ordered.size())
                .mapToObj(i -> new Mark(i + 1, ordered.get(i), items.indexOf(ordered.get(i)) + 1))
                .toList();
    }

    /**
     * Compares the guess with what came out.
     *
     * @param ordered all items in the right order
     * @return a sentence that says which places were right, as the last line of a cell
     */
    public Gap was(List<String> ordered) {
        complete(ordered);
        measured(places(ordered));
        var mine = ordered();
        var right = IntStream.range(0, mine.size())
                .filter(i -> mine.get(i).equals(ordered.get(i)))
                .mapToObj(i -> ordered.get(i))
                .toList();
        var what = String.join(", ", ordered);
        var was = Map.of("order", ordered);
        if (mine.isEmpty()) {
            return new Gap(this, "It was %s.".formatted(what), was);
        }
        if (right.size() == items.size()) {
            return new Gap(this, "You said %s: exactly right.".formatted(what), was);
        }
        var places = right.isEmpty() ? "none" : String.join(" and ", right);
        return new Gap(this, "You said %s; it was %s: in the right place, %s.".formatted(told(), what, places), was);
    }

    private List<String> ordered() {
        return marks().stream().map(Mark::words).toList();
    }

    private void complete(Collection<String> ordered) {
        boolean all = ordered.size() == items.size() && new HashSet<>(ordered).equals(new HashSet<>(items));
        Arguments.require(all, "%s is no order of the items: give each of %s once", ordered, items);
    }

    @Override
    void check(List<Mark> made) {
        if (!made.isEmpty()) {
            complete(made.stream().map(Mark::words).toList());
        }
    }

    @Override
    public Map<String, ?> spec() {
        return Map.of("kind", "order", "items", items);
    }

    @Override
    String typing() {
        return ".is(…) with all of these, the first first: "
                + items.stream().map(item -> "\"" + item + "\"").collect(Collectors.joining(", "));
    }

    @Override
    public String told() {
        return String.join(", ", ordered());
    }
}
