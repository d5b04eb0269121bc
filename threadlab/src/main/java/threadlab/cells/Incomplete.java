package threadlab.cells;

import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** What is missing at the end of a statement that has none. */
public final class Incomplete {

    private static final Pattern HEAD = Pattern.compile("(?s)^\\s*(?:\\w+\\s*:\\s*)?(\\w+).*");
    private static final Pattern OPERATOR = Pattern.compile(
            "(\\+|-|\\*|/|%|&&|\\|\\||&|\\||\\^|==|!=|<=|>=|<<|>>|[<>=?:,.]|->|::|\\binstanceof|\\bnew|\\breturn)\\s*$");

    private Incomplete() {}

    /**
     * What is missing at the end of a source.
     *
     * @param source a statement without an end
     * @param read the same, read
     * @return one sentence
     */
    public static String missing(String source, JavaText read) {
        if (read.begin() >= 0) {
            int line = 1
                    + (int) source.substring(0, read.begin())
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            boolean bracket = read.part() == JavaText.Part.CODE;
            return (bracket
                            ? "The %s of line %d is still open".formatted(source.charAt(read.begin()), line)
                            : "This has no end")
                    + ": %s is missing.".formatted(read.missing(source));
        }
        var code = read.code().strip();
        var head = HEAD.matcher(code)
                .results()
                .map(found -> found.group(1))
                .findFirst()
                .orElse("");
        var operator = OPERATOR.matcher(code)
                .results()
                .map(MatchResult::group)
                .findFirst()
                .orElse("")
                .strip();
        return switch (head) {
            case String _ when !operator.isEmpty() -> "What stands behind %s is missing.".formatted(operator);
            case String _ when code.endsWith("else") -> "What else does is missing: a statement, or braces { }.";
            case "try" -> "Its catch or finally is missing, such as catch (Exception e) { }.";
            case "do" -> "Its condition is missing: do { … } while (n < 3);";
            case "for", "while", "if", "switch", "synchronized", "catch" ->
                code.endsWith(")")
                        ? "What %s does is missing: a statement, or braces { }.".formatted(head)
                        : "Its parentheses ( ) and what it does are missing.";
            case "class", "record", "interface", "enum" -> "Its body is missing: braces { }.";
            case String _ when code.startsWith("@") -> "What it annotates is missing: a class, a method or a variable.";
            case String _ when code.endsWith(")") -> "A semicolon or its body is missing: braces { }.";
            default -> "Its end is missing, such as a name, a value or a semicolon.";
        };
    }
}
