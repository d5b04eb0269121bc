package whatwaits.command;

import java.io.PrintWriter;
import java.io.StringWriter;

/** What the command told, and its exit code. */
record Told(int code, String out, String errors, double seconds) {

    static Told by(String... arguments) {
        var out = new StringWriter();
        var errors = new StringWriter();
        long start = System.nanoTime();
        int code = Whatwaits.run(new PrintWriter(out, true), new PrintWriter(errors, true), arguments);
        return new Told(code, out.toString(), errors.toString(), (System.nanoTime() - start) / 1e9);
    }

    boolean says(String... parts) {
        int at = 0;
        for (String part : parts) {
            at = out.indexOf(part, at);
            if (at < 0) {
                return false;
            }
        }
        return true;
    }
}
