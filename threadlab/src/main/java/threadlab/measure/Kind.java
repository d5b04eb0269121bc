package threadlab.measure;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** What the tasks of a contender run on. In tables it is the column {@code kind}, in charts a colour and a mark. */
public enum Kind {
    /** Platform threads, with or without a pool. */
    PLATFORM,
    /** Virtual threads. */
    VIRTUAL,
    /** A few threads that all tasks share, because a task leaves its thread while it waits: stages, WebFlux. */
    SHARING,
    /** What none of these words says, or what is not compared by its threads: a lock, a step of a request. */
    OTHER;

    /**
     * The kind that a word of a table means.
     *
     * @param word {@code platform}, {@code virtual}, {@code sharing} or {@code other}
     * @return the kind
     * @throws IllegalArgumentException if it is another word
     */
    public static Kind of(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.toString().equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "\"%s\" is not a kind of contender: the kinds are %s".formatted(word, List.of(values()))));
    }

    /**
     * What tables and charts call a contender of this kind.
     *
     * @param name what distinguishes it from others of its kind, such as {@code cached pool}
     * @return {@code platform, cached pool} for this kind of thread; the name alone where no kind of thread says what the
     *     contender is, such as {@code WebFlux}
     * @throws IllegalArgumentException if the name is blank
     */
    public String named(String name) {
        Arguments.notBlank(name, "a contender or a server needs a name, such as \"cached pool\"");
        return isThread() ? this + ", " + name : name;
    }

    /**
     * Whether the kind of thread says what a contender is.
     *
     * @return true for platform and virtual threads
     */
    public boolean isThread() {
        return this == PLATFORM || this == VIRTUAL;
    }

    /** The word for it in tables. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
