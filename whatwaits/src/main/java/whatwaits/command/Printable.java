package whatwaits.command;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;

/**
 * Shows control characters as �: names of threads, classes and files come from a JVM or a file of somebody else, and a
 * terminal would obey what stands in them.
 */
final class Printable extends FilterWriter {

    private Printable(Writer to) {
        super(to);
    }

    static PrintWriter of(Writer to) {
        return new PrintWriter(new Printable(to), true);
    }

    @Override
    public void write(int c) throws IOException {
        boolean obeyed = Character.isISOControl(c) && c != '\n' && c != '\r' && c != '\t';
        super.write(obeyed ? '\uFFFD' : c);
    }

    @Override
    public void write(char[] text, int from, int length) throws IOException {
        for (int i = from; i < from + length; i++) {
            write(text[i]);
        }
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
        write(text.toCharArray(), from, length);
    }
}
