package threadlab.measure;

import java.util.List;
import java.util.Locale;
import threadlab.support.Arguments;

/** What the tasks of a contender run on. Tables show it in the column {@code kind}, charts by a colour and a mark. */
public enum Kind {
    /** Platform threads, with or without a pool. */
    PLATFORM,
    /** Virtual threads. */
    VIRTUAL,
    /** A few threads that all tasks share, because a task leaves its thread while it waits: stages, WebFlux. */
    SHARING,
    /** Anything else, or a contender that is not compared by its threads: a lock, a step of a request. */
    OTHER;

    /**
     * Finds the kind for a word in a table.
     *
     * @param word {@code platform}, {@code virtual}, {@code sharing} or {@code other}
     * @return the kind
     * @throws IllegalArgumentException if it is another word
     */
    public static Kind of(String word) {
        for (var kind : values()) {
            if (kind.toString().equals(word)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "\"%s\" is not a kind of contender: the kinds are %s".formatted(word, List.of(values())));
    }

    /**
     * Names a contender of this kind, as tables and charts do.
     *
     * @param name what distinguishes it from others of its kind, such as {@code cached pool}
     * @return {@code platform, cached pool} for a kind of thread; the name alone, such as {@code WebFlux}, where no
     *     kind of thread describes the contender
     * @throws IllegalArgumentException if the name is blank
     */
    public String named(String name) {
        Arguments.notBlank(name, "a contender or a server needs a name, such as \"cached pool\"");
        return isThread() ? this + ", " + name : name;
    }

    /**
     * Says whether this is a kind of thread, which describes a contender.
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
