package whatwaits.javascript;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import org.teavm.jso.JSExport;
import whatwaits.rules.Reading;

/** Hands the rules a dump in chunks: a program of the JVM, and two functions of a JavaScript module. */
public final class Main {
    private static final Reading READING = new Reading();

    private Main() {}

    @JSExport
    public static void take(String chunk) {
        READING.take(chunk);
    }

    @JSExport
    public static String verdict() {
        return READING.verdict();
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
}
