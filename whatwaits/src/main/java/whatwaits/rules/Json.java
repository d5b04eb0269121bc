package whatwaits.rules;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON (RFC 8259) in chunks of any size: a dump of 50,000 threads takes 60 MB, and is never one string. A value
 * becomes a {@link Map} (in the order of the text), a {@link List}, a {@link String}, a {@link Double}, a
 * {@link Boolean} or null.
 */
public final class Json {

    /** Sees each value as soon as it is complete. */
    @FunctionalInterface
    public interface Visitor {
        /**
         * Sees a value.
         *
         * @param path where it stands, such as {@code threadDump.threadContainers[].name}
         * @param value the value
         * @return whether the value that it is a part of keeps it
         */
        boolean keeps(String path, Object value);
    }

    /** An object or an array that is not complete. */
    private static final class Open {
        final Map<String, Object> members;
        final List<Object> elements;
        final String path;
        String name;

        Open(boolean object, String path) {
            members = object ? new LinkedHashMap<>() : null;
            elements = object ? null : new ArrayList<>();
            this.path = path;
        }

        Object value() {
            return members != null ? members : elements;
        }
    }

    private final Visitor visitor;
    private final Deque<Open> open = new ArrayDeque<>();
    private final StringBuilder token = new StringBuilder();
    private boolean inString;
    private boolean escaped;
    private int unicode = -1;
    private boolean afterValue;
    private boolean done;
    private Object root;

    /**
     * Begins a text.
     *
     * @param visitor sees its values
     */
    public Json(Visitor visitor) {
        this.visitor = visitor;
    }

    /**
     * The value of a whole text.
     *
     * @param text JSON
     * @return its value
     * @throws IllegalArgumentException if it is not JSON
     */
    public static Object parse(String text) {
        var json = new Json((path, value) -> true);
        json.accept(text);
        return json.end();
    }

    /**
     * Reads on.
     *
     * @param chunk the next part of the text
     * @throws IllegalArgumentException if it is not JSON
     */
    public void accept(CharSequence chunk) {
        for (int i = 0; i < chunk.length(); i++) {
            char next = chunk.charAt(i);
            if (inString) {
                inString(next);
            } else {
                outside(next);
            }
        }
    }

    /**
     * Ends the text.
     *
     * @return its value
     * @throws IllegalArgumentException if the text is not complete
     */
    public Object end() {
        literal();
        if (!done || inString) {
            throw broken("the end");
        }
        return root;
    }

    private static IllegalArgumentException broken(String at) {
        return new IllegalArgumentException("no JSON at " + at);
    }

    private void inString(char next) {
        if (unicode >= 0) {
            token.append(next);
            if (++unicode == 4) {
                int from = token.length() - 4;
                char decoded = (char) Integer.parseInt(token.substring(from), 16);
                token.setLength(from);
                token.append(decoded);
                unicode = -1;
            }
        } else if (escaped) {
            escaped = false;
            switch (next) {
                case 'u' -> unicode = 0;
                case 'b' -> token.append('\b');
                case 'f' -> token.append('\f');
                case 'n' -> token.append('\n');
                case 'r' -> token.append('\r');
                case 't' -> token.append('\t');
                case '"', '\\', '/' -> token.append(next);
                default -> throw broken("\\" + next);
            }
        } else if (next == '\\') {
            escaped = true;
        } else if (next == '"') {
            inString = false;
            var text = token.toString();
            token.setLength(0);
            complete(text);
        } else {
            token.append(next);
        }
    }

    private void outside(char next) {
        switch (next) {
            case '"' -> {
                begins(next);
                inString = true;
            }
            case '{', '[' -> {
                begins(next);
                open.push(new Open(next == '{', open.isEmpty() ? "" : path()));
            }
            case '}', ']' -> {
                literal();
                var last = open.poll();
                // neither a bracket of the other kind, nor a name without its value
                if (last == null || (last.members == null) != (next == ']') || last.name != null) {
                    throw broken(String.valueOf(next));
                }
                afterValue = false;
                complete(last.value());
            }
            case ',' -> {
                literal();
                if (open.isEmpty() || !afterValue) {
                    throw broken(",");
                }
                afterValue = false;
            }
            case ':' -> {
                if (open.isEmpty() || open.peek().name == null || !afterValue) {
                    throw broken(":");
                }
                afterValue = false;
            }
            case ' ', '\t', '\n', '\r' -> literal();
            default -> token.append(next);
        }
    }

    private void begins(char next) {
        if (!token.isEmpty() || afterValue || done) {
            throw broken(String.valueOf(next));
        }
    }

    /** Ends a number, {@code true}, {@code false} or {@code null}. */
    private void literal() {
        if (token.isEmpty() || inString) {
            return;
        }
        var text = token.toString();
        token.setLength(0);
        if (afterValue || done) {
            throw broken(text);
        }
        try {
            complete(
                    switch (text) {
                        case "true" -> true;
                        case "false" -> false;
                        case "null" -> null;
                        default -> Double.valueOf(text);
                    });
        } catch (NumberFormatException e) {
            throw broken(text);
        }
    }

    /** Where the next value stands. */
    private String path() {
        var in = open.peek();
        return in.members == null ? in.path + "[]" : in.path.isEmpty() ? in.name : in.path + "." + in.name;
    }

    private void complete(Object value) {
        afterValue = true;
        var in = open.peek();
        if (in == null) {
            root = value;
            done = true;
        } else if (in.members != null && in.name == null) {
            if (!(value instanceof String name)) {
                throw broken(String.valueOf(value));
            }
            in.name = name;
        } else {
            if (visitor.keeps(path(), value)) {
                if (in.members == null) {
                    in.elements.add(value);
                } else {
                    in.members.put(in.name, value);
                }
            }
            in.name = null;
        }
    }
}
