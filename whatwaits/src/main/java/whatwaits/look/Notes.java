package whatwaits.look;

import java.util.ArrayList;
import java.util.List;

/**
 * What is to be told besides what was seen, in words.
 *
 * @param costs what looking took
 * @param left what stays in that JVM
 * @param missing what could not be seen, and why
 */
record Notes(List<String> costs, List<String> left, List<String> missing) {

    Notes() {
        this(new ArrayList<>(), new ArrayList<>(List.of("its attach listener")), new ArrayList<>());
    }

    void missed(String what, Object... figures) {
        missing.add(what.formatted(figures));
    }

    void cost(String what, Object... figures) {
        costs.add(what.formatted(figures));
    }

    /** Notes how long something took. */
    void took(String what, long since) {
        cost("%s took %d ms", what, Math.round((System.nanoTime() - since) / 1e6));
    }
}
