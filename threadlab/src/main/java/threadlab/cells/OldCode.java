package threadlab.cells;

import java.util.Collection;
import java.util.Map;
import java.util.stream.Stream;

/** Values that keep code of an earlier cell. */
public final class OldCode {

    /** Elements of a collection that are looked at. */
    private static final int FEW = 1_000;

    private OldCode() {}

    /**
     * Whether a value is a lambda, an object of a class that a cell declares without a name, or holds such.
     *
     * @param value of a cell's variable
     * @return whether it runs code that a cell has declared
     */
    public static boolean is(Object value) {
        return switch (value) {
            case null -> false;
            case Thread thread -> thread.isAlive();
            case Collection<?> all when all.size() <= FEW -> all.stream().anyMatch(OldCode::isLambda);
            case Map<?, ?> map when map.size() <= FEW -> map.values().stream().anyMatch(OldCode::isLambda);
            case Object[] all when all.length <= FEW -> Stream.of(all).anyMatch(OldCode::isLambda);
            default -> isLambda(value);
        };
    }

    private static boolean isLambda(Object value) {
        var type = value == null ? "" : value.getClass().getName();
        return type.contains("$$Lambda") || type.startsWith("REPL.") && type.matches(".*\\$\\d+");
    }
}
