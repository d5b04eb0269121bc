package whatwaits.look;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import whatwaits.rules.Form;

/**
 * The content of a file, unpacked if it is gzip. A heap dump or a log may be larger than any array: its first bytes say
 * what it is, and the rest is read as a stream.
 */
final class Content extends FilterInputStream {

    /** The number of bytes by which a file is known. */
    private static final int START = 10_000;

    private static final int BUFFER = 1 << 16;

    /** Ends where what it unpacks is cut off or damaged: what came before is good. */
    private static final class Ending extends FilterInputStream {
        private boolean cut;

        Ending(InputStream all) {
            super(all);
        }

        @Override
        public int read(byte[] into, int offset, int most) throws IOException {
            try {
                return cut ? -1 : super.read(into, offset, most);
            } catch (EOFException | ZipException e) {
                cut = true;
                return -1;
            }
        }
    }

    private final byte[] start;
    private final boolean packed;
    private final Ending all;

    private Content(Ending all, boolean packed) throws IOException {
        super(new BufferedInputStream(all, BUFFER));
        this.all = all;
        this.packed = packed;
        mark(START);
        start = readNBytes(START);
        reset();
    }

    static Content of(Path file) throws IOException {
        var all = Files.newInputStream(file);
        try {
            return of(all);
        } catch (IOException e) {
            all.close();
            throw e;
        }
    }

    static Content of(InputStream all) throws IOException {
        var plain = new Content(new Ending(all), false);
        if (!plain.begins("\37\213")) {
            return plain;
        }
        try {
            return new Content(new Ending(new GZIPInputStream(plain, BUFFER)), true);
        } catch (EOFException | ZipException e) {
            var nothing = new Ending(InputStream.nullInputStream());
            nothing.cut = true;
            return new Content(nothing, true);
        }
    }

    boolean begins(String with) {
        return new String(start, StandardCharsets.ISO_8859_1).startsWith(with);
    }

    /** {@return whether it was unpacked} */
    boolean packed() {
        return packed;
    }

    /** {@return whether what was read so far ended before its end} */
    boolean cut() {
        return all.cut;
    }

    /** {@return why this is no text, and what to do instead; null if it may be one} */
    String binary() {
        return Form.binary(new String(start, StandardCharsets.ISO_8859_1));
    }

    /** {@return the first characters of a text} */
    String beginning() {
        return new String(start, charset());
    }

    Charset charset() {
        return Charset.forName(Form.charset(start));
    }
}
