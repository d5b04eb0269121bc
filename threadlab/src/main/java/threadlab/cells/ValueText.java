package threadlab.cells;

import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Writes any value as a text that ends: arrays, and collections and maps that have no text of their own, by their
 * elements, others by {@code toString}. It remembers what it is in, because a list may contain itself.
 */
public final class ValueText {

    /** Shown at most, in all. */
    public static final int ELEMENTS = 1_000;
    /** Shown at most, in all. */
    public static final int CHARACTERS = 100_000;
    /** Of values in values, at most. */
    public static final int LEVELS = 50;

    private static final String WAY_OUT =
            "%n(Cut, because a cell shows at most %,d elements, %,d characters and %d levels"
                    + " of a value. To see more, show a part of it.)";

    private final StringBuilder text = new StringBuilder();

    /** The values of which a part is being written, the innermost first. */
    private final Deque<Object> open = new ArrayDeque<>();

    private int elements;
    private boolean cut;

    private ValueText() {}

    /**
     * {@return the text; a value that has none is named with the reason}
     *
     * @param value any, also null
     * @throws CancellationException if the thread is interrupted
     */
    public static String of(Object value) {
        var writer = new ValueText();
        writer.add(value);
        return writer.text + (writer.cut ? WAY_OUT.formatted(ELEMENTS, CHARACTERS, LEVELS) : "");
    }

    private void add(Object value) {
        int from = text.length();
        try {
            switch (value) {
                case Collection<?> all
                when isPlain(all) -> addParts(all, () -> addAll("[", all.iterator(), all.size(), "]"));
                case Map<?, ?> map
                when isPlain(map) ->
                    addParts(map, () -> addAll("{", map.entrySet().iterator(), map.size(), "}"));
                case Map.Entry<?, ?> entry
                when isPlain(entry) ->
                    addParts(entry, () -> {
                        add(entry.getKey());
                        text.append('=');
                        add(entry.getValue());
                    });
                case Object array
                when array.getClass().isArray() -> {
                    int length = Array.getLength(array);
                    var all = IntStream.range(0, length).mapToObj(i -> Array.get(array, i));
                    addParts(array, () -> addAll("[", all.iterator(), length, "]"));
                }
                case BaseStream<?, ?> stream ->
                    addCut("a stream, which runs once it ends: %s shows its elements"
                            .formatted(stream instanceof Stream ? "toList()" : "toArray()"));
                case Iterator<?> iterator
                when isNameless(iterator) -> addCut("an iterator: next() takes its next element");
                case Object lambda
                when lambda.getClass().isHidden() && isNameless(lambda) ->
                    addCut(lambda.getClass().getInterfaces()[0].getSimpleName() + ", a lambda");
                // null, too, if toString returns it
                case null, default -> addCut("" + value);
            }
        } catch (CancellationException | OutOfMemoryError e) {
            throw e;
        } catch (RuntimeException | Error e) {
            text.setLength(from);
            var reason = e.getMessage() == null ? name(e) : name(e) + ": " + e.getMessage();
            addCut("(%s cannot be shown; call its toString() to see why it throws %s)".formatted(name(value), reason));
        }
    }

    /** Whether only the JDK says how to write it, which writes all elements at any depth. */
    private static boolean isPlain(Object value) {
        try {
            var written = value.getClass().getMethod("toString").getDeclaringClass();
            return written.getModule() == Object.class.getModule();
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Whether its text is a class and a number. */
    private static boolean isNameless(Object value) {
        try {
            return value.getClass().getMethod("toString").getDeclaringClass() == Object.class;
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String name(Object value) {
        var type = value.getClass();
        return type.getSimpleName().isEmpty() ? type.getName() : type.getSimpleName();
    }

    private void addParts(Object whole, Runnable parts) {
        if (open.stream().anyMatch(outer -> outer == whole)) {
            text.append("(%s %s)".formatted(open.peek() == whole ? "this" : "an outer", kind(whole)));
        } else if (open.size() == LEVELS) {
            text.append('…');
            cut = true;
        } else {
            open.push(whole);
            try {
                parts.run();
            } finally {
                open.pop();
            }
        }
    }

    private static String kind(Object whole) {
        return switch (whole) {
            case List<?> _ -> "list";
            case Set<?> _ -> "set";
            case Collection<?> _ -> "collection";
            case Map<?, ?> _ -> "map";
            case Map.Entry<?, ?> _ -> "entry";
            default -> "array";
        };
    }

    private void addAll(String before, Iterator<?> all, int size, String after) {
        text.append(before);
        for (int shown = 0; all.hasNext(); shown++) {
            text.append(shown == 0 ? "" : ", ");
            if (elements == ELEMENTS || text.length() >= CHARACTERS) {
                text.append("… %,d more".formatted(Math.max(1, size - shown)));
                cut = true;
                break;
            }
            if (Thread.interrupted()) {
                throw new CancellationException("interrupted while a value was shown");
            }
            elements++;
            add(all.next());
        }
        text.append(after);
    }

    private void addCut(String added) {
        int end = Math.clamp(CHARACTERS - (long) text.length(), 0, added.length());
        if (end < added.length()) {
            // not between the two chars of one character
            end -= end > 0 && Character.isHighSurrogate(added.charAt(end - 1)) ? 1 : 0;
            cut = true;
        }
        text.append(added, 0, end);
        text.append(end < added.length() ? "… %,d more characters".formatted(added.length() - end) : "");
    }
}
