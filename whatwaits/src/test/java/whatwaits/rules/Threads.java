package whatwaits.rules;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Threads of tests. */
public final class Threads {

    private static final DumpReader STACKS = new DumpReader(Owner::byName);

    private Threads() {}

    /** A virtual thread in a state, with frames, innermost first. */
    static ThreadState virtual(long id, String state, String... frames) {
        return virtual(id, state, null, frames);
    }

    /** A virtual thread that waits for a lock. */
    static ThreadState virtual(long id, String state, String blocker, String[] frames) {
        return new ThreadState(id, "", true, state, 0, blocker, 0, List.of(), stack(frames));
    }

    /**
     * A stack.
     *
     * @param frames innermost first
     * @return the stack
     */
    public static Stack stack(String... frames) {
        return STACKS.stack(List.of(frames));
    }

    /** A dump that a real program's JVM has written: see {@code dumps}. */
    static ThreadDump recorded(String name) {
        return recorded(name, "", "");
    }

    /** The same, where a library is packed into another one. */
    static ThreadDump recorded(String name, String library, String packed) {
        try (var file = Threads.class.getResourceAsStream(name + ".json")) {
            var text = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            return STACKS.read(new StringReader(library.isEmpty() ? text : text.replace(library, packed)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * {@return a dump of threads of Java 25}
     *
     * @param threads all of them
     */
    public static ThreadDump dump(List<ThreadState> threads) {
        return new ThreadDump(List.of(new Container("<root>", null, threads)), 25, "threads of a test");
    }
}
