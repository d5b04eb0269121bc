package whatwaits.javascript;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import org.teavm.jso.JSExport;
import whatwaits.rules.Checklist;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Observation;
import whatwaits.rules.Owner;
import whatwaits.rules.Requests;
import whatwaits.rules.Verdict;

/** Hands the rules a dump in chunks: a program of the JVM, and two functions of a JavaScript module. */
public final class Main {
    private static final ArrayDeque<String> CHUNKS = new ArrayDeque<>();

    private Main() {}

    @JSExport
    public static void take(String chunk) {
        CHUNKS.add(chunk);
    }

    /** The dump, the verdict and the checklist, as text. */
    @JSExport
    public static String verdict() throws IOException {
        var dump = new DumpReader(Owner::byName).read(new Chunks());
        var nobody = Requests.unknown("nobody counted the requests");
        var seen = new Observation(List.of(), dump, List.of(), 2, Double.NaN, nobody);
        var checklist = Checklist.of(seen, "25.0.3", dump.pinned(), new long[] {1 << 20, 1 << 30}, List.of());
        return dump + "\n" + Verdict.of(seen) + "\n" + checklist;
    }

    /** On the JVM: the dump is read from standard input. */
    public static void main(String[] args) throws IOException {
        Reader dump = new InputStreamReader(System.in, StandardCharsets.UTF_8);
        char[] chunk = new char[10_007];
        for (int count = dump.read(chunk); count >= 0; count = dump.read(chunk)) {
            take(new String(chunk, 0, count));
        }
        System.out.println(verdict());
    }

    /** The chunks one after the other; each is let go when it has been read. */
    private static final class Chunks extends Reader {
        private int at;

        @Override
        public int read(char[] into, int offset, int most) {
            while (!CHUNKS.isEmpty() && at == CHUNKS.peek().length()) {
                CHUNKS.remove();
                at = 0;
            }
            if (CHUNKS.isEmpty()) {
                return -1;
            }
            int count = Math.min(most, CHUNKS.peek().length() - at);
            CHUNKS.peek().getChars(at, at + count, into, offset);
            at += count;
            return count;
        }

        @Override
        public void close() {
            CHUNKS.clear();
        }
    }
}
