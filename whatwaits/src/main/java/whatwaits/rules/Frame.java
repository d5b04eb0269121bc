package whatwaits.rules;

import java.util.Set;

/**
 * One line of a stack. Threads share few different lines: each is examined once.
 *
 * @param text as {@code package.Class.method(File.java:12)}
 * @param owner whose code it is
 * @param signs what it says about its thread
 * @param library in which it waits; null for most
 */
record Frame(String text, Owner owner, Set<Sign> signs, Library library) {

    boolean isOwn() {
        return owner == Owner.OWN;
    }

    boolean isJdk() {
        return owner == Owner.JDK;
    }

    boolean says(Sign sign) {
        return signs.contains(sign);
    }

    boolean initializesClass() {
        return text.contains(".<clinit>(");
    }

    /** {@code package.Class.method} of {@code package.Class.method(File.java:12)}. */
    String method() {
        return method(text);
    }

    /** The method in whose body a lambda stands, {@code Shop.sell} of {@code Shop.lambda$sell$0}; others themselves. */
    String caller() {
        var caller = method().replaceFirst("\\.lambda\\$([^.]+)\\$\\d+$", ".$1");
        return caller.equals(method())
                ? caller
                : caller.replaceFirst("\\.static$", ".<clinit>").replaceFirst("\\.new$", ".<init>");
    }

    /** The number of its line; -1 where there is none. */
    int line() {
        int end = text.lastIndexOf(')');
        int at = text.lastIndexOf(':') + 1;
        if (at <= 0 || end <= at || !text.substring(at, end).chars().allMatch(Character::isDigit)) {
            return -1;
        }
        return Integer.parseInt(text.substring(at, end));
    }

    static String method(String frame) {
        int end = frame.indexOf('(');
        return end < 0 ? frame : frame.substring(0, end);
    }

    /** {@code package.Class}. */
    static String type(String frame) {
        var method = method(frame);
        return method.substring(0, Math.max(0, method.lastIndexOf('.')));
    }

    /** {@code Class}, without those nested in it. */
    String simpleType() {
        var type = type(text);
        type = type.substring(type.lastIndexOf('.') + 1);
        int nested = type.indexOf('$');
        return nested < 0 ? type : type.substring(0, nested);
    }

    @Override
    public String toString() {
        return text;
    }
}
