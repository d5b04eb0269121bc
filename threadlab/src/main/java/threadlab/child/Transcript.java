package threadlab.child;

import java.util.function.Consumer;

/** What a child wrote: all of it is counted, the last million characters are kept, the first 100,000 are shown. */
final class Transcript {

    private static final int MOST_SHOWN = 100_000;
    private static final int MOST_KEPT = 1_000_000;

    /** A child that writes more is ended. */
    static final int MOST_WRITTEN = 4_000_000;

    private final String name;
    private final Consumer<String> show;
    private final StringBuilder kept = new StringBuilder();
    private long written;

    Transcript(String name, Consumer<String> show) {
        this.name = name;
        this.show = show;
    }

    void add(String line) {
        kept.append(line).append('\n');
        if (kept.length() > 2 * MOST_KEPT) {
            kept.delete(0, kept.length() - MOST_KEPT);
        }
        boolean shown = written <= MOST_SHOWN;
        if (shown) {
            show.accept(line);
        }
        written += line.length() + 1;
        if (shown && written > MOST_SHOWN) {
            show.accept("… (%s printed more than %,d characters; the rest is not shown)".formatted(name, MOST_SHOWN));
        }
    }

    boolean tooLong() {
        return written > MOST_WRITTEN;
    }

    String text() {
        return kept.toString();
    }
}
