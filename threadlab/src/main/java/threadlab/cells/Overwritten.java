package threadlab.cells;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lines that a program writes over again, as it shows its progress. */
public final class Overwritten {

    private static final Pattern LINE = Pattern.compile("([^\\n\\r]*\\r+)([^\\n]*\\r[^\\n]*)");

    private Overwritten() {}

    /**
     * Leaves out what is not seen, because it is written over at once: pages keep a message for each piece of output.
     *
     * @param text in which \\r goes back to the beginning of the line, which the text may continue
     * @return a text that shows the same
     */
    public static String dropped(String text) {
        return text.indexOf('\r') < 0
                ? text
                : LINE.matcher(text).replaceAll(line -> Matcher.quoteReplacement(line.group(1) + last(line.group(2))));
    }

    private static String last(String line) {
        var kept = "";
        for (var part : line.split("\r")) {
            kept = part.length() >= kept.length() ? part : kept + "\r" + part; // a shorter one leaves an end
        }
        return line.endsWith("\r") ? kept + "\r" : kept;
    }
}
