package whatwaits.rules;

import java.io.IOException;
import java.io.Reader;

/** A text by lines, whatever ends them, or as it is; its first characters may be seen before. */
final class Lines extends Reader {

    private static final int PART = 1 << 16;

    private static final int LONGEST = 1 << 26;

    private final Reader text;
    private final char[] part = new char[PART];
    private int at;
    private int end;
    /** The spaces that stood at the end of the last line. */
    private String spaces = "";

    Lines(Reader text) {
        this.text = text;
    }

    /** Fills what is empty; whether there is anything. */
    private boolean fill() throws IOException {
        if (at == end) {
            at = 0;
            end = Math.max(0, text.read(part, 0, PART));
        }
        return at < end;
    }

    /** The first characters, a mark of the charset left out: as many as there are, up to some ten thousand. */
    String start() throws IOException {
        int read = 0;
        while (read >= 0 && end < PART) {
            end += read;
            read = text.read(part, end, PART - end);
        }
        if (end > 0 && part[0] == '\uFEFF') {
            at = 1;
        }
        return new String(part, at, end - at);
    }

    /** The next line without spaces at its end; null after the last. Of a line end that was translated twice, nothing remains. */
    String line() throws IOException {
        if (!fill()) {
            return null;
        }
        StringBuilder before = null;
        int from = at;
        while (part[at] != '\n' && part[at] != '\r') {
            if (++at == end) {
                before = before == null ? new StringBuilder() : before;
                before.append(part, from, end - from);
                // what has no line ends, such as zeros where a log was cut while it was written, must not fill the heap
                if (before.length() > LONGEST || !fill()) {
                    return stripped(before);
                }
                from = at;
            }
        }
        var line = before == null ? null : before.append(part, from, at - from);
        var said = line == null ? stripped(from, at) : stripped(line);
        ended();
        return said;
    }

    /** Skips \n, \r, \r\n and \r\r\n. */
    private void ended() throws IOException {
        boolean carriage = part[at++] == '\r';
        if (!carriage || !fill()) {
            return;
        }
        if (part[at] == '\r' && (at + 1 == end || part[at + 1] == '\n')) {
            at++;
        }
        if (fill() && part[at] == '\n') {
            at++;
        }
    }

    private String stripped(int from, int to) {
        int last = to;
        while (last > from && part[last - 1] <= ' ') {
            last--;
        }
        spaces = last == to ? "" : new String(part, last, to - last);
        return new String(part, from, last - from);
    }

    private String stripped(StringBuilder line) {
        int last = line.length();
        while (last > 0 && line.charAt(last - 1) <= ' ') {
            last--;
        }
        spaces = line.substring(last);
        return line.substring(0, last);
    }

    String spaces() {
        return spaces;
    }

    @Override
    public int read(char[] into, int offset, int most) throws IOException {
        if (!fill()) {
            return -1;
        }
        int count = Math.min(most, end - at);
        System.arraycopy(part, at, into, offset, count);
        at += count;
        return count;
    }

    @Override
    public void close() throws IOException {
        text.close();
    }
}
